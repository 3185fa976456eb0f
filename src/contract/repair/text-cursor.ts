/** A place in the text of a model's arguments, and what is said when reading cannot go on there. */
import { cutText } from '../../util/cut-text.ts';
import type { RepairLog } from './repair-log.ts';

/** What is said of a fault may quote the text, of which a model can send a lot. */
const maxWhatLength = 300;

/** Why a text was not read. */
export type ArgumentsCode =
  | 'arguments-invalid'
  | 'arguments-unreadable'
  | 'arguments-truncated'
  | 'arguments-ambiguous'
  | 'arguments-too-large';

/** Ends the reading of a text. Thrown and caught within `repair/`; from the outside it is a value. */
export class TextFault extends Error {
  override readonly name = 'TextFault';
  readonly code: ArgumentsCode;

  constructor(code: ArgumentsCode, message: string) {
    super(message);
    this.code = code;
  }
}

export class TextCursor {
  readonly text: string;
  readonly log: RepairLog;
  at = 0;

  constructor(text: string, log: RepairLog) {
    this.text = text;
    this.log = log;
  }

  get ended(): boolean {
    return this.at >= this.text.length;
  }

  /** The character here, `''` at the end. */
  get char(): string {
    return this.text.charAt(this.at);
  }

  /** What a sticky pattern finds exactly here; moves behind it. */
  take(pattern: RegExp): string | undefined {
    const found = this.look(pattern);
    if (found !== undefined) this.at += found.length;
    return found;
  }

  /** What a sticky pattern finds exactly here. */
  look(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0];
  }

  /** Moves over white space, comments included. */
  skipSpace(path: string): void {
    for (;;) {
      this.take(/[ \t\n\r]*/y);
      const space = this.take(/[\s\u200b\ufeff]+/y);
      const comment = space === undefined ? this.take(/(?:\/\/|#)[^\n]*|\/\*(?:[^]*?\*\/|[^]*$)/y) : undefined;
      if (space !== undefined) this.log.add('unusual-space', path, { before: space, after: ' ' });
      else if (comment !== undefined) this.log.add('comment', path, { before: comment });
      else return;
    }
  }

  /** A fault here. At the end of the text it is always the end that is wrong: what is missing there cannot be known. */
  fault(code: ArgumentsCode, what: string): TextFault {
    if (this.ended && code !== 'arguments-too-large') {
      return new TextFault('arguments-truncated', `they end in the middle, after ${this.#before()}`);
    }
    return new TextFault(code, `${cutText(what, maxWhatLength)} (at character ${this.at + 1}: ${this.#here()})`);
  }

  #here(): string {
    const rest = this.text.slice(this.at, this.at + 40).toWellFormed();
    return `${JSON.stringify(rest)}${this.at + 40 < this.text.length ? '…' : ''}`;
  }

  #before(): string {
    return JSON.stringify(this.text.slice(Math.max(0, this.text.length - 30)).toWellFormed());
  }
}
