/**
 * The conversation in the provider's form.
 *
 * P1 An item is converted once: items are frozen and keep their identity. Where a conversation goes on in the same log, a turn costs what is new and a copy of the
 *    array; otherwise its items are compared by reference.
 * P2 No message and no part is empty, and every text is well-formed Unicode: providers refuse both.
 * P3 What a provider attached to a part goes back with that part, unchanged.
 */
import type { ConversationView } from '../brain/brain-of-views.ts';
import { describeNotice, describeResult, type OutcomeText } from '../brain/outcome-text.ts';
import type { HistoryCall, HistoryResult, ModelPart, TranscriptItem } from '../call/message.ts';
import { type AliasProvider, aliasProviderOf, toolAlias } from '../contract/tool-alias.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import type {
  AssistantPart,
  PromptMessage,
  ProviderData,
  TextPart,
  ToolCallPart,
  ToolResultOutput,
  ToolResultPart,
} from './specification.ts';
import { wireId } from './wire-id.ts';

/** Who is sent the conversation: the provider as its model object names it, and the names that it takes. */
class Target {
  readonly provider: string;
  readonly #rules: AliasProvider;
  /** A conversation calls the same few tools again and again. */
  readonly #names = new Map<string, string>();

  constructor(provider: string) {
    this.provider = provider;
    this.#rules = aliasProviderOf(provider);
  }

  nameOf(tool: string): string {
    const known = this.#names.get(tool);
    if (known !== undefined) return known;
    const name = toolAlias(tool, this.#rules);
    this.#names.set(tool, name);
    return name;
  }
}

/** One conversation with one model, as far as it has been converted: the instructions, then one message for each item. */
export class Conversation {
  readonly #target: Target;
  #instructions = '';
  #items: TranscriptItem[] = [];
  /** The log that the items are the beginning of, where that is known. */
  #log: symbol | undefined;
  #messages: PromptMessage[] = [];

  /** @param provider As the model object names it */
  constructor(provider = '') {
    this.#target = new Target(provider);
  }

  /**
   * The messages of one model call: the instructions, then the conversation, its tools and calls under the names and ids that the provider takes.
   * The array is the caller's own; the messages are shared.
   */
  messages(instructions: string, view: ConversationView): PromptMessage[] {
    if (instructions !== this.#instructions) {
      this.#instructions = instructions;
      this.#items = [];
      this.#messages = toSystem(instructions);
    }
    this.#extend(view);
    return this.#messages.slice();
  }

  /** Converts what is new. A context that was cut or branched goes on from the place where it differs. */
  #extend(view: ConversationView): void {
    const shared = this.#sharedWith(view);
    const dropped = this.#items.length - shared;
    if (dropped > 0) {
      this.#messages.length -= dropped;
      this.#items.length = shared;
    }
    // What is left is a beginning of this log, also when an item cannot be converted.
    this.#log = view.log;
    for (const item of view.items(shared)) {
      this.#messages.push(toMessage(item, this.#target));
      this.#items.push(item);
    }
  }

  #sharedWith(view: ConversationView): number {
    return view.log !== undefined && view.log === this.#log
      ? Math.min(this.#items.length, view.length)
      : sharedLength(this.#items, view.items());
  }
}

function toSystem(instructions: string): PromptMessage[] {
  return instructions.trim() === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
}

function sharedLength(left: readonly TranscriptItem[], right: readonly TranscriptItem[]): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length += 1;
  return length;
}

function toMessage(item: TranscriptItem, target: Target): PromptMessage {
  switch (item.kind) {
    case 'user':
      return { role: 'user', content: [text(item.text, '(empty message)')] };
    case 'notice':
      // Not a system message: several providers refuse those inside a conversation.
      return { role: 'user', content: [text(describeNotice(item.text), '')] };
    case 'assistant':
      return { role: 'assistant', content: toAssistantParts(item, target) };
    case 'results':
      return { role: 'tool', content: item.results.map((result) => toResultPart(result, target)) };
  }
}

function text(content: string, whenEmpty: string): TextPart {
  return { type: 'text', text: content.trim() === '' ? whenEmpty : content.toWellFormed() };
}

/** Texts and reasoning stand where the model put them; so do calls whose part is there, and the others follow at the end. */
function toAssistantParts(
  { parts, calls }: Extract<TranscriptItem, { kind: 'assistant' }>,
  target: Target,
): AssistantPart[] {
  const unplaced = calls.slice();
  // Arrays of their exact length: they are kept as long as the conversation, and one that has grown keeps room for sixteen more.
  const placed = parts.map((part) => {
    if (part.kind !== 'call') return toSpokenPart(part);
    const call = takeCall(unplaced, part.toolCallId);
    return call === undefined ? undefined : toCallPart(call, target);
  });
  const content = placed.every((part) => part !== undefined) ? placed : placed.filter((part) => part !== undefined);
  if (unplaced.length > 0) return [...content, ...unplaced.map((call) => toCallPart(call, target))];
  return content.length === 0 ? [{ type: 'text', text: '(no answer)' }] : content;
}

/** Undefined for a call without a place in history (a repetition, for example): it leaves no trace, since it would stand there without a result. */
function takeCall(unplaced: HistoryCall[], toolCallId: string): HistoryCall | undefined {
  const place = unplaced.findIndex((call) => call.toolCallId === toolCallId);
  return place < 0 ? undefined : unplaced.splice(place, 1)[0];
}

/** Undefined where nothing was said. */
function toSpokenPart(part: Exclude<ModelPart, { kind: 'call' }>): AssistantPart | undefined {
  const options = providerOptions(part.meta);
  // Reasoning may consist of its signature alone, a text of the id under which the provider keeps it.
  if (part.text.trim() === '' && options === undefined) return undefined;
  return {
    type: part.kind,
    text: part.text.toWellFormed(),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
}

function toCallPart(call: HistoryCall, target: Target): ToolCallPart {
  const options = providerOptions(call.meta);
  return {
    type: 'tool-call',
    toolCallId: wireId(call.toolCallId, target.provider),
    toolName: target.nameOf(call.toolName),
    input: toInputObject(call.input),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
}

/** Several providers refuse a call in history whose input is not an object. */
function toInputObject(input: JsonValue): JsonObject {
  return isJsonObject(input) ? input : { value: input };
}

function toResultPart(result: HistoryResult, target: Target): ToolResultPart {
  const { toolCallId, toolName } = result;
  return {
    type: 'tool-result',
    toolCallId: wireId(toolCallId, target.provider),
    toolName: target.nameOf(toolName),
    output: toOutput(describeResult(result)),
  };
}

function toOutput(described: OutcomeText): ToolResultOutput {
  switch (described.kind) {
    case 'data':
      return { type: 'json', value: described.value };
    case 'text':
      return { type: 'text', value: described.text };
    case 'error':
      return { type: 'error-text', value: described.text };
    case 'denied':
      return { type: 'execution-denied', reason: described.text };
  }
}

/** Provider data as `answer.ts` kept it: an object of objects. Anything else came from somewhere else and is not sent. */
function providerOptions(meta: JsonValue | undefined): ProviderData | undefined {
  if (!isJsonObject(meta)) return undefined;
  const options: ProviderData = {};
  for (const [provider, data] of Object.entries(meta)) {
    if (isJsonObject(data)) options[provider] = data;
  }
  return Object.keys(options).length === 0 ? undefined : options;
}
