/** A call as it stands in a text: what it asks for, and from where to where. */

import type { Work } from './brackets.ts';

export interface WrittenCall {
  readonly toolName: string;
  /** The arguments as they are written, or put together from their pieces; read and checked like those of any call. */
  readonly argumentsText: string;
}

/** One or several calls that were read at a place, and where the text goes on behind them. */
export interface CallUnit {
  readonly calls: readonly WrittenCall[];
  readonly end: number;
}

/** Reads what begins at a place, when it has the reader's form. */
export type UnitReader = (text: string, at: number, work: Work) => CallUnit | undefined;

/** What a sticky pattern finds at a place. */
export function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A name as models write it: letters of any script, digits, and what parts them; Markdown escapes included. */
export const namePattern = String.raw`[\p{L}_](?:[\p{L}\p{N}_.:/-]|\\_)*`;
