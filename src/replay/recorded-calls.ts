/** What became of the calls of a run, from one state to the next. */
import { argsHashOf } from '../call/args-hash.ts';
import type { Call } from '../call/call.ts';
import type { Outcome } from '../call/outcome.ts';
import type { RecordedResult } from '../journal/fork-entries.ts';
import { type CallPhase, type CallState, findCall, type RunState } from '../run/state.ts';

/** A call that has its outcome. */
export interface SettledCall extends RecordedResult {
  /** True when a tool that had the call may change something. */
  readonly isEffect: boolean;
}

interface Seen {
  readonly tool: string;
  call: Call;
  readonly argsHashes: Set<string>;
  isEffect: boolean;
}

export class RecordedCalls {
  readonly #seen = new Map<string, Seen>();
  readonly #settled: SettledCall[] = [];

  /** In the order in which they were settled. */
  get settled(): readonly SettledCall[] {
    return this.#settled;
  }

  /** Takes in what one entry changed. */
  take(before: RunState, after: RunState): void {
    for (const { callId, toolName, call } of after.turn?.calls ?? []) {
      if (call !== undefined) this.#see(callId, toolName, call);
    }
    for (const { callId, phase } of before.turn?.calls ?? []) {
      if (phase.kind === 'settled') continue;
      const outcome = outcomeIn(after, callId);
      const seen = this.#seen.get(callId);
      if (outcome === undefined || seen === undefined) continue;
      const { tool, argsHashes, isEffect } = seen;
      this.#settled.push({ callId, tool, argsHashes: [...argsHashes], outcome, isEffect });
    }
  }

  /** Hashes of the arguments of side effects that were begun and have no outcome: under way, in doubt, or about to be tried again. */
  unsettledIn({ turn }: RunState): readonly string[] {
    return (turn?.calls ?? []).flatMap(({ callId, phase }) => {
      const seen = this.#seen.get(callId);
      return seen?.isEffect === true && wasBegun(phase) ? [...seen.argsHashes] : [];
    });
  }

  /** A call may get other arguments and another tool on its way: an answer, a migration, a stand-in. */
  #see(callId: string, tool: string, call: Call): void {
    const seen = this.#seen.get(callId) ?? { tool, call, argsHashes: new Set(), isEffect: false };
    if (seen.argsHashes.size > 0 && seen.call === call) return;
    seen.call = call;
    seen.argsHashes.add(call.argsHash ?? argsHashOf(call));
    seen.isEffect ||= call.terms.effect !== 'read';
    this.#seen.set(callId, seen);
  }
}

function wasBegun({ kind }: CallPhase): boolean {
  return kind !== 'bound' && kind !== 'asking' && kind !== 'ready' && kind !== 'settled';
}

/** The outcome of a call, in the open turn or in the one that was just closed. */
export function outcomeIn(state: RunState, callId: string): Outcome | undefined {
  const open: CallState | undefined = findCall(state, callId);
  if (open !== undefined) return open.phase.kind === 'settled' ? open.phase.outcome : undefined;
  const last = state.transcript.last();
  // A message that waited for the end of the turn may stand behind its results.
  const results = last?.kind === 'results' ? last : state.transcript.items().findLast(({ kind }) => kind === 'results');
  return results?.kind === 'results' ? results.results.find((each) => each.callId === callId)?.outcome : undefined;
}
