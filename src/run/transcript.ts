/**
 * The conversation of a run: an append-only log seen through a length. Adding an item to the newest view shares the log, so a turn costs the same
 * at length 2 and at length 2,000; adding to an older view copies it once, so no view ever changes.
 */
import type { HistoryCall, TranscriptItem } from '../call/message.ts';
import { deepFreeze } from '../util/json.ts';

export class Transcript {
  static readonly empty = new Transcript([], new Map(), 0);

  readonly length: number;
  readonly #log: TranscriptItem[];
  readonly #calls: Map<string, HistoryCall>;

  private constructor(log: TranscriptItem[], calls: Map<string, HistoryCall>, length: number) {
    this.#log = log;
    this.#calls = calls;
    this.length = length;
  }

  /** A view with one item more. */
  with(item: TranscriptItem): Transcript {
    // The shared empty view must stay empty: it starts a log of its own.
    const isNewest = this.#log.length === this.length && this.length > 0;
    const log = isNewest ? this.#log : this.#log.slice(0, this.length);
    const calls = isNewest ? this.#calls : indexCalls(log);
    log.push(deepFreeze(item));
    index(item, calls);
    return new Transcript(log, calls, this.length + 1);
  }

  /** The call of an earlier turn that the model gave this id. */
  callWithId(toolCallId: string): HistoryCall | undefined {
    return this.#calls.get(toolCallId);
  }

  last(): TranscriptItem | undefined {
    return this.#log[this.length - 1];
  }

  /** The items from `start` on, as an array of their own. */
  items(start = 0): readonly TranscriptItem[] {
    return this.#log.slice(start, this.length);
  }
}

function indexCalls(items: readonly TranscriptItem[]): Map<string, HistoryCall> {
  const calls = new Map<string, HistoryCall>();
  for (const item of items) index(item, calls);
  return calls;
}

function index(item: TranscriptItem, calls: Map<string, HistoryCall>): void {
  if (item.kind !== 'assistant') return;
  for (const call of item.calls) calls.set(call.toolCallId, call);
}
