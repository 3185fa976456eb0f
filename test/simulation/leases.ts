/** Which worker a run is offered to. Leases err on purpose: they run out while the owner stands still, and sometimes they are simply ignored. */
import type { Committed } from './history.ts';
import type { Incarnation } from './incarnation.ts';
import type { Scheduler } from './scheduler.ts';

/** How long an owner that is silent keeps its runs. */
const leaseMs = 2_000;
/** Runs that wait no longer than this stay in their owner's memory. */
const inMemoryMs = 5_000;

interface Lease {
  readonly owner: string;
  isHeld: boolean;
}

export class Leases {
  readonly #scheduler: Scheduler;
  readonly #incarnationOf: (name: string) => Incarnation | undefined;
  readonly #leases = new Map<string, Lease>();

  constructor(scheduler: Scheduler, incarnationOf: (name: string) => Incarnation | undefined) {
    this.#scheduler = scheduler;
    this.#incarnationOf = incarnationOf;
  }

  claimed(runId: string, by: string): void {
    this.#leases.set(runId, { owner: by, isHeld: true });
  }

  committed({ runId, status, by }: Committed, nowMs: number): void {
    const lease = this.#leases.get(runId);
    if (lease?.owner !== by) return;
    lease.isHeld = status.state === 'active' || (status.wakeAtMs !== undefined && status.wakeAtMs - nowMs <= inMemoryMs);
  }

  mayTake(runId: string, name: string): boolean {
    const lease = this.#leases.get(runId);
    if (lease === undefined || !lease.isHeld || lease.owner === name) return true;
    const owner = this.#incarnationOf(lease.owner);
    if (owner === undefined || owner.state === 'dead') return true;
    return owner.state === 'frozen' && this.#scheduler.nowMs - owner.frozenAtMs >= leaseMs;
  }

  /** Lets everybody take everything once. */
  release(): void {
    for (const lease of this.#leases.values()) lease.isHeld = false;
  }

  announceAfterLease(announce: () => void): void {
    this.#scheduler.after(leaseMs, { label: 'leases run out', run: announce });
  }
}
