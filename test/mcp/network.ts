/** MCP servers on the loopback: one of the protocol's own SDK that speaks both revisions, and one by hand that does what a server should not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, type McpHttpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { mcp, type McpHttpOptions, type McpSource } from '../../src/mcp.ts';
import type { JsonObject } from '../../src/util/json.ts';

export interface Listening {
  readonly url: string;
  /** What may be dialled to reach it. */
  readonly allow: readonly string[];
  /** Ends it at once, open connections included. */
  readonly close: () => void;
}

/** Listens until the test ends. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<Listening> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, allow: [`127.0.0.1:${port}`], close };
}

/** A source over a server that listens, closed when the test ends. */
export function source({ url, allow }: Listening, options: Partial<McpHttpOptions> = {}): McpSource {
  const made = mcp({ name: 'net', url, allow, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** Serves an SDK server over HTTP, in both revisions. */
export async function serve(
  factory: McpServerFactory,
  onRequest: (headers: IncomingMessage['headers'], response: ServerResponse) => void = () => undefined,
): Promise<{ readonly place: Listening; readonly handler: McpHttpHandler }> {
  const handler = createMcpHandler(factory);
  const place = await listen(async (request, response) => {
    onRequest(request.headers, response);
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    const hasBody = request.method === 'POST';
    const answer = await handler.fetch(
      new Request(`http://127.0.0.1${request.url ?? '/'}`, {
        method: request.method ?? 'GET',
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]),
        ...(hasBody ? { body: await text(request) } : {}),
        signal: abort.signal,
      }),
    );
    response.writeHead(answer.status, [...answer.headers].flat());
    response.flushHeaders();
    try {
      if (answer.body !== null) for await (const chunk of answer.body) response.write(chunk);
    } catch {
      // The client has gone.
    }
    response.end();
  });
  return { place, handler };
}

/** What a request of the hand-made server is answered with. */
export interface Exchange {
  readonly id: unknown;
  readonly params: JsonObject;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answer: (result: object) => void;
}

export interface HandMade {
  readonly tools?: readonly object[];
  /** Answers `tools/call`. */
  readonly call: (exchange: Exchange) => void;
  /** Sees every message first; true when it has answered it. */
  readonly before?: (method: string, exchange: Exchange) => boolean;
  /** Answers as the newer revision has it. */
  readonly isModern?: boolean;
}

const anyObject = { type: 'object' };

/** A server by hand. It speaks the older revision with sessions unless it is told otherwise. */
export function handMade({
  tools = [{ name: 'act', inputSchema: anyObject }],
  call,
  before,
  isModern = false,
}: HandMade): Promise<Listening> {
  let sessions = 0;
  return listen(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      return;
    }
    const {
      id,
      method,
      params = {},
    } = JSON.parse(await text(request)) as { id: unknown; method: string; params?: JsonObject };
    const json = (message: object, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }));
    };
    const complete = isModern ? { resultType: 'complete' } : {};
    const answer = (result: object): void => json({ result: { ...complete, ...result } });
    const exchange: Exchange = { id, params, request, response, answer };
    if (before?.(method, exchange) === true) return;
    switch (method) {
      case 'server/discover':
        if (isModern) {
          answer({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' });
        } else json({ error: { code: -32_601, message: 'Method not found' } });
        return;
      case 'initialize':
        sessions += 1;
        json(
          {
            result: {
              protocolVersion: params['protocolVersion'],
              capabilities: { tools: {} },
              serverInfo: { name: 'hand-made', version: '1.0.0' },
            },
          },
          { 'mcp-session-id': `session-${sessions}` },
        );
        return;
      case 'tools/list':
        answer({ tools, ...(isModern ? { ttlMs: 0, cacheScope: 'private' } : {}) });
        return;
      case 'tools/call':
        call(exchange);
        return;
      default:
        response.writeHead(202).end();
    }
  });
}

/** A text as a result of a tool. */
export function says(words: string): object {
  return { content: [{ type: 'text', text: words }] };
}
