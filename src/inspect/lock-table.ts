/**
 * Who has which named lock, and who wants one that another call has: from the store alone.
 *
 * K1 What a doubt keeps stands in the status of its run and holds over restarts. Every other lock belongs to the process that drives the store, which announces what it
 *    begins: of a store that nobody drives, only kept locks are held.
 * K2 The order in which calls are served is the driver's, in memory; no entry tells of it. Who wants a lock is told by its state: it is ready, and another call is in its way.
 */
import type { LockMode } from '../call/lock-terms.ts';
import { locksOf } from '../contract/lock-names.ts';
import type { Store } from '../journal/store.ts';
import { wantsAdmission } from '../run/admitted.ts';
import { keptLocks, lockUse } from '../run/call-locks.ts';
import { loadRun } from '../run/load-run.ts';
import type { CallState, RunState } from '../run/state.ts';

/** A call that has a lock, or wants one. */
export interface LockCall {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly mode: LockMode;
}

export interface LockHolder extends LockCall {
  /** True when it keeps the lock because nobody knows whether its effect happened. */
  readonly isInDoubt: boolean;
}

export interface LockRow {
  readonly name: string;
  readonly heldBy: readonly LockHolder[];
  /** Oldest run first; not the order in which they are served (K2). */
  readonly wantedBy: readonly LockCall[];
}

export interface LockTable {
  /** By name; locks that nobody has are in no list. */
  readonly locks: readonly LockRow[];
  /** False when more runs are at work than are read (`maxRuns`). */
  readonly isWhole: boolean;
}

/** Runs that are read at most, the newest. */
export const maxRuns = 1_000;

export interface LockTableOptions {
  /** Whether a process drives the store now. */
  readonly isDriven: boolean;
}

export async function lockTable(store: Store, { isDriven }: LockTableOptions): Promise<LockTable> {
  const kept = await store.runs({ keepsLocks: true, limit: maxRuns });
  const active = isDriven ? await store.runs({ states: ['active'], limit: maxRuns }) : [];
  const held = new Map<string, LockHolder[]>();
  const wanted = new Map<string, LockCall[]>();
  for (const runId of [...new Set([...kept, ...active].map((run) => run.runId))].toSorted()) {
    const state = (await loadRun(store, runId))?.state;
    for (const callState of state?.turn?.calls ?? []) {
      if (state !== undefined) noteCall(state, callState, { held, wanted, isDriven });
    }
  }
  return {
    locks: [...held.keys()].toSorted().map((name) => {
      const heldBy = held.get(name) ?? [];
      return {
        name,
        heldBy,
        wantedBy: (wanted.get(name) ?? []).filter((call) => heldBy.some((holder) => isInWay(holder, call))),
      };
    }),
    isWhole: kept.length < maxRuns && active.length < maxRuns,
  };
}

interface Noted {
  readonly held: Map<string, LockHolder[]>;
  readonly wanted: Map<string, LockCall[]>;
  readonly isDriven: boolean;
}

function noteCall(state: RunState, callState: CallState, { held, wanted, isDriven }: Noted): void {
  const { call, callId, attempts, phase } = callState;
  if (call?.terms.locks === undefined) return;
  const names = locksOf(call.terms.locks, call.input);
  if (names.kind === 'unnamed') return;
  const use = lockUse(state, callId);
  const kept = keptLocks(state).filter((lock) => lock.callId === callId);
  const isLater = phase.kind === 'backing-off' && phase.dueAtMs > state.nowMs;
  const isAsking = isDriven && !isLater && wantsAdmission(state, { call, attempt: attempts + 1 });
  for (const { name, mode } of names.locks) {
    const row: LockCall = { runId: state.runId, callId, tool: call.tool, mode };
    const isKept = kept.some((lock) => lock.name === name);
    // What a process that is gone was at is in doubt, although the next one has not said so yet.
    if (isKept || (isDriven && use === 'needed')) {
      note(held, name, { ...row, isInDoubt: use === 'in-doubt' || !isDriven });
    } else if (isAsking) note(wanted, name, row);
  }
}

function note<T>(rows: Map<string, T[]>, name: string, row: T): void {
  const known = rows.get(name);
  if (known === undefined) rows.set(name, [row]);
  else known.push(row);
}

function isInWay(holder: LockHolder, call: LockCall): boolean {
  const isSame = holder.runId === call.runId && holder.callId === call.callId;
  return !isSame && (holder.mode === 'exclusive' || call.mode === 'exclusive');
}
