/**
 * The port to kept results of reads. One suite (`test/journal/result-cache-suite.ts`) runs against every implementation.
 *
 * Q1 What is got is what was put under the key last, as long as it has not expired and was not cleared.
 * Q2 A result whose attempt began before the last clearing of its tool is not kept: what a clearing was for may have happened during the attempt.
 * Q3 It holds at most `cacheLimits`; what has expired goes first, then what was put first.
 * Q4 It is only a cache: losing it costs repeated reads, and whoever uses it goes on without it when it fails.
 */
import type { JsonValue } from '../util/json.ts';

export interface KeptResult {
  /** SHA-256 over contract, arguments and scope. */
  readonly key: string;
  readonly tool: string;
  readonly output: JsonValue;
  /** The call that it was the result of. */
  readonly runId: string;
  readonly callId: string;
  /** When the attempt began that brought it, in milliseconds since 1970: what changed since is not in it. */
  readonly storedAtMs: number;
  readonly expiresAtMs: number;
}

export interface ResultCache {
  get(key: string): Promise<KeptResult | undefined>;
  put(result: KeptResult): Promise<void>;
  /** Forgets the results of a tool, or all. Resolves with how many there were. */
  clear(what: { readonly tool?: string; readonly atMs: number }): Promise<number>;
}

export const cacheLimits = {
  entries: 10_000,
  /** Characters of JSON text in all. */
  length: 64 * 1024 * 1024,
  /** Characters of JSON text of one result; a larger one is not kept. */
  resultLength: 256 * 1024,
} as const;
