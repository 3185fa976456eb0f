/** The machine's randomness and new identities, as ports. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Ids } from './ids.ts';
import type { Random } from './random.ts';

export const systemRandom: Random = { next: () => randomInt(0, 2 ** 47) / 2 ** 47 };

// Crockford's base 32: no letters that are taken for digits, and sorting by text is sorting by value.
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

/** 9 characters of time (milliseconds, sortable until the year 3084) and 12 of randomness (60 bits). */
export const systemIds: Ids = {
  create: (prefix) => `${prefix}_${timePart(Date.now())}${randomPart()}`,
};

function timePart(nowMs: number): string {
  let rest = nowMs;
  let text = '';
  for (let place = 0; place < 9; place += 1) {
    text = `${digits.charAt(rest % 32)}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function randomPart(): string {
  return Array.from(randomBytes(12), (byte) => digits.charAt(byte % 32)).join('');
}
