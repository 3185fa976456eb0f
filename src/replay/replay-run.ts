/**
 * Replay: reads the recording of a run, folds it, and decides it again, with no model and no tool. (O3)
 *
 * P1 It changes nothing: the store is read, and nothing else is called.
 * P2 It stops at the first difference, since everything after it follows from something else.
 * P3 A recording of an older release is brought to today's form first, as whenever it is read.
 */
import { pinsIn } from '../journal/pins-in.ts';
import { type Fields, optionalNumber, refuseUnknown } from '../contract/declare/fields.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import { unknownRun } from '../journal/checks.ts';
import { type Append, type Entry, lastSeqOf } from '../journal/entry.ts';
import { maxReadAppends } from '../journal/limits.ts';
import type { Store } from '../journal/store.ts';
import type { Policy } from '../policy/policy.ts';
import { snapshotVersion, toSnapshot } from '../run/load-run.ts';
import { newState, type RunState } from '../run/state.ts';
import { isJsonObject, isRecord, type JsonValue } from '../util/json.ts';
import { firstDifference, jsonOf } from './first-difference.ts';
import { type KnownCode, RecordedCode } from './recorded-code.ts';
import { type Difference, Redecision, type Verdict } from './redecide.ts';
import type { ReplayDifference, ReplayedEntry, ReplayReport, Unchecked } from './replay-report.ts';

export interface ReplayPorts extends KnownCode {
  readonly store: Store;
  /** The policy that runs are driven with here; undefined where it is not known, for a recording without its configuration. */
  readonly policy: Policy | undefined;
}

export interface ReplayOptions {
  /** Tells how each entry of this step was replayed. */
  readonly step?: number;
}

function assertReplayOptions(options: ReplayOptions): void {
  const values: unknown = options;
  if (!isRecord(values)) throw new AxleError('usage-invalid', 'replay takes an object with its options.');
  const fields: Fields = { owner: 'replay', values, code: 'usage-invalid' };
  refuseUnknown(fields, ['step']);
  optionalNumber(fields, 'step', { from: 0, to: 1_000_000, whole: true });
}

/** Entries of which the report says why they could not be recomputed. */
const maxReasons = 100;

/** @throws AxleError `run-unknown`, `usage-invalid`, `store-unavailable`, `entry-too-new` */
export async function replayRun(runId: string, options: ReplayOptions, ports: ReplayPorts): Promise<ReplayReport> {
  assertReplayOptions(options);
  const { store, policy } = ports;
  const summary = await store.run(runId);
  if (summary === undefined) throw unknownRun(runId);
  const code = new RecordedCode(store, ports);
  const redecision = new Redecision(newState(runId), code, policy);
  const replay = new Replay(redecision, options.step);
  const snapshot = await store.snapshot(runId);
  let afterSeq = 0;
  let limit = maxReadAppends;
  for (;;) {
    let page: readonly Append[];
    try {
      page = await store.read(runId, { afterSeq, limit });
    } catch (error) {
      if (!isAxleError(error, 'entry-invalid')) throw error;
      if (limit === 1) return replay.report(runId, damaged(afterSeq + 1, redecision.state, messageOf(error)));
      // One by one, to the append that is not what was written.
      limit = 1;
      continue;
    }
    for (const append of page) {
      await code.load(append.entries.flatMap(pinsIn));
      const difference = replay.take(append);
      if (difference !== undefined) return replay.report(runId, difference);
      const stale =
        snapshot?.seq === redecision.state.seq ? snapshotFault(snapshot.state, redecision.state) : undefined;
      if (stale !== undefined) return replay.report(runId, stale);
      afterSeq = lastSeqOf(append);
    }
    if (page.length < limit) return replay.report(runId, undefined);
  }
}

function damaged(seq: number, { step }: RunState, message: string): ReplayDifference {
  return { seq, step, law: 'checksum', path: '', message };
}

/** The recording, entry by entry, and what became of each. */
class Replay {
  readonly #redecision: Redecision;
  readonly #wanted: number | undefined;
  readonly #step: ReplayedEntry[] = [];
  readonly #unchecked: Unchecked[] = [];
  readonly #counts = { checked: 0, taken: 0, unchecked: 0 };

  constructor(redecision: Redecision, wanted: number | undefined) {
    this.#redecision = redecision;
    this.#wanted = wanted;
  }

  take(append: Append): ReplayDifference | undefined {
    const started = this.#redecision.begin(append);
    if (started !== undefined) return this.#at(started, append.firstSeq, append.entries[0]);
    for (const [index, entry] of append.entries.entries()) {
      const seq = append.firstSeq + index;
      const verdict = this.#redecision.take(entry);
      if (verdict.kind === 'different') return this.#at(verdict, seq, entry);
      this.#note(seq, entry, verdict);
    }
    const ended = this.#redecision.end(append);
    return ended === undefined ? undefined : this.#at(ended, lastSeqOf(append) + 1, undefined);
  }

  #note(seq: number, { type }: Entry, verdict: Exclude<Verdict, Difference>): void {
    const { state } = this.#redecision;
    this.#counts[verdict.kind] += 1;
    const reason =
      verdict.kind === 'unchecked' ? verdict.reason : verdict.kind === 'checked' ? verdict.unchecked : undefined;
    if (reason !== undefined && this.#unchecked.length < maxReasons) this.#unchecked.push({ seq, type, reason });
    if (state.step === this.#wanted) this.#step.push({ seq, step: state.step, type, how: verdict.kind });
  }

  #at(different: Difference, seq: number, entry: Entry | undefined): ReplayDifference {
    const { step } = this.#redecision.state;
    const { kind: _, ...difference } = different;
    return { seq, step, ...(entry === undefined ? {} : { type: entry.type }), ...difference };
  }

  report(runId: string, difference: ReplayDifference | undefined): ReplayReport {
    const { state } = this.#redecision;
    const { checked, taken, unchecked } = this.#counts;
    return {
      runId,
      isSame: difference === undefined,
      entries: checked + taken + unchecked,
      steps: state.step,
      checked,
      taken,
      uncheckedCount: unchecked,
      unchecked: this.#unchecked,
      ...(difference === undefined ? {} : { difference }),
      ...(this.#wanted === undefined ? {} : { step: this.#step }),
    };
  }
}

/** What the store keeps of a run so that a resume need not fold it all. */
function snapshotFault(kept: JsonValue, state: RunState): ReplayDifference | undefined {
  // One of another form is ignored by a resume, and says nothing.
  if (!isJsonObject(kept) || kept['version'] !== snapshotVersion) return undefined;
  const difference = firstDifference({ snapshot: kept }, jsonOf({ snapshot: toSnapshot(state).state }));
  if (difference === undefined) return undefined;
  const { path, left, right } = difference;
  return {
    seq: state.seq,
    step: state.step,
    law: 'snapshot',
    path,
    message: 'The kept state of the run is not what its journal leads to.',
    ...(left === undefined ? {} : { recorded: left }),
    ...(right === undefined ? {} : { recomputed: right }),
  };
}
