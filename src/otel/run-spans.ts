/**
 * The spans of one run, as texts, append by append.
 *
 *   folding ──a turn begins and nothing else is open──► usual turns ──anything unusual──► folding
 *
 * What a span is says the trace (`trace-of.ts`, `spans-of.ts`). A turn that goes as most do does not pass through it: that would cost several times as much.
 */
import type { Append, Entry } from '../journal/entry.ts';
import { TraceBuilder } from '../trace/trace-of.ts';
import { spanText } from './otlp-json.ts';
import { SpanIds } from './span-id.ts';
import { partSpans, runSpan, type SpanSink } from './spans-of.ts';
import { UsualTurns } from './usual-turns.ts';
import { withoutValues } from './without-values.ts';

export class RunSpans {
  readonly runId: string;
  readonly #ids: SpanIds;
  readonly #builder = new TraceBuilder();
  /** Ids of the spans that were given, as far as the trace has them. */
  readonly #given = new Set<string>();
  #usual: UsualTurns | undefined;

  constructor(runId: string) {
    this.runId = runId;
    this.#ids = new SpanIds(runId);
  }

  /** Spans and marks that are kept of the run, beside what is open. */
  get kept(): number {
    return this.#builder.parts.length;
  }

  /** Takes in the next append and gives the spans that ended with it, each once in the life of the run. */
  take(append: Append, sink: SpanSink): void {
    if (this.#usual === undefined) this.#fold(append, sink);
    else if (!this.#usual.take(append, sink)) this.#goBack(this.#usual, sink);
  }

  #goBack({ left: { behind, appends, given } }: UsualTurns, sink: SpanSink): void {
    this.#usual = undefined;
    this.#builder.passed(behind);
    for (const id of given) this.#given.add(id);
    appends.forEach((append, index) => {
      if (index === appends.length - 1) this.#fold(append, sink);
      else this.#foldWhole(append, sink);
    });
  }

  /** A turn that begins with nothing else open goes the other way. */
  #fold(append: Append, sink: SpanSink): void {
    const { entries, firstSeq } = append;
    const last = entries.length - 1;
    if (!beginsTurn(entries[last])) {
      this.#foldWhole(append, sink);
      return;
    }
    if (last > 0) this.#foldWhole({ ...append, entries: entries.slice(0, last) }, sink);
    const turn = { ...append, firstSeq: firstSeq + last, entries: entries.slice(last) };
    const { head, openParts } = this.#builder;
    if (openParts.size > 0 || head.runId === '') {
      this.#foldWhole(turn, sink);
      return;
    }
    const run = { head, ids: this.#ids };
    this.#usual = new UsualTurns(run, {
      behind: { seq: head.seq, epoch: head.epoch, atMs: head.lastMs },
      epoch: append.epoch,
      effectOf: (tool) => this.#builder.effectOf(tool),
      awaitsMessages: this.#builder.awaitsMessages,
    });
    this.#usual.take(turn, sink);
  }

  #foldWhole(append: Append, sink: SpanSink): void {
    const changed = this.#builder.take(withoutValues(append));
    const isEnd = append.entries.some(({ type }) => type === 'run-finished');
    if (changed.size === 0 && !isEnd) return;
    const run = { head: this.#builder.head, parts: this.#builder.parts, ids: this.#ids };
    for (const index of changed) {
      const part = run.parts[index];
      for (const [id, span] of part === undefined ? [] : partSpans(run, part, (known) => this.#given.has(known))) {
        this.#given.add(id);
        sink.add(spanText(span), span.endMs);
      }
    }
    if (isEnd && run.head.ending !== undefined) {
      const span = runSpan(run);
      sink.add(spanText(span), span.endMs);
    }
  }
}

function beginsTurn(entry: Entry | undefined): boolean {
  return entry?.type === 'model-started' && entry.attempt === 1;
}
