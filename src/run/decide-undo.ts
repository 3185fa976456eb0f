/**
 * A run that takes back what another run did: one call after another, the last effect first.
 *
 *   next step? ──undo──► bound, decided, attempted, settled (call-machine.ts) ──succeeded──► next step
 *      │                                                     └─anything else──► stop, or go on when told to skip
 *      └──unable──► stop, or pass over it when told to skip
 *
 * U1 A call is taken back only after every call that came after it is settled here: the order is the reverse of the order of success.
 * U2 Each step is proposed once. What became of it (a denial, a failure, a doubt) is in the result; nothing here repeats it.
 */
import { failureOf } from '../call/failure.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import type { UndoStep } from '../call/undo.ts';
import type { RunEnding } from '../journal/entry.ts';
import type { JsonValue } from '../util/json.ts';
import { decideCalls } from './decide-turn.ts';
import type { Next } from './next.ts';
import type { RunState } from './state.ts';
import { proposed, type UndoTask } from './undo-parts.ts';

export function decideUndo(state: RunState): Next {
  const { task, turn } = state;
  if (task?.kind !== 'undo' || state.stage === 'ended') return { kind: 'over' };
  if (turn?.calls.some(({ phase }) => phase.kind !== 'settled') === true) return decideCalls(state, turn);
  const outcomes = outcomesOf(state);
  if (turn === undefined) return finish(task, outcomes, state.cancel !== undefined);
  const isStopped = task.onProblem === 'stop' && outcomes.some(({ status }) => status !== 'succeeded');
  if (state.cancel !== undefined || isStopped) return finish(task, outcomes, state.cancel !== undefined);
  return { kind: 'advance', moves: [{ kind: 'bind' }] };
}

/** What became of the steps that were proposed, in their order. */
function outcomesOf({ turn, transcript }: RunState): readonly Outcome[] {
  if (turn !== undefined) {
    return turn.calls.flatMap(({ phase }) => (phase.kind === 'settled' ? [phase.outcome] : []));
  }
  const last = transcript.last();
  return last?.kind === 'results' ? last.results.map(({ outcome }) => outcome) : [];
}

function finish(task: UndoTask, outcomes: readonly Outcome[], isCancelled: boolean): Next {
  const steps = proposed(task);
  const done = steps.slice(0, outcomes.length).map((step, index) => ({ step, outcome: outcomes[index] }));
  const undone = done.filter(({ outcome }) => outcome?.status === 'succeeded').map(({ step }) => named(step));
  const failed = done.filter(({ outcome }) => outcome?.status !== 'succeeded').map(failedStep);
  const unable = task.steps.flatMap((step) =>
    step.kind === 'unable' ? [{ ...named(step), reason: step.reason }] : [],
  );
  const left = task.steps
    .filter((step) => step.kind === 'undo' && !done.some((other) => other.step === step))
    .map(named);
  const output: JsonValue = { of: task.of, undone, failed: failed.map((step) => ({ ...step })), unable, left };
  const { ending, failure } = endingOf(task, { isCancelled, failed, isLeft: left.length > 0, unable });
  return {
    kind: 'advance',
    moves: [
      {
        kind: 'record',
        entries: [{ type: 'run-finished', ending, output, ...(failure === undefined ? {} : { failure }) }],
      },
    ],
  };
}

function named({ callId, tool }: UndoStep): { readonly callId: string; readonly tool: string } {
  return { callId, tool };
}

interface FailedStep {
  readonly callId: string;
  readonly tool: string;
  readonly status: string;
  readonly message: string;
  readonly mayHaveHappened: boolean;
}

function failedStep({ step, outcome }: { readonly step: UndoStep; readonly outcome: Outcome | undefined }): FailedStep {
  const status = outcome?.status ?? 'failed';
  const message =
    outcome?.status === 'failed'
      ? outcome.failure.message
      : outcome !== undefined && 'reason' in outcome
        ? outcome.reason
        : '';
  const mayHaveHappened =
    outcome?.status === 'in-doubt' || (outcome?.status === 'failed' && outcome.effectMayHaveHappened);
  return { ...named(step), status, message, mayHaveHappened };
}

function endingOf(
  { of, onProblem }: UndoTask,
  about: {
    readonly isCancelled: boolean;
    readonly failed: readonly FailedStep[];
    readonly isLeft: boolean;
    readonly unable: readonly { readonly callId: string; readonly tool: string; readonly reason: string }[];
  },
): { readonly ending: RunEnding; readonly failure?: Failure } {
  const { isCancelled, failed, unable } = about;
  if (isCancelled && about.isLeft) return { ending: 'cancelled' };
  const [first] = failed;
  if (first !== undefined) {
    return problem('failed', `Call ${first.callId} (${first.tool}) of ${of} was not taken back: ${first.message}`);
  }
  const [stop] = unable;
  if (onProblem === 'skip' || stop === undefined) return { ending: 'completed' };
  return problem('stopped', `Call ${stop.callId} (${stop.tool}) of ${of} cannot be taken back: ${stop.reason}.`);
}

function problem(ending: RunEnding, message: string): { readonly ending: RunEnding; readonly failure: Failure } {
  return { ending, failure: failureOf('undo-incomplete', message, { evidence: 'none' }) };
}
