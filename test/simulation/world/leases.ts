/** Which worker a run is offered to. Leases err on purpose: they run out while the owner stands still, and sometimes they are simply ignored. */
import type { Committed } from '../history/history.ts';
import type { Incarnation } from '../machine/incarnation.ts';
import type { Scheduler } from '../machine/scheduler.ts';

/** How long an owner that is silent keeps its runs. */
const leaseMs = 2_000;
/** Runs that wait no longer than this stay in their owner's memory. */
const inMemoryMs = 5_000;

interface Lease {
  readonly owner: string;
  isHeld: boolean;
}

/** How runs are shared: each free run is offered to one worker, or to everybody, which makes them race for it at every post. */
export type Sharing = 'one' | 'everybody';

export class Leases {
  readonly #scheduler: Scheduler;
  readonly #workers: () => readonly Incarnation[];
  readonly #sharing: Sharing;
  readonly #leases = new Map<string, Lease>();
  /** Runs that everybody may take until somebody has. */
  readonly #free = new Set<string>();

  constructor(scheduler: Scheduler, sharing: Sharing, workers: () => readonly Incarnation[]) {
    this.#scheduler = scheduler;
    this.#sharing = sharing;
    this.#workers = workers;
  }

  claimed(runId: string, by: string): void {
    this.#leases.set(runId, { owner: by, isHeld: true });
    this.#free.delete(runId);
  }

  committed({ runId, status, by }: Committed, nowMs: number): void {
    const lease = this.#leases.get(runId);
    if (lease?.owner !== by) return;
    lease.isHeld =
      status.state === 'active' || (status.wakeAtMs !== undefined && status.wakeAtMs - nowMs <= inMemoryMs);
  }

  mayTake(runId: string, name: string): boolean {
    const lease = this.#leases.get(runId);
    if (lease === undefined || lease.owner === name || this.#free.has(runId)) return true;
    const isOwnerWell = this.#isWell(lease.owner);
    if (isOwnerWell && (lease.isHeld || this.#sharing === 'one')) return false;
    return this.#sharing === 'everybody' || name === this.#workers().find((worker) => this.#isWell(worker.name))?.name;
  }

  /** A worker that is silent for longer than its lease is as good as dead. */
  #isWell(name: string): boolean {
    const worker = this.#workers().find((other) => other.name === name);
    if (worker === undefined || worker.state === 'dead') return false;
    return worker.state === 'alive' || this.#scheduler.nowMs - worker.frozenAtMs < leaseMs;
  }

  /** Lets everybody take everything once. */
  release(): void {
    for (const runId of this.#leases.keys()) this.#free.add(runId);
  }

  announceAfterLease(announce: () => void): void {
    this.#scheduler.after(leaseMs, { label: 'leases run out', run: announce });
  }
}
