/** What makes a run a fork: the steps of another run that it begins with, and the results that answer its side effects. Drawn in `replay/fork-run.ts`. */
import type { TranscriptItem } from '../call/message.ts';
import type { Outcome } from '../call/outcome.ts';

/** The run that a run goes on from, and what it takes along. */
export interface RunFork {
  /** The run that it begins with. */
  readonly of: string;
  /** The first step that is its own; those before are of the other run. */
  readonly step: number;
  /** The last entry of the other run that it shares. */
  readonly seq: number;
  /** What is not as it was there. */
  readonly changed: readonly ForkChange[];
  /** The conversation before its first step. */
  readonly history: readonly TranscriptItem[];
  /** Tools whose side effects may be performed where no result is recorded. */
  readonly live: readonly string[];
  /** Results of the other run after the shared steps, in their order; each answers one call. */
  readonly recorded: readonly RecordedResult[];
  /** Hashes of arguments that were refused, and of those whose effect may have happened: they count here too. */
  readonly denied: readonly string[];
  readonly suspect: readonly string[];
  /** Names of the tools that the model was shown last, when they were a part of those that were granted. */
  readonly tools?: readonly string[];
  /** Tools that it had found and was not shown yet. */
  readonly found: readonly string[];
  /** Arguments that could not be used, when there were any. */
  readonly invalidCalls?: readonly { readonly tool: string; readonly count: number; readonly step: number }[];
}

export const forkChanges = ['model', 'instructions', 'input', 'results'] as const;

export type ForkChange = (typeof forkChanges)[number];

/** What became of a call of another run. */
export interface RecordedResult {
  readonly callId: string;
  readonly tool: string;
  /** Of all arguments that the call had: as it was bound, as a person edited them, as a stand-in got them. */
  readonly argsHashes: readonly string[];
  readonly outcome: Outcome;
}

/** The call is answered by what became of the same call in the run that this one goes on from, and settled by it: nothing is performed. */
export interface CallRecorded {
  readonly type: 'call-recorded';
  readonly callId: string;
  /** The call of the other run. */
  readonly from: string;
  readonly outcome: Outcome;
}
