/** What carries messages to a server, whatever it is made of: the SDK's transport port, and what a caller with an effect law needs to know beyond it. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ServerEnd } from './stdio/server-process.ts';

/** The key in a request's `_meta` under which its delivery is followed. */
export const deliveryKey = 'axle/delivery';

/** Error codes that a wire answers with in the server's place. From the range that JSON-RPC leaves to implementations. */
export const wireCodes = {
  /** The answer is longer than the limit. */
  oversized: -32_050,
  /** The stream on which the answer was to come ended without it. */
  cutOff: -32_051,
} as const;

/** What a request can have done, as far as the wire knows. */
export type WireEvidence = 'none' | 'unknown';

/** How an HTTP server answered a request, where it was no success. */
export interface HttpRefusal {
  readonly status: number;
  /** True when it no longer knows the session, and so did nothing with the request. */
  readonly sessionExpired: boolean;
  readonly retryAfterMs?: number;
}

export interface RequestFacts {
  readonly evidence: WireEvidence;
  readonly refusal?: HttpRefusal;
  /** True when an answer came that is longer than the limit. */
  readonly isOversized?: boolean;
}

export interface Wire extends Transport {
  /** What is known of the request with this delivery key. One that never came here has done nothing. */
  facts(key: string): RequestFacts;
  /** Ends the following of a request. */
  forget(key: string): void;
  /** How the server's process ended, once it has. */
  readonly end: ServerEnd | undefined;
  /** The processes that serve now: the server's and its watchdog's. */
  readonly processes: readonly number[];
  /** Tells the server that nobody comes back; never throws. */
  goodbye(): Promise<void>;
}

/**
 * Hands a message on. The SDK takes notifications a moment later than answers, and forgets who listens for progress once the answer is there: so the progress
 * that was written right before an answer would be lost if the answer did not wait as long.
 */
export function handOn(message: JSONRPCMessage, receive: (message: JSONRPCMessage) => void): void {
  if ('method' in message) receive(message);
  else queueMicrotask(() => receive(message));
}

/** The delivery key of a message, where it has one. */
export function deliveryKeyOf(message: unknown): string | undefined {
  const key = memberOf(memberOf(memberOf(message, 'params'), '_meta'), deliveryKey);
  return typeof key === 'string' ? key : undefined;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
