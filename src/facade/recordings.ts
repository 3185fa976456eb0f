/** What an Axle does with the recordings of runs: decides them again, goes on from a step of them, and compares them. */
import type { Brain } from '../brain/brain.ts';
import type { RunTask } from '../journal/entry.ts';
import { compareRuns } from '../replay/compare-runs.ts';
import { forkOf } from '../replay/fork-run.ts';
import type { RunComparison } from '../replay/run-comparison.ts';
import type { ReplayReport } from '../replay/replay-report.ts';
import { type ReplayOptions, replayRun } from '../replay/replay-run.ts';
import type { Engine } from '../run/engine.ts';
import { defined } from '../util/defined.ts';
import { type ForkOptions, readForkOptions } from './fork-options.ts';
import type { RunHandle } from './run-handle.ts';
import type { Acceptance } from './start-run.ts';

export interface Recordings {
  /**
   * Decides the recording of a run again, with no model and no tool, and compares every request and decision byte by byte: `isSame`, or the first `difference`. What
   * cannot be recomputed here is named as `unchecked`. The run may have ended or be under way; nothing is changed.
   * @throws AxleError `run-unknown`, `usage-invalid`, `entry-too-new`, `store-unavailable`, `closed`
   */
  replay(runId: string, options?: ReplayOptions): Promise<ReplayReport>;
  /**
   * Another run that begins with the steps of a run before `at` as its own history, and goes on with something changed. Side effects of the run are not performed again:
   * the same call is answered by what became of it, and one without a recorded result is denied unless its tool is `live`. Durable when it resolves.
   * @throws AxleError `run-unknown`, `model-unknown`, `usage-invalid`, `run-key-reused`, `value-not-storable`, `limit-exceeded`, `store-unavailable`, `closed`
   */
  fork(runId: string, options: ForkOptions): Promise<RunHandle>;
  /**
   * Two runs side by side: where they part, and in what their steps differ.
   * @throws AxleError `run-unknown`, `store-unavailable`, `closed`
   */
  compare(leftRunId: string, rightRunId: string): Promise<RunComparison>;
}

export interface RecordingParts {
  readonly engine: Engine;
  readonly models: ReadonlyMap<string, Brain>;
  readonly assertOpen: () => void;
  /** Puts aliases in the place of real values. */
  readonly conceal: (text: string) => string;
  /** Accepts a run. */
  readonly create: (task: RunTask, accepted: Omit<Acceptance, 'runId' | 'atMs' | 'durability'>) => Promise<RunHandle>;
}

export function recordingsOf({ engine, models, assertOpen, conceal, create }: RecordingParts): Recordings {
  const { store, contract, policy, versions } = engine;
  return {
    replay: async (runId, options = {}) => {
      assertOpen();
      return replayRun(runId, options, { store, contract, policy, retained: (hash) => versions.retained(hash) });
    },
    fork: async (runId, options) => {
      assertOpen();
      const { task, fork, session, context } = await forkOf(
        store,
        runId,
        readForkOptions(options, { models, conceal }),
      );
      return create(task, { ...defined({ key: options.key, session, context }), fork });
    },
    compare: async (leftRunId, rightRunId) => {
      assertOpen();
      return compareRuns(store, leftRunId, rightRunId);
    },
  };
}
