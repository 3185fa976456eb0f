/** Which values of an index are shown, and finding text in it. */
import type { JsonIndex } from './json-index.ts';

/** Values at this depth and deeper are closed, but for those that were opened or closed by hand. */
export interface JsonOpenness {
  readonly depth: number;
  readonly byHand: ReadonlyMap<number, boolean>;
}

export function isNodeOpen({ depth, byHand }: JsonOpenness, index: JsonIndex, node: number): boolean {
  return byHand.get(node) ?? (index.depth[node] ?? 0) < depth;
}

/** The first value that has a row: the whole has none when there is something in it. */
export function firstNode(index: JsonIndex): number {
  return index.isContainer(0) && (index.count[0] ?? 0) > 0 ? 1 : 0;
}

/** The values that are not inside of a closed one, in order. */
export function shownNodes(index: JsonIndex, openness: JsonOpenness): Int32Array {
  const shown = new Int32Array(index.nodeCount);
  let count = 0;
  for (let node = firstNode(index); node < index.nodeCount;) {
    shown[count] = node;
    count += 1;
    node = index.isContainer(node) && !isNodeOpen(openness, index, node) ? index.nextOf(node) : node + 1;
  }
  return shown.subarray(0, count);
}

/** Values with the text in them or in their name, whatever the case of latin letters. At most `most`. */
export function findNodes(index: JsonIndex, text: string, most = 10_000): Int32Array {
  const wanted = new TextEncoder().encode(JSON.stringify(text).slice(1, -1).toLowerCase());
  const { bytes } = index;
  const first = wanted[0];
  if (first === undefined) return new Int32Array(0);
  const found: number[] = [];
  for (let at = 0; at + wanted.length <= bytes.length && found.length < most; at += 1) {
    if (lower(bytes[at] ?? 0) !== first) continue;
    let length = 1;
    while (length < wanted.length && lower(bytes[at + length] ?? 0) === wanted[length]) length += 1;
    if (length < wanted.length) continue;
    const node = nodeAt(index, at);
    if (found.at(-1) !== node) found.push(node);
    at += length - 1;
  }
  return Int32Array.from(found);
}

/** The innermost value that a byte belongs to; a name belongs to its value. */
function nodeAt(index: JsonIndex, at: number): number {
  let low = 0;
  let high = index.nodeCount - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const start = index.keyOf(middle) ?? index.start[middle] ?? 0;
    if (start <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

function lower(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}
