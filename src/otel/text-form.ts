/** A text that is made again and again, with other values in a few places: cut once from one that was made the long way. */
export class TextForm {
  readonly #pieces: readonly string[];

  /**
   * Each of `places` is what stands right before a value, in their order in `sample`; a value ends at the next quotation mark.
   * @throws Error when `sample` does not have one of them
   */
  constructor(sample: string, places: readonly string[]) {
    const pieces: string[] = [];
    let reached = 0;
    for (const place of places) {
      const found = sample.indexOf(place, reached);
      if (found < 0) throw new Error(`A text is cut after ${place}, which it does not have.`);
      const begin = found + place.length;
      pieces.push(sample.slice(reached, begin));
      reached = sample.indexOf('"', begin);
    }
    this.#pieces = [...pieces, sample.slice(reached)];
  }

  /** The text with other values in its places. They need no escaping. */
  filled(values: readonly string[]): string {
    const pieces = this.#pieces;
    let text = pieces[0] ?? '';
    for (let index = 0; index < values.length; index += 1) text += (values[index] ?? '') + (pieces[index + 1] ?? '');
    return text;
  }
}
