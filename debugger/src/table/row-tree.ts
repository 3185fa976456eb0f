/**
 * The rows of a table as a tree that is walked without recursion. Rows come in the order in which the journal tells of them, children of several parents
 * mixed.
 */
import type { SpanColumns } from '../../../src/trace/table/span-columns.ts';

export class RowTree {
  /** The first child of each row, -1 for none. */
  firstChild = new Int32Array(256).fill(-1);
  nextSibling = new Int32Array(256).fill(-1);
  depth = new Uint16Array(256);
  rowCount = 0;
  #lastChild = new Int32Array(256).fill(-1);

  /** Takes in the rows that are new in the table; what it has stays. */
  grow({ parent, rowCount }: Pick<SpanColumns, 'parent' | 'rowCount'>): void {
    this.#makeRoom(rowCount);
    for (let row = this.rowCount; row < rowCount; row += 1) {
      const above = parent[row] ?? -1;
      if (above < 0) continue;
      this.depth[row] = (this.depth[above] ?? 0) + 1;
      const before = this.#lastChild[above] ?? -1;
      if (before < 0) this.firstChild[above] = row;
      else this.nextSibling[before] = row;
      this.#lastChild[above] = row;
    }
    this.rowCount = rowCount;
  }

  hasChildren(row: number): boolean {
    return (this.firstChild[row] ?? -1) >= 0;
  }

  #makeRoom(rowCount: number): void {
    if (rowCount <= this.depth.length) return;
    const room = Math.max(rowCount, this.depth.length * 2);
    this.firstChild = grown(this.firstChild, room);
    this.nextSibling = grown(this.nextSibling, room);
    this.#lastChild = grown(this.#lastChild, room);
    const depth = new Uint16Array(room);
    depth.set(this.depth);
    this.depth = depth;
  }
}

function grown(from: Int32Array<ArrayBuffer>, room: number): Int32Array<ArrayBuffer> {
  const into = new Int32Array(room).fill(-1);
  into.set(from);
  return into;
}
