/**
 * What a model was shown, made again from the journal alone, byte for byte.
 *
 * Q1 The same functions make it that made it then: the fold, `shownItems`, and the list of tools that was kept under its hash before the model was asked.
 * Q2 It says whether it is certain: the hash over everything is computed again and compared with the one that was written when the model was asked.
 */
import type { TranscriptItem, Usage } from '../../call/message.ts';
import type { ToolDefinition } from '../../call/tool-definition.ts';
import type { Append, Entry, ModelStarted } from '../../journal/entry.ts';
import { readAppends } from '../../journal/read-appends.ts';
import type { Store } from '../../journal/store.ts';
import { contextHashOf } from '../../run/context-hash.ts';
import { evolve, passTime } from '../../run/evolve.ts';
import { shownItems } from '../../run/shown-items.ts';
import { newState, type RunState } from '../../run/state.ts';
import { defined } from '../../util/defined.ts';
import { sha256 } from '../../util/hash.ts';
import { isJsonObject, type JsonValue } from '../../util/json.ts';

/** Where an item of the conversation comes from. */
export interface ItemOrigin {
  /** The entry that brought it: the message, the model's answer; of results, that of the last one. */
  readonly seq: number;
  /** The step that the run was in. */
  readonly step: number;
  /** Of results: the entry that settled each call. */
  readonly settledBy?: Readonly<Record<string, number>>;
}

export interface RecordedRequest {
  readonly runId: string;
  /** The entry that announced it (`model-started`). */
  readonly seq: number;
  readonly step: number;
  readonly attempt: number;
  readonly model: string;
  readonly instructions: string;
  readonly settings: JsonValue;
  readonly items: readonly TranscriptItem[];
  /** One for each item. */
  readonly origins: readonly ItemOrigin[];
  /** As they were shown; undefined when their list was not kept. */
  readonly tools: readonly ToolDefinition[] | undefined;
  readonly toolsHash: string;
  /** As it was written then. */
  readonly contextHash: string;
  /** True when the hash over instructions and conversation, computed again, is that. */
  readonly verified: boolean;
  /** What the provider counted, when it answered. */
  readonly usage?: Usage;
}

/**
 * All requests of a run, in order, up to the entry `upTo`.
 * Reads every value of the run, large ones too, since the model saw them.
 */
export async function* recordedRequests(store: Store, runId: string, upTo = Infinity): AsyncGenerator<RecordedRequest> {
  const fold = new RequestFold(runId);
  const lists = new Map<string, readonly ToolDefinition[] | undefined>();
  let open: RecordedRequest | undefined;
  for await (const append of readAppends(store, runId)) {
    for (const step of fold.take(append)) {
      if (step.kind === 'answered') {
        if (open !== undefined) yield { ...open, ...defined({ usage: step.usage }) };
        open = undefined;
        continue;
      }
      if (open !== undefined) yield open;
      open = undefined;
      if (step.request.seq > upTo) return;
      const { toolsHash } = step.request;
      if (!lists.has(toolsHash)) lists.set(toolsHash, toolsIn(await store.body(toolsHash), toolsHash));
      open = { ...step.request, tools: lists.get(toolsHash) };
    }
  }
  if (open !== undefined) yield open;
}

type FoldStep =
  | { readonly kind: 'asked'; readonly request: RecordedRequest }
  | { readonly kind: 'answered'; readonly usage: Usage | undefined };

/** The fold of a run, with an eye on where each item of the conversation comes from. */
class RequestFold {
  #state: RunState;
  readonly #origins: ItemOrigin[] = [];
  readonly #messages: number[] = [];
  readonly #settledBy = new Map<string, number>();
  #answerSeq = 0;
  /** The hash over the conversation up to the last request. */
  #rolled = { hash: '', items: 0 };

  constructor(runId: string) {
    this.#state = newState(runId);
  }

  take(append: Append): readonly FoldStep[] {
    this.#state = passTime(this.#state, append);
    return append.entries.flatMap((entry, index) => this.#takeEntry(entry, append.firstSeq + index));
  }

  #takeEntry(entry: Entry, seq: number): readonly FoldStep[] {
    this.#state = evolve(this.#state, entry);
    if (entry.type === 'run-accepted' || entry.type === 'message-received') this.#messages.push(seq);
    else if (entry.type === 'model-finished') this.#answerSeq = seq;
    else if ('callId' in entry) this.#settledBy.set(entry.callId, seq);
    this.#origins.push(...this.#state.transcript.items(this.#origins.length).map((item) => this.#originOf(item, seq)));
    switch (entry.type) {
      case 'model-started':
        return [{ kind: 'asked', request: this.#request(entry, seq) }];
      case 'model-finished':
        return [{ kind: 'answered', usage: entry.usage }];
      case 'model-failed':
        return [{ kind: 'answered', usage: undefined }];
      default:
        return [];
    }
  }

  #originOf(item: TranscriptItem, seq: number): ItemOrigin {
    const { step } = this.#state;
    switch (item.kind) {
      case 'user':
        return { seq: this.#messages.shift() ?? seq, step };
      case 'assistant':
      case 'notice':
        return { seq: this.#answerSeq, step };
      case 'results': {
        const settledBy = Object.fromEntries(
          item.results.map(({ callId }) => [callId, this.#settledBy.get(callId) ?? seq]),
        );
        return { seq, step, settledBy };
      }
    }
  }

  #request(entry: ModelStarted, seq: number): RecordedRequest {
    const state = this.#state;
    const agent = state.task?.kind === 'agent' ? state.task.agent : undefined;
    const instructions = agent?.instructions ?? '';
    return {
      runId: state.runId,
      seq,
      step: entry.step,
      attempt: entry.attempt,
      model: agent?.model ?? '',
      instructions,
      settings: agent?.settings ?? null,
      items: shownItems(state),
      origins: this.#origins.slice(0, entry.items),
      tools: undefined,
      toolsHash: state.context.toolsHash,
      contextHash: entry.contextHash,
      verified: this.#hash(instructions, entry.items) === entry.contextHash,
    };
  }

  /** The hash over what was shown, computed from the conversation as it is now; each item is hashed once. */
  #hash(instructions: string, length: number): string {
    const items = this.#state.transcript.items(this.#rolled.items).slice(0, length - this.#rolled.items);
    this.#rolled = { hash: contextHashOf({ before: this.#rolled.hash, instructions, items }), items: length };
    return this.#rolled.hash;
  }
}

/** The list under a hash is what a driver has kept; anything else counts as not kept. */
function toolsIn(text: string | undefined, hash: string): readonly ToolDefinition[] | undefined {
  if (text === undefined || sha256(text) !== hash) return undefined;
  const list: unknown = JSON.parse(text);
  return Array.isArray(list) && list.every(isDefinition) ? list : undefined;
}

function isDefinition(value: JsonValue): value is JsonValue & ToolDefinition {
  return (
    isJsonObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['description'] === 'string' &&
    isJsonObject(value['inputSchema'])
  );
}
