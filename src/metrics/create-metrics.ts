/** Metrics of the runs that a process drives, as text for Prometheus. */
import process from 'node:process';
import { performance } from 'node:perf_hooks';
import type { UpstreamView } from '../execute/upstreams/upstreams.ts';
import { FollowedRuns, type Follower } from '../live/follow-runs.ts';
import { Later } from '../live/later.ts';
import type { Store, WaitReason } from '../journal/store.ts';
import type { Watcher } from '../run/engine.ts';
import { BreakerTransitions } from './breaker-transitions.ts';
import {
  breakerStates,
  countAppend,
  type Counters,
  type Metrics,
  newMemory,
  rememberAppend,
  type RunMemory,
} from './count-entries.ts';
import type { Declared } from './declare.ts';
import { genAiTable } from './gen-ai-table.ts';
import { metricTable } from './metric-table.ts';
import { exposition, Metric } from './registry.ts';
import { Timings, watchStore } from './watch-store.ts';

/** The content type of `text()`. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Runs of one state that are looked at for gauges; of more, the gauges count these. */
const maxLookedAt = 10_000;
const pageSize = 1_000;
/** How long what was committed may wait to be counted, so that values are not kept for it. A reader counts it at once. */
const countWithinMs = 1_000;

export interface MetricsOptions {
  /** The version of your program, for `axle_build_info`. @defaultValue `''` */
  readonly version?: string;
}

interface Observed {
  readonly store: Store;
  upstreams(): Promise<readonly UpstreamView[]>;
}

/** Counters live as long as the process; gauges of runs are those of the store. */
export interface AxleMetrics {
  /** For `observers` of `createAxle`; one Axle at a time. */
  observe(observed: Observed): Watcher;
  /** For whoever opens an Axle: the store to use in place of this one, so that its errors and the time of its commits are known. */
  watchStore(store: Store): Store;
  /** All metrics in the text format 0.0.4. Never rejects: what cannot be read is counted as an error of its own. */
  text(): Promise<string>;
  /**
   * Where everything that is counted stands, for an exporter with names of its own. Never rejects.
   * `gauges: false` leaves out the gauges, and looks nothing up: for the end, when the store is closed. @defaultValue `{ gauges: true }`
   */
  read(options?: { readonly gauges: boolean }): Promise<MetricsReading>;
}

/** What metrics stood at, once. */
export interface MetricsReading {
  /** When counting began, in milliseconds since 1970. */
  readonly sinceMs: number;
  /** What Prometheus is shown, and what it is not. */
  readonly metrics: readonly Pick<Metric, 'declaration' | 'series'>[];
}

/**
 * @example
 * ```ts
 * const metrics = createMetrics();
 * await using axle = await createAxle({ store: 'axle.db', observers: [metrics] });
 * console.log(await metrics.text());
 * ```
 */
export function createMetrics({ version = '' }: MetricsOptions = {}): AxleMetrics {
  const metrics = metricsOf(metricTable);
  const genAi = metricsOf(genAiTable);
  const sinceMs = Date.now();
  const transitions = new BreakerTransitions(metrics.axle_breaker_transitions_total, sinceMs);
  metrics.axle_build_info.set({ version, node: process.versions.node }, 1);
  metrics.process_start_time_seconds.set({}, performance.timeOrigin / 1_000);
  let observed: Observed | undefined;
  let followed: FollowedRuns<RunMemory> | undefined;
  let later: Later | undefined;
  let timer: NodeJS.Timeout | undefined;
  const commits = new Timings(metrics.axle_checkpoint_duration_seconds);
  const countWaiting = (): void => {
    later?.tell();
    commits.observe();
  };
  const look = async (): Promise<void> => {
    metrics.axle_runs_in_hand.set({}, followed?.size ?? 0);
    metrics.process_resident_memory_bytes.set({}, process.memoryUsage.rss());
    const { user, system } = process.cpuUsage();
    metrics.process_cpu_seconds_total.set({}, (user + system) / 1_000_000);
    try {
      if (observed !== undefined) {
        await lookAtStore(metrics, observed);
        await lookAtUpstreams(metrics, { observed, transitions });
      }
    } catch {
      metrics.axle_observer_errors_total.add();
    }
  };
  return {
    observe: (given) => {
      observed = given;
      followed = new FollowedRuns(given.store, followerOf({ metrics, genAi, transitions }));
      const told = new Later(
        followed,
        () => {
          timer ??= setTimeout(() => {
            timer = undefined;
            told.tell();
          }, countWithinMs).unref();
        },
        () => performance.now(),
      );
      later = told;
      return told;
    },
    watchStore: (store) =>
      watchStore(store, {
        errors: metrics.axle_store_errors_total,
        commits,
      }),
    text: async () => {
      countWaiting();
      await look();
      return exposition(Object.values(metrics));
    },
    read: async ({ gauges } = { gauges: true }) => {
      countWaiting();
      if (gauges) await look();
      const all: readonly Metric[] = [...Object.values(metrics), ...Object.values(genAi)];
      return { sinceMs, metrics: all.filter(({ declaration }) => gauges || declaration.type !== 'gauge') };
    },
  };
}

