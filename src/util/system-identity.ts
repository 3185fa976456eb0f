/** The machine's randomness and new identities, as ports. */
import { randomFillSync, randomInt } from 'node:crypto';
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

const randomLength = 12;
/** Random bytes are drawn for many ids at once: asking costs more than the bytes. */
const drawn = new Uint8Array(randomLength * 256);
let used = drawn.length;

function randomPart(): string {
  if (used === drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  let text = '';
  for (const end = used + randomLength; used < end; used += 1) text += digits.charAt((drawn[used] ?? 0) % 32);
  return text;
}
