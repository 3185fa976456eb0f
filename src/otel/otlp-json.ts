/** What requests of OTLP over HTTP, in JSON, have in common; and spans as the body of one (`ExportTraceServiceRequest`). */
import { attribute, schemaUrl } from './conventions.ts';
import type { Attributes, AttributeValue, OtelEvent, OtelSpan } from './spans-of.ts';

/** Where spans and metrics come from. */
export interface OtelResource {
  /** @defaultValue 'axle' */
  readonly serviceName?: string;
  /** Further attributes of the resource, such as `deployment.environment.name`. */
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
}

const kinds = { internal: 1, client: 3 } as const;
const statusError = 2;

export const scope = { name: 'axle' } as const;

/** The body of a request, around the texts of its spans with commas between them. */
export function traceBody(resource: OtelResource = {}): { readonly before: string; readonly after: string } {
  const schema = JSON.stringify(schemaUrl);
  const [from, by] = [JSON.stringify(resourceOf(resource)), JSON.stringify(scope)];
  return {
    before: `{"resourceSpans":[{"resource":${from},"scopeSpans":[{"scope":${by},"spans":[`,
    after: `],"schemaUrl":${schema}}],"schemaUrl":${schema}}]}`,
  };
}

export function resourceOf({ serviceName = 'axle', attributes = {} }: OtelResource): unknown {
  return { attributes: attributeList({ [attribute.serviceName]: serviceName, ...attributes }) };
}

/** A span as text: written as it goes, since there are several in each step. */
export function spanText(span: OtelSpan): string {
  const { traceId, spanId, parentSpanId, links = [], events, error } = span;
  const parent = parentSpanId === undefined ? '' : `"parentSpanId":"${parentSpanId}",`;
  const happened = events.length === 0 ? '' : `,"events":[${events.map(eventText).join(',')}]`;
  const linked = links.length === 0 ? '' : `,"links":[${links.map((id) => linkText(traceId, id)).join(',')}]`;
  const status = error === undefined ? '' : `,"status":{"code":${statusError},"message":${quoted(error)}}`;
  return (
    `{"traceId":"${traceId}","spanId":"${spanId}",${parent}"name":${quoted(span.name)},"kind":${kinds[span.kind]},` +
    `"startTimeUnixNano":"${nanos(span.startMs)}","endTimeUnixNano":"${nanos(span.endMs)}",` +
    `"attributes":${attributesText(span.attributes)}${happened}${linked}${status}}`
  );
}

function linkText(traceId: string, spanId: string): string {
  return `{"traceId":"${traceId}","spanId":"${spanId}"}`;
}

function eventText({ name, atMs, attributes }: OtelEvent): string {
  return `{"timeUnixNano":"${nanos(atMs)}","name":${quoted(name)},"attributes":${attributesText(attributes)}}`;
}

function attributesText(attributes: Attributes): string {
  let text = '';
  for (const [name, value] of attributes) {
    if (value !== undefined) text += text === '' ? attributeText(name, value) : `,${attributeText(name, value)}`;
  }
  return `[${text}]`;
}

/** Texts of attributes, by name and value: of most there are a few values, which come again and again. */
const made = new Map<string, Map<AttributeValue, string>>();
const maxMade = 200;
const maxMadeChars = 100;

function attributeText(name: string, value: AttributeValue): string {
  if (typeof value === 'object') return JSON.stringify({ key: name, value: valueOf(value) });
  const known = made.get(name) ?? new Map<AttributeValue, string>();
  if (known.size === 0) made.set(name, known);
  const before = known.get(value);
  if (before !== undefined) return before;
  const text = JSON.stringify({ key: name, value: valueOf(typeof value === 'string' ? value.toWellFormed() : value) });
  if (known.size < maxMade && text.length <= maxMadeChars + name.length) known.set(value, text);
  return text;
}

const plain = /^[\w .:/#@-]*$/;

/** Most texts here are names, of which nothing has to be escaped. */
function quoted(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text.toWellFormed());
}

/** Nanoseconds since 1970, which do not fit into a number. */
export function nanos(atMs: number): string {
  return `${Math.round(atMs * 1_000)}000`;
}

export function attributeList(attributes: Readonly<Record<string, AttributeValue>>): readonly unknown[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: AttributeValue): unknown {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map((each) => ({ stringValue: each })) } };
}