function followerOf(counters: Counters): Follower<RunMemory> {
  const { metrics, genAi } = counters;
  return {
    begin: newMemory,
    take: (memory, append, nowMs) => {
      if (nowMs === undefined) rememberAppend(memory, append);
      else countAppend(memory, append, { ...counters, nowMs });
    },
    hears: ({ kind }) => kind.endsWith('-delta'),
    said: (memory, _, nowMs) => {
      if (memory.modelStartedAtMs === undefined) return;
      const waited = (nowMs - memory.modelStartedAtMs) / 1_000;
      delete memory.modelStartedAtMs;
      metrics.axle_model_time_to_first_chunk_seconds.observe({ model: memory.model }, waited);
      genAi.model_first_chunk.observe({ model: memory.model }, waited);
    },
    blind: () => metrics.axle_observer_errors_total.add(),
  };
}

function metricsOf<Name extends string>(table: Readonly<Record<Name, Declared>>): Readonly<Record<Name, Metric>> {
  const declarations: readonly (readonly [string, Declared])[] = Object.entries(table);
  const made = declarations.map(([name, declaration]) => [name, new Metric({ name, ...declaration })]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one metric for each name of the table.
  return Object.fromEntries(made) as Readonly<Record<Name, Metric>>;
}

/** Gauges that no process knows from what it drives alone. */
async function lookAtStore(metrics: Metrics, observed: Observed): Promise<void> {
  const { store } = observed;
  const waits: Record<WaitReason['kind'], number> = {
    approval: 0,
    authorization: 0,
    doubt: 0,
    timer: 0,
    message: 0,
    held: 0,
  };
  for (const state of ['active', 'waiting', 'held'] as const) {
    let count = 0;
    let beforeRunId: string | undefined;
    while (count < maxLookedAt) {
      const page = await store.runs({
        states: [state],
        limit: pageSize,
        ...(beforeRunId === undefined ? {} : { beforeRunId }),
      });
      for (const { status } of page) for (const { kind } of status.waitingOn) waits[kind] += 1;
      count += page.length;
      beforeRunId = page.at(-1)?.runId;
      if (page.length < pageSize) break;
    }
    metrics.axle_runs.set({ state }, count);
  }
  metrics.axle_approvals_pending.set({}, waits.approval);
  metrics.axle_authorizations_pending.set({}, waits.authorization);
  metrics.axle_in_doubt_calls.set({}, waits.doubt);
}

async function lookAtUpstreams(
  metrics: Metrics,
  { observed, transitions }: { readonly observed: Observed; readonly transitions: BreakerTransitions },
): Promise<void> {
  for (const view of await observed.upstreams()) {
    const { name, breaker, live } = view;
    metrics.axle_breaker_state.set({ upstream: name }, breakerStates[breaker.kind]);
    metrics.axle_queue_depth.set({ upstream: name }, live?.waiting ?? 0);
    // Whoever drives nothing sees what others count.
    if (live !== undefined) transitions.seen(view);
  }
}
