/**
 * One bad part must not take the others with it: the SDK refuses a whole list for one tool that is not as the protocol has it, and a whole answer for one part
 * of a type that it does not know. So it is shown an empty list or answer, and the raw one travels beside it, for our own reading.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../util/json.ts';

const rawKey = 'axle/raw';

/** A message as the SDK is shown it. */
export function shielded(message: JSONRPCMessage): JSONRPCMessage {
  if (!('result' in message)) return message;
  const result: Readonly<Record<string, unknown>> = message.result;
  if (!Array.isArray(result['tools']) && !Array.isArray(result['content'])) return message;
  const { structuredContent: _, ...rest } = result;
  const empty = Array.isArray(result['tools']) ? { tools: [] } : { content: [] };
  const meta = isRecord(result['_meta']) ? result['_meta'] : {};
  return { ...message, result: { ...rest, ...empty, _meta: { ...meta, [rawKey]: result } } };
}

/** The result that the server sent, from one that the SDK gave. */
export function rawResult(result: unknown): Readonly<Record<string, unknown>> {
  const given = isRecord(result) ? result : {};
  const meta = isRecord(given['_meta']) ? given['_meta'] : {};
  const raw = meta[rawKey];
  return isRecord(raw) ? raw : given;
}
