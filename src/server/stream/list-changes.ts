/**
 * What lists of runs need to follow: which runs have changed, and the counters. One look at the store serves all listeners, and nobody looks while nobody listens.
 *
 * C1 What comes faster than a listener reads is put together: of a run it is told the last state, and of the counters the last ones.
 * C2 A look costs at most a tenth of the time: after one that took long, the next one waits longer.
 */
import type { RunSummary, Store } from '../../journal/store.ts';
import type { RunRows } from '../read/run-rows.ts';
import type { ListEvent } from '../wire.ts';

const lookEveryMs = 400;
/** Between two counts of the runs, which cost more than a look. */
const countEveryMs = 2_000;
const maxLookedAt = 1_000;

interface Listener {
  readonly pending: Map<string, ListEvent>;
  wake: () => void;
}

export class ListChanges {
  readonly #store: Store;
  readonly #rows: RunRows;
  readonly #listeners = new Set<Listener>();
  /** What each run looked like last; undefined while nobody listens. */
  #known: Map<string, string> | undefined;
  #counters: Extract<ListEvent, { kind: 'counters' }> | undefined;
  #countedAtMs = 0;
  #isCountOld = false;
  #timer: NodeJS.Timeout | undefined;
  #stopNotices: () => void = () => {};
  #isLooking = false;
  #looks = 0;

  constructor(store: Store, rows: RunRows) {
    this.#store = store;
    this.#rows = rows;
  }

  /** How often the store has been looked at. */
  get looks(): number {
    return this.#looks;
  }

  /** What changes from now on, until the signal aborts. */
  async *follow(signal: AbortSignal): AsyncGenerator<ListEvent> {
    const listener: Listener = { pending: new Map(), wake: () => {} };
    if (this.#counters !== undefined) listener.pending.set('', this.#counters);
    const onAbort = (): void => listener.wake();
    signal.addEventListener('abort', onAbort);
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    try {
      while (!signal.aborted) {
        const [first] = listener.pending;
        if (first === undefined) {
          await new Promise<void>((resolve) => {
            listener.wake = resolve;
          });
          continue;
        }
        listener.pending.delete(first[0]);
        yield first[1];
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#rest();
    }
  }

  #begin(): void {
    this.#stopNotices = this.#store.onNotice(() => this.#lookIn(20));
    this.#lookIn(0);
  }

  #rest(): void {
    this.#stopNotices();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#known = undefined;
    this.#counters = undefined;
  }

  #lookIn(delayMs: number): void {
    if (this.#isLooking || this.#listeners.size === 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), delayMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const beganMs = performance.now();
    try {
      await this.#compare();
    } catch {
      // A store that cannot answer now is asked again; readyz tells of it.
    }
    this.#isLooking = false;
    this.#lookIn(Math.max(lookEveryMs, 9 * (performance.now() - beganMs)));
  }

  async #compare(): Promise<void> {
    this.#looks += 1;
    const open = await this.#store.runs({ states: ['active', 'waiting', 'held'], limit: maxLookedAt });
    const newest = await this.#store.runs({ limit: 50 });
    const before = this.#known;
    const now = new Map<string, string>();
    const changed: RunSummary[] = [];
    for (const run of [...open, ...newest]) {
      if (now.has(run.runId)) continue;
      const mark = markOf(run);
      now.set(run.runId, mark);
      if (before !== undefined && before.get(run.runId) !== mark) changed.push(run);
    }
    for (const [runId, mark] of before ?? []) {
      // What was open and is not any more has ended, or stands beyond what is looked at.
      if (now.has(runId) || mark.startsWith('ended')) continue;
      const run = await this.#store.run(runId);
      if (run !== undefined && markOf(run) !== mark) changed.push(run);
    }
    if (this.#listeners.size === 0) return;
    this.#known = now;
    for (const run of changed) this.#tell(run.runId, changeOf(run));
    if (changed.length > 0) this.#isCountOld = true;
    const nowMs = Date.now();
    if (this.#counters === undefined || (this.#isCountOld && nowMs - this.#countedAtMs >= countEveryMs)) {
      this.#counters = { kind: 'counters', ...(await this.#rows.counters(nowMs)) };
      this.#countedAtMs = nowMs;
      this.#isCountOld = false;
      this.#tell('', this.#counters);
    }
  }

  #tell(key: string, event: ListEvent): void {
    for (const listener of this.#listeners) {
      listener.pending.set(key, event);
      listener.wake();
    }
  }
}

function markOf({ status, seq }: RunSummary): string {
  return `${status.state} ${seq}`;
}

function changeOf({ runId, seq, updatedAtMs, status }: RunSummary): ListEvent {
  const { state, steps, ending } = status;
  return { kind: 'run-changed', runId, seq, state, steps, updatedAtMs, ...(ending === undefined ? {} : { ending }) };
}
