/**
 * Where every value of a JSON text begins and ends, found in one pass over its bytes. Nothing is parsed: a body of 20 MB is a million values, and only some
 * thirty of them are ever seen at a time.
 *
 * J1 Values are numbered as they begin: a value stands before what is in it, and what is in it directly behind it.
 * J2 The pass can stop after any number of bytes and go on; what it has found by then can be shown.
 *
 * What may come next (`#wants`), and what then:
 *
 *   value       ──a string, a number, a word──► after     ──[──► first-value     ──{──► first-key
 *   first-value ──]──► after, of the array                 otherwise as value
 *   first-key   ──}──► after, of the object                otherwise as key
 *   key         ──a name──► colon ──:──► value
 *   after       ──,──► value in an array, key in an object ──] or }──► after, of what is closed
 *
 * Anything else is a fault. `after` of the outermost value is the end.
 */

const nodeKinds = ['object', 'array', 'string', 'number', 'true', 'false', 'null'] as const;

export type NodeKind = (typeof nodeKinds)[number];

const objectKind = 0;
const arrayKind = 1;
const stringKind = 2;

const noKey = 0xff_ff_ff_ff;
const firstRoom = 256;
/** Deeper than anything that is sent; deeper texts are shown as text. */
const deepest = 1_000;

const quote = 34;
const backslash = 92;
const comma = 44;
const colon = 58;
const openObject = 123;
const closeObject = 125;
const openArray = 91;
const closeArray = 93;

export class JsonIndex {
  readonly bytes: Uint8Array;
  nodeCount = 0;
  /** True when all of the text is indexed. */
  isDone = false;
  /** What is wrong with the text, as the offset of the first byte that does not fit. */
  faultAt: number | undefined;
  /** The first byte of a value. */
  start = new Uint32Array(firstRoom);
  /** The byte after the last one of a value; 0 while it is not closed. */
  end = new Uint32Array(firstRoom);
  parent = new Int32Array(firstRoom);
  /** The number after the last value inside of a value; 0 while it is not closed. */
  next = new Uint32Array(firstRoom);
  /** The quote that begins its name. */
  key = new Uint32Array(firstRoom);
  depth = new Uint16Array(firstRoom);
  kind = new Uint8Array(firstRoom);
  /** How many values are directly inside. */
  count = new Uint32Array(firstRoom);
  #at = 0;
  #open = -1;
  #key = noKey;
  /** What may come: a value, a name, what stands after a name, what stands after a value. */
  #wants: 'value' | 'first-value' | 'key' | 'first-key' | 'colon' | 'after' = 'value';

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** Goes on for so many bytes, or a little more (J2). */
  scan(byteCount: number): void {
    const stop = Math.min(this.bytes.length, this.#at + byteCount);
    while (this.#at < stop && !this.isDone && this.faultAt === undefined) this.#step();
    if (this.#at < this.bytes.length || this.isDone || this.faultAt !== undefined) return;
    if (this.nodeCount > 0 && this.#open < 0) this.isDone = true;
    else this.faultAt = this.bytes.length;
  }

  /** How much of the text is indexed, from 0 to 1. */
  get progress(): number {
    return this.bytes.length === 0 ? 1 : this.#at / this.bytes.length;
  }

  kindOf(node: number): NodeKind {
    return nodeKinds[this.kind[node] ?? 6] ?? 'null';
  }

  isContainer(node: number): boolean {
    return (this.kind[node] ?? 6) <= arrayKind;
  }

  /** The quote that begins the name of a value; undefined for one that has none. */
  keyOf(node: number): number | undefined {
    const key = this.key[node] ?? noKey;
    return key === noKey ? undefined : key;
  }

  /** The number after the last value inside, as far as is known. */
  nextOf(node: number): number {
    const next = this.next[node] ?? 0;
    return next === 0 ? this.nodeCount : next;
  }

  /** The byte after a value, as far as is known. */
  endOf(node: number): number {
    const end = this.end[node] ?? 0;
    return end === 0 ? this.#at : end;
  }

  #step(): void {
    const byte = this.bytes[this.#at] ?? 0;
    if (byte <= 32) {
      if (byte === 32 || byte === 10 || byte === 13 || byte === 9) this.#at += 1;
      else this.#fail();
      return;
    }
    switch (this.#wants) {
      case 'value':
        this.#value(byte);
        return;
      case 'first-value':
        if (byte === closeArray) this.#close();
        else this.#value(byte);
        return;
      case 'first-key':
      case 'key':
        if (byte === closeObject && this.#wants === 'first-key') this.#close();
        else if (byte === quote) this.#name();
        else this.#fail();
        return;
      case 'colon':
        if (byte !== colon) {
          this.#fail();
          return;
        }
        this.#at += 1;
        this.#wants = 'value';
        return;
      case 'after':
        this.#after(byte);
    }
  }

  #value(byte: number): void {
    switch (byte) {
      case openObject:
      case openArray: {
        if (this.#open >= 0 && (this.depth[this.#open] ?? 0) >= deepest) {
          this.#fail();
          return;
        }
        const isObject = byte === openObject;
        this.#open = this.#add(isObject ? objectKind : arrayKind);
        this.#at += 1;
        this.#wants = isObject ? 'first-key' : 'first-value';
        return;
      }
      case quote: {
        const end = this.#stringEnd();
        if (end < 0) this.#fail();
        else this.#addWhole(stringKind, end);
        return;
      }
      default:
        this.#word(byte);
    }
  }

  /** A number or one of the three words; what is in a number is not looked at. */
  #word(byte: number): void {
    const { bytes } = this;
    let end = this.#at + 1;
    for (let next = bytes[end]; next !== undefined && !isEndOfWord(next); next = bytes[end]) end += 1;
    const isNumber = byte === 45 || (byte >= 48 && byte <= 57);
    const length = end - this.#at;
    // `true`, `false`, `null` are told apart by how they begin and how long they are.
    const kind = isNumber
      ? 3
      : byte === 116 && length === 4
        ? 4
        : byte === 102 && length === 5
          ? 5
          : byte === 110 && length === 4
            ? 6
            : -1;
    if (kind < 0) this.#fail();
    else this.#addWhole(kind, end);
  }

  #name(): void {
    const end = this.#stringEnd();
    if (end < 0) {
      this.#fail();
      return;
    }
    this.#key = this.#at;
    this.#at = end;
    this.#wants = 'colon';
  }

  #after(byte: number): void {
    if (this.#open < 0) {
      this.#fail();
      return;
    }
    const isObject = this.kind[this.#open] === objectKind;
    if (byte === comma) {
      this.#at += 1;
      this.#wants = isObject ? 'key' : 'value';
    } else if (byte === (isObject ? closeObject : closeArray)) {
      this.#close();
    } else {
      this.#fail();
    }
  }

  #close(): void {
    const node = this.#open;
    this.#at += 1;
    this.end[node] = this.#at;
    this.next[node] = this.nodeCount;
    this.#open = this.parent[node] ?? -1;
    this.#wants = 'after';
  }

  /** The byte after the quote that ends the string which begins here; -1 when none does. */
  #stringEnd(): number {
    return stringEnd(this.bytes, this.#at);
  }

  #addWhole(kind: number, end: number): void {
    const node = this.#add(kind);
    this.end[node] = end;
    this.next[node] = this.nodeCount;
    this.#at = end;
    this.#wants = 'after';
  }

