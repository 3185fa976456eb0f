/**
 * The conversation as the model is shown it, once arguments could not be used: of a tool's invalid calls only the last one says what was wrong. What the
 * older ones said is about arguments that the model has replaced since, and several such messages contradict each other.
 *
 * U1 A pure function of the state: what the model was shown can be found out from the journal alone.
 * U2 An item that stays keeps its identity, and one that is changed is changed once: adapters cache by item.
 * U3 What is shown is a log of its own that grows with the transcript's; when an item in it is changed, another log begins. So a turn costs what is new in it.
 */
import type { ConversationView } from '../brain/brain-of-views.ts';
import type { HistoryResult, TranscriptItem } from '../call/message.ts';
import { failureOf } from '../call/failure.ts';
import type { RunState } from './state.ts';
import type { Transcript } from './transcript.ts';

type Results = Extract<TranscriptItem, { kind: 'results' }>;

/** By the item as it was; what became of it depends on which of its results were superseded. */
const superseded = new WeakMap<Results, Map<string, Results>>();

/** What the model is shown of the conversation in this state, as an array of its own. */
export function shownItems(state: RunState): readonly TranscriptItem[] {
  return shownView(state).items();
}

/** The same, without a copy. */
export function shownView({ transcript, invalidCalls }: RunState): ConversationView {
  if (invalidCalls === undefined) return transcript;
  const { kept } = transcript;
  // An older view is made from the beginning: what came after it may have changed what it showed.
  const shown = kept instanceof ShownLog && kept.length <= transcript.length ? kept : new ShownLog();
  transcript.keep(shown);
  return shown.upTo(transcript);
}

/** An item whose invalid results are not all superseded, and the tools that were called after it. */
interface OpenItem {
  readonly item: Results;
  readonly calledLater: Set<string>;
}

/** What is shown of the log of a transcript, as far as that was asked for. */
class ShownLog {
  #name = Symbol('shown');
  #items: TranscriptItem[] = [];
  /** A view of these items was handed out: they may only become more. */
  #isShared = false;
  /** By their place. Of each tool at most one: a later call of it supersedes those before. */
  readonly #open = new Map<number, OpenItem>();

  get length(): number {
    return this.#items.length;
  }

  /** @param transcript A view of the log that all before were views of, and none shorter than one of those. */
  upTo(transcript: Transcript): ConversationView {
    for (const item of transcript.items(this.#items.length)) {
      if (item.kind === 'results') this.#take(item);
      this.#items.push(item);
    }
    this.#isShared = true;
    return new ShownView(this.#name, this.#items);
  }

  #take(item: Results): void {
    for (const [place, open] of this.#open) {
      for (const { toolName } of item.results) open.calledLater.add(toolName);
      this.#show(place, withoutOld(open.item, open.calledLater));
      if (!open.item.results.some((result) => isInvalid(result) && !open.calledLater.has(result.toolName))) {
        this.#open.delete(place);
      }
    }
    if (item.results.some(isInvalid)) this.#open.set(this.#items.length, { item, calledLater: new Set() });
  }

  #show(place: number, item: Results): void {
    if (this.#items[place] === item) return;
    if (this.#isShared) {
      this.#items = this.#items.slice();
      this.#name = Symbol('shown');
      this.#isShared = false;
    }
    this.#items[place] = item;
  }
}

class ShownView implements ConversationView {
  readonly log: symbol;
  readonly length: number;
  readonly #items: readonly TranscriptItem[];

  constructor(log: symbol, items: readonly TranscriptItem[]) {
    this.log = log;
    this.length = items.length;
    this.#items = items;
  }

  items(start = 0): readonly TranscriptItem[] {
    return this.#items.slice(start, this.length);
  }
}

function withoutOld(item: Results, calledLater: ReadonlySet<string>): Results {
  const old = item.results.filter((result) => isInvalid(result) && calledLater.has(result.toolName));
  if (old.length === 0) return item;
  const known = superseded.get(item) ?? new Map<string, Results>();
  superseded.set(item, known);
  const key = old.map(({ callId }) => callId).join(' ');
  const changed = known.get(key) ?? {
    kind: 'results',
    results: item.results.map((result) => (old.includes(result) ? supersede(result) : result)),
  };
  known.set(key, changed);
  return changed;
}

function isInvalid({ outcome }: HistoryResult): boolean {
  return outcome.status === 'failed' && outcome.failure.code.startsWith('arguments-');
}

function supersede(result: HistoryResult): HistoryResult {
  const message = `Its arguments could not be used. ${result.toolName} was called again later: only what is said there counts.`;
  const failure = failureOf('arguments-invalid', message, { evidence: 'none', advice: '' });
  return { ...result, outcome: { status: 'failed', failure, effectMayHaveHappened: false } };
}
