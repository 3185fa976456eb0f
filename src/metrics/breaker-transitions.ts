/**
 * Changes of breakers, each counted once, from the two places that tell of them: entries have what runs brought about, at once; views of upstreams have also what people
 * ordered, when they are looked at. What both have is the same, so the higher count holds.
 */
import type { UpstreamView } from '../execute/upstreams/upstreams.ts';
import type { Metric } from './registry.ts';

type Change = UpstreamView['changes'][number];

interface Counts {
  readonly entries: Map<string, number>;
  readonly views: Map<string, number>;
  /** The newest change that was seen in a view. */
  newest?: Change;
}

/** Upstreams that are remembered: more are declared by nobody. */
const maxUpstreams = 1_000;

export class BreakerTransitions {
  readonly #metric: Metric;
  readonly #sinceMs: number;
  readonly #upstreams = new Map<string, Counts>();

  /** Changes before `sinceMs` are those of an earlier process. */
  constructor(metric: Metric, sinceMs: number) {
    this.#metric = metric;
    this.#sinceMs = sinceMs;
  }

  /** An entry tells of a change. */
  told(upstream: string, to: string): void {
    const counts = this.#countsOf(upstream);
    if (counts === undefined) return;
    this.#rise(upstream, { to, counts, from: 'entries' });
  }

  /** A view of the process that drives. */
  seen({ name, changes }: Pick<UpstreamView, 'name' | 'changes'>): void {
    const counts = this.#countsOf(name);
    const [newest] = changes;
    if (counts === undefined || newest === undefined) return;
    const { newest: before } = counts;
    const known = before === undefined ? -1 : changes.findIndex((change) => isSame(change, before));
    const fresh = (known < 0 ? changes : changes.slice(0, known)).filter(({ atMs }) => atMs >= this.#sinceMs);
    for (const { to } of fresh) this.#rise(name, { to, counts, from: 'views' });
    counts.newest = newest;
  }

  #rise(
    upstream: string,
    { to, counts, from }: { readonly to: string; readonly counts: Counts; readonly from: 'entries' | 'views' },
  ): void {
    const before = highest(counts, to);
    counts[from].set(to, (counts[from].get(to) ?? 0) + 1);
    const risen = highest(counts, to) - before;
    if (risen > 0) this.#metric.add({ upstream, to }, risen);
  }

  #countsOf(upstream: string): Counts | undefined {
    const known = this.#upstreams.get(upstream);
    if (known !== undefined || this.#upstreams.size >= maxUpstreams) return known;
    const counts: Counts = { entries: new Map(), views: new Map() };
    this.#upstreams.set(upstream, counts);
    return counts;
  }
}

function highest({ entries, views }: Counts, to: string): number {
  return Math.max(entries.get(to) ?? 0, views.get(to) ?? 0);
}

function isSame(left: Change, right: Change): boolean {
  return left.atMs === right.atMs && left.from === right.from && left.to === right.to && left.reason === right.reason;
}
