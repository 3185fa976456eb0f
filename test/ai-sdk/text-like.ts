/** Vitest types its asymmetric matchers as `any`; these are the same ones, typed. */
import { expect } from 'vitest';

/** Equal to any text that contains `part`, or that fits it. */
export function textLike(part: string | RegExp): unknown {
  return typeof part === 'string' ? expect.stringContaining(part) : expect.stringMatching(part);
}
