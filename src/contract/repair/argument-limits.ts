/** How large the arguments of one call may be. Held before a text is parsed, and again on values that come without one. */

export const argumentLimits = {
  /** Bytes of the whole text as UTF-8. */
  sizeBytes: 1_048_576,
  /** Objects and arrays inside each other. */
  depth: 64,
  /** Keys of all objects together. */
  keys: 10_000,
  /** Values of all arrays and objects together. */
  values: 100_000,
  /** UTF-16 code units of one text. */
  stringLength: 262_144,
} as const;

/** Keys that reach the prototype of an object in careless code. Nobody's tool needs them. */
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function isForbiddenKey(key: string): boolean {
  return forbiddenKeys.has(key);
}

/** Whether the text is larger than its limit as UTF-8. */
export function isTooLarge(text: string): boolean {
  if (text.length * 3 <= argumentLimits.sizeBytes) return false;
  return text.length > argumentLimits.sizeBytes || new TextEncoder().encode(text).length > argumentLimits.sizeBytes;
}
