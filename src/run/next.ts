/**
 * What a decider answers: pure progress to take now, or what is under way and waited for.
 */
import type { AttemptStarted, Entry, RunKind } from '../journal/entry.ts';
import type { WaitReason } from '../journal/store.ts';
import { needsAdmission } from './admitted.ts';
import type { CallWork } from './call-machine.ts';
import type { RunState } from './state.ts';

/** Work that touches the world outside: carried out by the driver after everything recorded so far is committed. */
export type Work =
  | CallWork
  | { readonly kind: 'ask-model'; readonly key: string; readonly step: number; readonly attempt: number };

/** Progress that needs no waiting: each turns into entries at once (`pipeline.ts`). */
export type Move =
  | { readonly kind: 'record'; readonly entries: readonly Entry[] }
  /** Bind the intents of the open turn that are not taken yet. */
  | { readonly kind: 'bind' }
  /** Ask policy about a bound call. */
  | { readonly kind: 'judge'; readonly callId: string }
  /** Begin a call whose result may be kept from before: look, and attempt it only when there is none. */
  | { readonly kind: 'begin'; readonly callId: string; readonly entry: AttemptStarted }
  /** Turn the result of an attempt into a settlement, another attempt or a doubt. */
  | { readonly kind: 'conclude'; readonly callId: string }
  /** Write down what the model is about to be shown. */
  | { readonly kind: 'prepare-model'; readonly step: number; readonly attempt: number };

export type Next =
  | { readonly kind: 'advance'; readonly moves: readonly Move[] }
  | {
      readonly kind: 'rest';
      readonly work: readonly Work[];
      readonly waitingOn: readonly WaitReason[];
      readonly wakeAtMs?: number;
    }
  | { readonly kind: 'over' };

/** Decides what a run does next, from its state alone. One for each kind of run. */
export type Decider = (state: RunState) => Next;

export type Deciders = Readonly<Record<RunKind, Decider>>;

/** A call that may begin as soon as it is known whether a result of it is kept. */
export type BeginMove = Extract<Move, { kind: 'begin' }>;

/** Nothing more can be decided before somebody has looked whether a result is kept. */
export interface LookUpFirst {
  readonly kind: 'look-up';
  readonly move: BeginMove;
}

/** Announcing an attempt without making it would raise a doubt, so a closing driver does not announce any. */
export function beginsAttempt(move: Move): boolean {
  return (
    move.kind === 'begin' || (move.kind === 'record' && move.entries.some((entry) => entry.type === 'attempt-started'))
  );
}

/** A read that asks nobody for admission: nothing is changed by it, so it need not wait for the commit of its announcement. */
export function isFreeRead(work: Work): work is FreeRead {
  return work.kind === 'attempt' && work.call.terms.effect === 'read' && !needsAdmission(work.call);
}

export type FreeRead = Extract<Work, { kind: 'attempt' }>;
