/**
 * Statistics of tools over the runs that began last. Of each run its sample is kept, so an answer costs what is new in the store.
 *
 * N1 An answer reads at most `maxAppends`; runs that it did not come to are named, and the next answer goes on with them.
 * N2 Of a run that is longer than `maxAppendsOfRun` the beginning counts, and it is named as cut.
 * N3 One answer at a time reads; others wait for it, and find what it has read.
 */
import { type Append, lastSeqOf } from '../../journal/entry.ts';
import { maxReadAppends } from '../../journal/limits.ts';
import type { RunSummary, Store } from '../../journal/store.ts';
import { type ToolSample, toolSamplesOf, toolStatisticsOf } from '../../trace/tool-statistics.ts';
import { TraceBuilder } from '../../trace/trace-of.ts';
import type { ToolStatisticsAnswer } from '../wire.ts';
import { BoundedMap } from '../../util/bounded-map.ts';

/** Runs whose samples are kept: as many as one answer may be over. */
export const maxRuns = 1_000;

export interface ToolSamplesLimits {
  readonly maxAppends: number;
  readonly maxAppendsOfRun: number;
}

interface Kept {
  /** The last entry of the run when it was read. */
  readonly seq: number;
  readonly isCut: boolean;
  readonly samples: readonly ToolSample[];
}

export class ToolSamples {
  readonly #store: Store;
  readonly #limits: ToolSamplesLimits;
  readonly #kept = new BoundedMap<string, Kept>(maxRuns);
  #work: Promise<unknown> = Promise.resolve();

  constructor(store: Store, limits: ToolSamplesLimits = { maxAppends: 20_000, maxAppendsOfRun: 5_000 }) {
    this.#store = store;
    this.#limits = limits;
  }

  /** @param runs The runs that began last, 1 to 1,000. */
  async statistics(runs: number): Promise<ToolStatisticsAnswer> {
    const answer = this.#work.then(() => this.#answer(runs));
    // What went wrong is told to who asked, and to nobody after that.
    this.#work = answer.catch(() => undefined);
    return answer;
  }

  async #answer(runs: number): Promise<ToolStatisticsAnswer> {
    const summaries = await this.#store.runs({ limit: runs });
    const budget = { appends: this.#limits.maxAppends };
    const samples: ToolSample[] = [];
    let skipped = 0;
    let cut = 0;
    for (const summary of summaries) {
      const kept = await this.#sample(summary, budget);
      if (kept === undefined) skipped += 1;
      else samples.push(...kept.samples);
      if (kept?.isCut === true) cut += 1;
    }
    const oldest = summaries.at(-1);
    return {
      items: toolStatisticsOf(samples),
      over: {
        runs: summaries.length - skipped,
        skipped,
        cut,
        ...(oldest === undefined ? {} : { sinceMs: oldest.createdAtMs }),
      },
    };
  }

  /** Undefined when there is nothing left to read it with. */
  async #sample({ runId, seq }: RunSummary, budget: { appends: number }): Promise<Kept | undefined> {
    const known = this.#kept.get(runId);
    if (known !== undefined && (known.seq >= seq || known.isCut)) return known;
    if (budget.appends <= 0) return undefined;
    const builder = new TraceBuilder();
    const read = await this.#readInto(builder, runId, Math.min(budget.appends, this.#limits.maxAppendsOfRun));
    budget.appends -= read;
    const { seq: reached } = builder.head;
    const isWhole = reached >= seq;
    // What the budget of this answer cut off is read again by the next one; what is too long stays cut.
    if (!isWhole && read < this.#limits.maxAppendsOfRun) return undefined;
    const kept: Kept = { seq: reached, isCut: !isWhole, samples: toolSamplesOf(runId, builder.parts) };
    this.#kept.set(runId, kept);
    return kept;
  }

  /** How many appends it read. */
  async #readInto(builder: TraceBuilder, runId: string, most: number): Promise<number> {
    let read = 0;
    let afterSeq = 0;
    while (read < most) {
      const limit = Math.min(maxReadAppends, most - read);
      const page: readonly Append[] = await this.#store.read(runId, { afterSeq, limit, bodies: 'reference' });
      for (const append of page) builder.take(append);
      read += page.length;
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return read;
      afterSeq = lastSeqOf(last);
    }
    return read;
  }
}
