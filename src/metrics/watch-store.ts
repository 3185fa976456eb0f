/**
 * A store whose errors are counted and whose commits are timed. The promises of the store itself are handed on, so nobody waits longer for being watched.
 *
 * Answers that a store gives for what was asked (a key that is taken, a run that has ended, an owner that has changed) are none of its errors.
 */
import { performance } from 'node:perf_hooks';
import { isAxleError } from '../error/axle-error.ts';
import type { ErrorCode } from '../error/catalogue.ts';
import type { Store } from '../journal/store.ts';
import { wrapStore } from '../journal/wrap-store.ts';
import type { Metric } from './registry.ts';

export interface StoreMetrics {
  readonly errors: Metric;
  readonly commits: Timings;
}

/** How long commits and syncs took, observed many at once. */
export class Timings {
  readonly #metric: Metric;
  readonly #waiting: Record<'commit' | 'sync', number[]> = { commit: [], sync: [] };

  /** The metric is in seconds and has the label `stage`. */
  constructor(metric: Metric) {
    this.#metric = metric;
  }

  add(stage: 'commit' | 'sync', tookMs: number): void {
    const waiting = this.#waiting[stage];
    waiting.push(tookMs);
    if (waiting.length >= maxTimings) this.observe();
  }

  /** Observes what waits for it. */
  observe(): void {
    for (const stage of ['commit', 'sync'] as const) {
      const labels = { stage };
      for (const tookMs of this.#waiting[stage]) this.#metric.observe(labels, tookMs / 1_000);
      this.#waiting[stage] = [];
    }
  }
}

const maxTimings = 512;

const answers: ReadonlySet<string> = new Set([
  'append-fenced',
  'append-outdated',
  'run-key-reused',
  'run-unknown',
  'run-ended',
  'limit-exceeded',
  // Whoever has closed it is not told anything new.
  'store-closed',
] satisfies ErrorCode[]);

/** There with 0 from the beginning, so that a rate can be taken of the first one. */
const expected = {
  operations: ['create', 'claim', 'append', 'synced', 'read', 'run', 'runs', 'post', 'posts', 'due'],
  codes: ['store-unavailable', 'store-failed'] satisfies ErrorCode[],
} as const;

export function watchStore(store: Store, { errors, commits }: StoreMetrics): Store {
  for (const operation of expected.operations) {
    for (const code of expected.codes) errors.add({ operation, code }, 0);
  }
  const failed = (operation: string) => (error: unknown) => {
    const code = isAxleError(error) ? error.code : 'unknown';
    if (!answers.has(code)) errors.add({ operation, code });
  };
  const counted = <T>(operation: string, work: Promise<T>): Promise<T> => {
    work.then(undefined, failed(operation));
    return work;
  };
  /** Made once for what happens in each turn. */
  const timed = (stage: 'commit' | 'sync', operation: string) => {
    const onFailed = failed(operation);
    return <T>(work: Promise<T>): Promise<T> => {
      const beganMs = performance.now();
      work.then(() => commits.add(stage, performance.now() - beganMs), onFailed);
      return work;
    };
  };
  const create = timed('commit', 'create');
  const append = timed('commit', 'append');
  const synced = timed('sync', 'synced');
  return wrapStore(store, {
    create: (run) => create(store.create(run)),
    append: (batch) => append(store.append(batch)),
    synced: (position) => synced(store.synced(position)),
    claim: (runId) => counted('claim', store.claim(runId)),
    read: (runId, options) => counted('read', store.read(runId, options)),
    body: (hash) => counted('body', store.body(hash)),
    snapshot: (runId) => counted('snapshot', store.snapshot(runId)),
    run: (runId) => counted('run', store.run(runId)),
    runs: (filter) => counted('runs', store.runs(filter)),
    post: (post) => counted('post', store.post(post)),
    posts: (runId, cursor) => counted('posts', store.posts(runId, cursor)),
    postWithKey: (runId, uniqueKey) => counted('post-with-key', store.postWithKey(runId, uniqueKey)),
    due: (nowMs, limit) => counted('due', store.due(nowMs, limit)),
    nextWakeAtMs: () => counted('next-wake', store.nextWakeAtMs()),
    upstreams: () => counted('upstreams', store.upstreams()),
    keepUpstream: (kept) => counted('keep-upstream', store.keepUpstream(kept)),
    orderUpstream: (name, order) => counted('order-upstream', store.orderUpstream(name, order)),
    ...(store.keepDeclarations && {
      keepDeclarations: (declarations) =>
        counted('keep-declarations', store.keepDeclarations?.(declarations) ?? Promise.resolve()),
    }),
    ...(store.keepCopy && {
      keepCopy: (copy) => counted('keep-copy', store.keepCopy?.(copy) ?? Promise.resolve(false)),
    }),
  });
}
