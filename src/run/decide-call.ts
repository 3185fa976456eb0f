/** A run of one governed call, asked for by any brain from outside: the same machine without a model. */
import { failureOf } from '../call/failure.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import type { Entry, RunEnding } from '../journal/entry.ts';
import { decideTurn } from './decide-turn.ts';
import type { Next } from './next.ts';
import type { RunState } from './state.ts';

export function decideSingleCall(state: RunState): Next {
  if (state.stage === 'ended') return { kind: 'over' };
  if (state.turn !== undefined) return decideTurn(state, state.turn);
  const results = state.transcript.last();
  const outcome = results?.kind === 'results' ? results.results[0]?.outcome : undefined;
  return { kind: 'advance', moves: [{ kind: 'record', entries: [finished(outcome)] }] };
}

function finished(outcome: Outcome | undefined): Entry {
  switch (outcome?.status) {
    case 'succeeded':
      return { type: 'run-finished', ending: 'completed', output: outcome.output };
    case 'cancelled':
      return ended('cancelled');
    case 'failed':
      return ended('failed', outcome.failure);
    case 'denied':
      return ended('failed', failureOf(outcome.code, outcome.reason, { evidence: 'none' }));
    case 'in-doubt':
      return ended('failed', failureOf('call-in-doubt', outcome.reason, { evidence: 'unknown' }));
    case undefined:
      return ended('failed', failureOf('internal', 'The call left no outcome.', { evidence: 'unknown' }));
  }
}

function ended(ending: RunEnding, failure?: Failure): Entry {
  return { type: 'run-finished', ending, output: null, ...(failure === undefined ? {} : { failure }) };
}
