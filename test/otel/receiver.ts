/** A receiver of OTLP over HTTP in JSON that takes nothing for granted: each request is read field by field, as the definition of the protocol has them. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { type MetricsBatch, readMetrics } from './read-metrics.ts';
import { attributesOf, hex, list, nano, node, text, whole } from './read-otlp.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startNano: bigint;
  readonly endNano: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly string[];
  readonly links: readonly string[];
  readonly code: number;
}

export interface Receiver {
  /** Where it takes traces. */
  readonly url: string;
  readonly metricsUrl: string;
  readonly spans: ReceivedSpan[];
  readonly metrics: MetricsBatch[];
  readonly resources: Readonly<Record<string, unknown>>[];
  /** Statuses of the next answers; 200 when there is none. */
  readonly answers: number[];
  /** How the next requests that are read are answered; `{}` when nothing is said. */
  readonly bodies: unknown[];
  /** What was sent and could not be read. */
  readonly faults: string[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const spans: ReceivedSpan[] = [];
  const metrics: MetricsBatch[] = [];
  const resources: Readonly<Record<string, unknown>>[] = [];
  const answers: number[] = [];
  const bodies: unknown[] = [];
  const faults: string[] = [];
  const take = ({ method, url, headers }: IncomingMessage, sent: string): void => {
    if (method !== 'POST' || headers['content-type'] !== 'application/json') throw new Error('head');
    const body: unknown = JSON.parse(sent);
    if (url === '/v1/metrics') {
      metrics.push(...readMetrics(body));
    } else if (url === '/v1/traces') {
      for (const each of list(node(body, ['resourceSpans'])['resourceSpans'])) {
        const { resource, scopeSpans } = node(each, ['resource', 'scopeSpans', 'schemaUrl']);
        resources.push(attributesOf(node(resource, ['attributes'])['attributes']));
        for (const scoped of list(scopeSpans)) {
          spans.push(...list(node(scoped, ['scope', 'spans', 'schemaUrl'])['spans']).map(spanOf));
        }
      }
    } else {
      throw new Error(`path ${url}`);
    }
  };
  const server: Server = createServer((request, response) => {
    let sent = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (sent += piece));
    request.on('end', () => {
      const status = answers.shift() ?? 200;
      if (status === 200) {
        try {
          take(request, sent);
        } catch (error) {
          faults.push(String(error));
        }
      }
      const body = status === 200 ? (bodies.shift() ?? {}) : {};
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const origin = `http://127.0.0.1:${port}`;
  return {
    url: `${origin}/v1/traces`,
    metricsUrl: `${origin}/v1/metrics`,
    spans,
    metrics,
    resources,
    answers,
    bodies,
    faults,
    close,
  };
}

/** Each span once. What came twice has to say the same. */
export function onceEach(spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] {
  const found = new Map<string, ReceivedSpan>();
  for (const span of spans) {
    const before = found.get(span.spanId);
    if (before !== undefined && !isDeepStrictEqual(before, span)) throw new Error(`two spans ${span.spanId}`);
    found.set(span.spanId, span);
  }
  return [...found.values()];
}

/** All links of ours stay in their trace. */
function linkOf(value: unknown, traceId: unknown): string {
  const link = node(value, ['traceId', 'spanId']);
  if (hex(link['traceId'], 32) !== traceId) throw new Error('a link that leaves the trace');
  return hex(link['spanId'], 16);
}

const spanFields = [
  'traceId',
  'spanId',
  'parentSpanId',
  'name',
  'kind',
  'startTimeUnixNano',
  'endTimeUnixNano',
  'attributes',
  'events',
  'links',
  'status',
] as const;

export function spanOf(value: unknown): ReceivedSpan {
  const span = node(value, spanFields);
  const status = node(span['status'] ?? {}, ['code', 'message']);
  return {
    traceId: hex(span['traceId'], 32),
    spanId: hex(span['spanId'], 16),
    parentSpanId: span['parentSpanId'] === undefined ? '' : hex(span['parentSpanId'], 16),
    name: text(span['name']),
    kind: whole(span['kind'], 5),
    startNano: nano(span['startTimeUnixNano']),
    endNano: nano(span['endTimeUnixNano']),
    attributes: attributesOf(span['attributes']),
    events: list(span['events'] ?? []).map((each) => {
      const event = node(each, ['timeUnixNano', 'name', 'attributes']);
      nano(event['timeUnixNano']);
      attributesOf(event['attributes']);
      return text(event['name']);
    }),
    links: span['links'] === undefined ? [] : list(span['links']).map((link) => linkOf(link, span['traceId'])),
    code: status['code'] === undefined ? 0 : whole(status['code'], 2),
  };
}
