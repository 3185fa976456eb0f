/**
 * The text of a span, in bytes, that is written again and again with other values in a few places: cut once from one that was made the long way.
 *
 *   block, in which ids and times have their places │ value │ piece │ value │ piece ...
 */
import { writeAscii } from './write-text.ts';

/** Where ids and times stand in the block. Their lengths are always the same. */
interface FixedPlaces {
  readonly trace: number;
  readonly span: number;
  readonly parent: number;
  readonly start: number;
  readonly end: number;
}

const quotationMark = 0x22;

export class SpanForm {
  readonly #block: Uint8Array;
  readonly #pieces: readonly Uint8Array[];
  readonly places: FixedPlaces;
  /** Its bytes without the open values. */
  readonly length: number;

  private constructor(block: Uint8Array, pieces: readonly Uint8Array[], places: FixedPlaces) {
    this.#block = block;
    this.#pieces = pieces;
    this.places = places;
    this.length = pieces.reduce((sum, piece) => sum + piece.length, block.length);
  }

  /**
   * From the text of a span that has a parent. Each of `open` is what stands right before a value of any length, up to the next quotation mark, in their order.
   * @throws Error when the text does not have one of them behind its times
   */
  static cut(sample: string, open: readonly string[]): SpanForm {
    const bytes = Buffer.from(sample);
    let reached = 0;
    const after = (place: string): number => {
      const found = bytes.indexOf(place, reached);
      if (found < 0) throw new Error(`A span has no ${place}, after which its text is to be cut.`);
      reached = found + Buffer.byteLength(place);
      return reached;
    };
    const places = {
      trace: after('"traceId":"'),
      span: after('"spanId":"'),
      parent: after('"parentSpanId":"'),
      start: after('"startTimeUnixNano":"'),
      end: after('"endTimeUnixNano":"'),
    };
    const cuts = open.map((place) => ({ at: after(place), on: bytes.indexOf(quotationMark, reached) }));
    const block = bytes.subarray(0, cuts[0]?.at);
    const pieces = cuts.map(({ on }, index) => bytes.subarray(on, cuts[index + 1]?.at));
    return new SpanForm(block, pieces, places);
  }

  /** The same for the spans of one run whose parent is its root. */
  ofRun({ traceId, root }: { readonly traceId: string; readonly root: string }): SpanForm {
    const block = Uint8Array.from(this.#block);
    writeAscii(traceId, block, this.places.trace);
    writeAscii(root, block, this.places.parent);
    return new SpanForm(block, this.#pieces, this.places);
  }

  /** Writes the block, and gives the place after it. */
  begin(buffer: Uint8Array, at: number): number {
    buffer.set(this.#block, at);
    return at + this.#block.length;
  }

  /** Writes what stands after the open value of this number, from 0, and gives the place after it. */
  goOn(value: number, buffer: Uint8Array, at: number): number {
    const piece = this.#pieces[value];
    if (piece === undefined) return at;
    buffer.set(piece, at);
    return at + piece.length;
  }
}
