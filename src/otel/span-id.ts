/** Ids of spans. (H1 of `spans-of.ts`) */

/** Two hexadecimal digits for each byte. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const digitCodes = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** Digits of an id. */
const length = 16;

/**
 * The ids of the spans of one run, each 16 hex digits: a function of the run and of the span in it. Two sums of 32 bits over both, each mixed at its end: a few are made
 * for every step, and nobody has to be kept from finding two spans with the same one.
 */
export class SpanIds {
  readonly runId: string;
  readonly #sums: Sums;

  constructor(runId: string) {
    this.runId = runId;
    this.#sums = summed({ one: 0x811c_9dc5, other: 0x9747_b28c }, `${runId}/`);
  }

  of(id: string): string {
    const { one, other } = summed(this.#sums, id);
    return hex(mixed(one ^ (other >>> 7))) + hex(mixed(other ^ id.length));
  }

  /** Writes its digits, without making a text of them. */
  write(id: string, buffer: Uint8Array, at: number): void {
    const { one, other } = summed(this.#sums, id);
    writeHex(mixed(one ^ (other >>> 7)), buffer, at);
    writeHex(mixed(other ^ id.length), buffer, at + length / 2);
  }
}

/** Writes the eight digits of 32 bits. */
function writeHex(bits: number, buffer: Uint8Array, at: number): void {
  const target = buffer;
  let rest = bits;
  for (let place = at + length / 2 - 1; place >= at; place -= 1) {
    target[place] = digitCodes[rest & 0xf] ?? 0;
    rest >>>= 4;
  }
}

interface Sums {
  readonly one: number;
  readonly other: number;
}

function summed(before: Sums, text: string): Sums {
  let { one, other } = before;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x0100_0193);
    other = Math.imul(other ^ unit, 0x5bd1_e995) ^ (other >>> 15);
  }
  return { one, other };
}

/** Every bit of the sum counts for every bit of what comes out. */
function mixed(sum: number): number {
  let bits = sum;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return bits ^ (bits >>> 16);
}

function hex(bits: number): string {
  const at = (shift: number): string => digits[(bits >>> shift) & 0xff] ?? '';
  return at(24) + at(16) + at(8) + at(0);
}
