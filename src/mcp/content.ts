/** What an MCP server answers, as the JSON that a tool of Axle gives. */
import { isRecord, type JsonObject, type JsonValue, toJson } from '../util/json.ts';

/** The two forms of an answer of a tool. */
export type ToolAnswer =
  | { readonly kind: 'output'; readonly output: JsonValue }
  /** The tool itself says that it failed. */
  | { readonly kind: 'failed'; readonly message: string };

/**
 * Reads the result of `tools/call`. `structuredContent` wins; else text parts are joined by line ends, and when there are other parts
 * too the output is `{ text, parts }`, where each part is named by type, media type and size: no binary data reaches a model's text.
 *
 * @throws AxleError `value-not-storable` when the structured content cannot be kept.
 */
export function readToolResult(result: unknown): ToolAnswer {
  const fields = isRecord(result) ? result : {};
  const content: readonly unknown[] = Array.isArray(fields['content']) ? fields['content'] : [];
  const text = content
    .map(textOf)
    .filter((part) => part !== undefined)
    .join('\n');
  if (fields['isError'] === true) {
    return { kind: 'failed', message: text === '' ? 'The tool failed and did not say why.' : text };
  }
  if (fields['structuredContent'] !== undefined) return { kind: 'output', output: toJson(fields['structuredContent']) };
  const parts = content.map(referenceTo).filter((part) => part !== undefined);
  return { kind: 'output', output: parts.length === 0 ? text : { text, parts } };
}

function textOf(part: unknown): string | undefined {
  if (!isRecord(part)) return undefined;
  if (part['type'] === 'text') return typeof part['text'] === 'string' ? part['text'] : undefined;
  const resource = part['type'] === 'resource' && isRecord(part['resource']) ? part['resource'] : {};
  return typeof resource['text'] === 'string' ? resource['text'] : undefined;
}

function referenceTo(part: unknown): JsonObject | undefined {
  if (!isRecord(part) || part['type'] === 'text') return undefined;
  const type = typeof part['type'] === 'string' ? part['type'] : 'unknown';
  const source = type === 'resource' && isRecord(part['resource']) ? part['resource'] : part;
  return {
    type,
    ...stringField(source, 'mimeType'),
    ...stringField(source, 'uri'),
    ...stringField(source, 'name'),
    ...sizeOf(source),
  };
}

function stringField(source: Readonly<Record<string, unknown>>, name: string): JsonObject {
  const value = source[name];
  return typeof value === 'string' ? { [name]: value } : {};
}

function sizeOf(source: Readonly<Record<string, unknown>>): JsonObject {
  const base64 = source['data'] ?? source['blob'];
  if (typeof base64 === 'string') return { bytes: Buffer.byteLength(base64, 'base64') };
  return typeof source['text'] === 'string' ? { bytes: Buffer.byteLength(source['text']) } : {};
}
