/** Short texts as bytes, without a string for each. */

const zero = 0x30;
/** Digits of a time in nanoseconds of which `hasUsualDigits` is true. */
export const timeDigits = 19;

/** Writes a text of ASCII alone, and gives the place after it. */
export function writeAscii(text: string, buffer: Uint8Array, at: number): number {
  const target = buffer;
  for (let index = 0; index < text.length; index += 1) target[at + index] = text.charCodeAt(index);
  return at + text.length;
}

/** Writes a whole number from 0 to 2^53, and gives the place after it. */
export function writeWhole(value: number, buffer: Uint8Array, at: number): number {
  if (value >= 1e8) return writeAscii(String(value), buffer, at);
  let end = at + 1;
  for (let power = 10; value >= power; power *= 10) end += 1;
  const target = buffer;
  let rest = value | 0;
  for (let place = end - 1; place >= at; place -= 1) {
    const next = (rest / 10) | 0;
    target[place] = zero + (rest - next * 10);
    rest = next;
  }
  return end;
}

/** True for a time in milliseconds from 2001 to 2286. */
export function hasUsualDigits(atMs: number): boolean {
  return atMs >= 1e12 && atMs < 1e13 - 1;
}

/** Writes a time in milliseconds as nanoseconds, in `timeDigits` digits. */
export function writeNanos(atMs: number, buffer: Uint8Array, at: number): void {
  const micros = Math.round(atMs * 1_000);
  const high = Math.floor(micros / 1e8);
  writeEight(high, buffer, at);
  writeEight(micros - high * 1e8, buffer, at + 8);
  const target = buffer;
  for (let place = at + 16; place < at + timeDigits; place += 1) target[place] = zero;
}

/** Writes a whole number below 10^8 in eight digits. The engine divides it by a multiplication, once it knows that it has 32 bits. */
function writeEight(value: number, buffer: Uint8Array, at: number): void {
  const target = buffer;
  let rest = value | 0;
  for (let place = at + 7; place >= at; place -= 1) {
    const next = (rest / 10) | 0;
    target[place] = zero + (rest - next * 10);
    rest = next;
  }
}
