/** Compensation: what a call did is taken back by a call of the contract that its tool derives for that. */
import type { JsonValue } from '../util/json.ts';

/** The name of the contract that takes back what calls of a tool did. No tool can be declared under it. */
export function undoName(tool: string): string {
  return `${tool}${ending}`;
}

const ending = '~undo';

/** The tool of an undo's name; any other name as it is. */
export function toolOfUndo(name: string): string {
  return name.endsWith(ending) ? name.slice(0, -ending.length) : name;
}

/** One call of a run that may be taken back, as an undo run keeps it. */
export type UndoStep =
  | {
      readonly kind: 'undo';
      /** In the run that is taken back. */
      readonly callId: string;
      readonly tool: string;
      readonly input: JsonValue;
      readonly output: JsonValue;
    }
  /** Nothing can take it back, or it is not known what it did. */
  | { readonly kind: 'unable'; readonly callId: string; readonly tool: string; readonly reason: UnableReason };

/**
 * Why a call cannot be taken back:
 * - `no-undo`: its tool declares none · `tool-missing`: the version that made the call is not registered here
 * - `in-doubt`: nobody knows whether it happened · `may-have-happened`: it failed, and its effect may have happened all the same
 * - `undo-may-have-happened`: an earlier undo of it ended without saying whether it happened
 */
export type UnableReason = (typeof unableReasons)[number];

export const unableReasons = [
  'no-undo',
  'tool-missing',
  'in-doubt',
  'may-have-happened',
  'undo-may-have-happened',
] as const;

/** What a call that cannot be taken back, or whose undo fails, does to those before it. */
export type OnProblem = (typeof problemChoices)[number];

export const problemChoices = ['stop', 'skip'] as const;
