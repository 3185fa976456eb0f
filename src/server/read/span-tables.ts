/**
 * Span tables of the runs that are looked at: each is built once and goes on from where it was, so a page that follows a run costs what is new in it.
 *
 * T1 Of one run one request at a time goes on with the table; the others wait for it.
 * T2 Tables of the runs that were asked for last are kept, up to a number of rows over all.
 */
import { takenBackFrom } from '../../facade/undo-run.ts';
import { readPages } from '../../journal/read-appends.ts';
import type { Store } from '../../journal/store.ts';
import { findSpans, readFilter } from '../../trace/filter/find-spans.ts';
import type { SpanTable } from '../../trace/table/span-table.ts';
import { SpanTableBuilder } from '../../trace/table/table-builder.ts';
import { defined } from '../../util/defined.ts';

/** Rows that all kept tables have together, the one that was asked for last not counted. */
const maxRows = 300_000;
const maxTables = 64;

interface Kept {
  readonly builder: SpanTableBuilder;
  /** Settles when the table has gone on as far as it was asked to. */
  work: Promise<void>;
}

export interface SpanQuery {
  readonly since?: number;
  readonly filter?: string;
}

export class SpanTables {
  readonly #store: Store;
  /** The one that was asked for last stands last. */
  readonly #kept = new Map<string, Kept>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** @throws AxleError `filter-invalid` */
  async table(runId: string, { since, filter }: SpanQuery): Promise<SpanTable> {
    const wanted = filter === undefined ? undefined : readFilter(filter);
    const builder = await this.builder(runId);
    const only = wanted === undefined ? undefined : findSpans(builder, wanted).shown;
    return builder.table({ ...defined({ since, only }), takenBack: await takenBackFrom(this.#store, runId) });
  }

  /** The table of a run as its journal is now. */
  async builder(runId: string): Promise<SpanTableBuilder> {
    const kept = this.#kept.get(runId) ?? { builder: new SpanTableBuilder(), work: Promise.resolve() };
    this.#kept.delete(runId);
    this.#kept.set(runId, kept);
    kept.work = kept.work.then(() => this.#goOn(runId, kept.builder));
    try {
      await kept.work;
    } catch (error) {
      // A table that broke off is not gone on with.
      this.#kept.delete(runId);
      throw error;
    }
    this.#makeRoom(runId);
    return kept.builder;
  }

  async #goOn(runId: string, builder: SpanTableBuilder): Promise<void> {
    const options = { afterSeq: builder.head.seq, bodies: 'reference' } as const;
    for await (const page of readPages(this.#store, runId, options)) for (const append of page) builder.take(append);
  }

  #makeRoom(current: string): void {
    let rows = [...this.#kept.values()].reduce((sum, { builder }) => sum + builder.rowCount, 0);
    for (const [runId, { builder }] of this.#kept) {
      if (runId === current || (rows <= maxRows && this.#kept.size <= maxTables)) return;
      rows -= builder.rowCount;
      this.#kept.delete(runId);
    }
  }
}
