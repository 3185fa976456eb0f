/**
 * Turns the bytes of a server's standard output into lines, in bounded memory: a line over the limit is counted and
 * thrown away as it comes, and only its first and last bytes are kept to find out what it was.
 */

/** How much of a line over the limit is kept at each end, in bytes. */
const keptBytes = 256;
const newline = 0x0a;

export type Line =
  | { readonly kind: 'line'; readonly text: string }
  | { readonly kind: 'oversized'; readonly head: string; readonly tail: string; readonly sizeBytes: number };

export class LineSplitter {
  readonly #limitBytes: number;
  #parts: Buffer[] = [];
  #sizeBytes = 0;
  #head = '';
  #tail: Buffer = Buffer.alloc(0);
  #oversized = false;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Takes the next bytes and gives the lines that they complete, without their line ends. */
  push(chunk: Buffer): readonly Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      this.#take(chunk.subarray(from, end));
      lines.push(this.#complete());
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
    return lines;
  }

  #take(part: Buffer): void {
    if (part.length === 0) return;
    this.#sizeBytes += part.length;
    if (!this.#oversized) {
      this.#parts.push(part);
      if (this.#sizeBytes <= this.#limitBytes) return;
      this.#oversized = true;
      const whole = Buffer.concat(this.#parts);
      this.#head = whole.subarray(0, keptBytes).toString('utf8');
      this.#tail = Buffer.from(whole.subarray(-keptBytes));
      this.#parts = [];
      return;
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part.subarray(-keptBytes)]).subarray(-keptBytes));
  }

  #complete(): Line {
    const line: Line = this.#oversized
      ? { kind: 'oversized', head: this.#head, tail: this.#tail.toString('utf8'), sizeBytes: this.#sizeBytes }
      : { kind: 'line', text: withoutReturn(Buffer.concat(this.#parts).toString('utf8')) };
    this.#parts = [];
    this.#sizeBytes = 0;
    this.#oversized = false;
    this.#head = '';
    this.#tail = Buffer.alloc(0);
    return line;
  }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

const responseHead =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?(?:"id"\s*:\s*(\d{1,15})\s*,\s*)?"(?:result|error)"\s*:/;
const idAtEnd = /,\s*"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;

/**
 * The id of the request that a response over the limit answers, read from its two ends. Both patterns match only at
 * the top level of the message: what stands before the first value, and what stands right before the last brace.
 */
export function idOfOversized(line: { readonly head: string; readonly tail: string }): number | undefined {
  const start = responseHead.exec(line.head);
  if (start === null) return undefined;
  const id = start[1] ?? idAtEnd.exec(line.tail)?.[1];
  return id === undefined ? undefined : Number(id);
}
