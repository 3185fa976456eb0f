/** The hash over what a model is shown: over the instructions, then over each item with all that came before, so that only new items are hashed. */
import type { TranscriptItem } from '../call/message.ts';
import { sha256 } from '../util/hash.ts';

/** 132 bits: written with every model call, compared in replays, never a proof against somebody who can write the journal. */
const contextHashLength = 22;

/** @param shown What came in since `before`, which is empty for the first model call of a run. */
export function contextHashOf(shown: {
  readonly before: string;
  readonly instructions: string;
  readonly items: readonly TranscriptItem[];
}): string {
  const { before, instructions, items } = shown;
  let hash = before === '' ? sha256(instructions).slice(0, contextHashLength) : before;
  for (const item of items) hash = sha256(`${hash}${JSON.stringify(item)}`).slice(0, contextHashLength);
  return hash;
}
