/**
 * The conversation of a run: an append-only log seen through a length. Adding an item to the newest view shares the log, so a turn costs the same
 * at length 2 and at length 2,000; adding to an older view copies it once, so no view ever changes.
 */
import type { ConversationView } from '../brain/brain-of-views.ts';
import type { HistoryCall, TranscriptItem } from '../call/message.ts';
import { deepFreeze } from '../util/json.ts';

interface Log {
  /** Names it to whoever may not change it. */
  readonly name: symbol;
  readonly items: TranscriptItem[];
  readonly calls: Map<string, HistoryCall>;
  kept: unknown;
}

export class Transcript implements ConversationView {
  static readonly empty = new Transcript(logOf([]), 0);

  readonly length: number;
  readonly #log: Log;

  private constructor(log: Log, length: number) {
    this.#log = log;
    this.length = length;
  }

  /** The same for all views of one log. */
  get log(): symbol {
    return this.#log.name;
  }

  /** A view with one item more. */
  with(item: TranscriptItem): Transcript {
    // The shared empty view must stay empty: it starts a log of its own.
    const isNewest = this.#log.items.length === this.length && this.length > 0;
    const log = isNewest ? this.#log : logOf(this.#log.items.slice(0, this.length));
    log.items.push(deepFreeze(item));
    index(item, log.calls);
    return new Transcript(log, this.length + 1);
  }

  /** The call of an earlier turn that the model gave this id. */
  callWithId(toolCallId: string): HistoryCall | undefined {
    return this.#log.calls.get(toolCallId);
  }

  /** What was made of the log to be found again with it, undefined at first. It is the same for all views, and goes when the log goes. */
  get kept(): unknown {
    return this.#log.kept;
  }

  keep(made: object): void {
    this.#log.kept = made;
  }

  last(): TranscriptItem | undefined {
    return this.at(this.length - 1);
  }

  at(place: number): TranscriptItem | undefined {
    return place < this.length ? this.#log.items[place] : undefined;
  }

  /** The items from `start` on, as an array of their own. */
  items(start = 0): readonly TranscriptItem[] {
    return this.#log.items.slice(start, this.length);
  }
}

function logOf(items: TranscriptItem[]): Log {
  const calls = new Map<string, HistoryCall>();
  for (const item of items) index(item, calls);
  return { name: Symbol('log'), items, calls, kept: undefined };
}

function index(item: TranscriptItem, calls: Map<string, HistoryCall>): void {
  if (item.kind !== 'assistant') return;
  for (const call of item.calls) calls.set(call.toolCallId, call);
}