  #add(kind: number): number {
    const node = this.nodeCount;
    if (node === this.start.length) this.#grow();
    const parent = this.#open;
    this.start[node] = this.#at;
    this.parent[node] = parent;
    this.key[node] = this.#key;
    this.kind[node] = kind;
    this.depth[node] = parent < 0 ? 0 : (this.depth[parent] ?? 0) + 1;
    if (parent >= 0) this.count[parent] = (this.count[parent] ?? 0) + 1;
    this.#key = noKey;
    this.nodeCount += 1;
    return node;
  }

  #fail(): void {
    this.faultAt = this.#at;
  }

  #grow(): void {
    const room = this.start.length * 2;
    this.start = grown(this.start, new Uint32Array(room));
    this.end = grown(this.end, new Uint32Array(room));
    this.parent = grown(this.parent, new Int32Array(room));
    this.next = grown(this.next, new Uint32Array(room));
    this.key = grown(this.key, new Uint32Array(room));
    this.depth = grown(this.depth, new Uint16Array(room));
    this.kind = grown(this.kind, new Uint8Array(room));
    this.count = grown(this.count, new Uint32Array(room));
  }
}

/** The byte after the quote that ends the string which begins at a quote; -1 when none does. */
export function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes += 1;
    // The slashes may reach back to the opening quote and no further: it is no slash.
    if (slashes % 2 === 0) return at + 1;
  }
  return -1;
}

function isEndOfWord(byte: number): boolean {
  return byte <= 32 || byte === comma || byte === closeObject || byte === closeArray || byte === colon;
}

function grown<A extends { set(from: A): void }>(from: A, into: A): A {
  into.set(from);
  return into;
}
