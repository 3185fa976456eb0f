/**
 * A process that dies at a chosen moment, as its store sees it.
 *
 * M1 Appends are counted over the life of the process: the acceptance of a run is the first.
 * M2 It dies before an append (nothing of it is there) or after it (all of it is there, and nobody was told).
 * M3 From then on it is silent: no promise of its store settles, no notice reaches it, no request of its tools gets out.
 */
import type { AppendBatch, NewRun, Store } from '../../../src/journal/store.ts';
import type { Reach } from './desk-tools.ts';

export interface Death {
  /** At which append, counted from 1. */
  readonly at: number;
  readonly side: 'before' | 'after';
}

export class Life {
  /** Resolves when the process is dead. */
  readonly ended: Promise<'dead'>;
  readonly #end: (dead: 'dead') => void;
  readonly #death: Death | undefined;
  #isDead = false;
  #appends = 0;

  constructor(death?: Death) {
    this.#death = death;
    const { promise, resolve } = Promise.withResolvers<'dead'>();
    this.ended = promise;
    this.#end = resolve;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Appends so far. */
  get appends(): number {
    return this.#appends;
  }

  /** A request to the outside. */
  readonly reach: Reach = (request) => this.pass(async () => request());

  /** Does something while alive, and hears of it only if still alive (M3). */
  pass<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isDead) return new Promise(() => {});
    return new Promise((resolve, reject) => {
      operation().then(
        (value) => (this.#isDead ? undefined : resolve(value)),
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a store rejects with what it has to say.
        (error: unknown) => (this.#isDead ? undefined : reject(error)),
      );
    });
  }

  /** An append, at which the process may be meant to die (M1, M2). */
  append<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#isDead) return this.pass(operation);
    this.#appends += 1;
    const dies = this.#death?.at === this.#appends ? this.#death.side : undefined;
    if (dies === 'before') this.#die();
    const passed = this.pass(operation);
    // The store takes an append at the call; the dead process only never hears of it.
    if (dies === 'after') this.#die();
    return passed;
  }

  #die(): void {
    this.#isDead = true;
    this.#end('dead');
  }
}

/** A store as a mortal process holds it. It must take an append at the call, as the store in memory does. */
export function mortalStore(store: Store, life: Life): Store {
  return {
    storeId: store.storeId,
    canDrive: store.canDrive,
    create: (run: NewRun) => life.append(() => store.create(run)),
    append: (batch: AppendBatch) => life.append(() => store.append(batch)),
    claim: (runId) => life.pass(() => store.claim(runId)),
    synced: (position) => life.pass(() => store.synced(position)),
    read: (runId, options) => life.pass(() => store.read(runId, options)),
    body: (hash) => life.pass(() => store.body(hash)),
    snapshot: (runId) => life.pass(() => store.snapshot(runId)),
    run: (runId) => life.pass(() => store.run(runId)),
    runs: (filter) => life.pass(() => store.runs(filter)),
    post: (post) => life.pass(() => store.post(post)),
    posts: (runId, cursor) => life.pass(() => store.posts(runId, cursor)),
    postWithKey: (runId, uniqueKey) => life.pass(() => store.postWithKey(runId, uniqueKey)),
    due: (nowMs, limit) => life.pass(() => store.due(nowMs, limit)),
    nextWakeAtMs: () => life.pass(() => store.nextWakeAtMs()),
    onNotice: (listener) => store.onNotice((runId) => (life.isDead ? undefined : listener(runId))),
    upstreams: () => life.pass(() => store.upstreams()),
    keepUpstream: (kept) => life.pass(() => store.keepUpstream(kept)),
    orderUpstream: (name, order) => life.pass(() => store.orderUpstream(name, order)),
    close: () => life.pass(() => store.close()),
  };
}
