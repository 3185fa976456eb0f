/**
 * The conversation in the provider's form.
 *
 * P1 An item is converted once: items are frozen and keep their identity, so a turn costs what is new, a comparison of references and an array copy.
 * P2 No message and no part is empty, and every text is well-formed Unicode: providers refuse both.
 * P3 What a provider attached to a part goes back with that part, unchanged.
 */
import { describeOutcome } from '../brain/outcome-text.ts';
import type { HistoryCall, HistoryResult, ModelPart, TranscriptItem } from '../call/message.ts';
import { defined } from '../util/defined.ts';
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
import { wireName } from './wire-name.ts';

/** How far a conversation has been converted: the instructions, then one message for each of `items`. */
interface Converted {
  readonly instructions: string;
  readonly items: TranscriptItem[];
  readonly messages: PromptMessage[];
}

/** By the first item, which belongs to one conversation only; it goes when the conversation goes. */
const conversations = new WeakMap<TranscriptItem, Converted>();

/** The messages of one model call: the instructions, then the conversation. The array is the caller's own; the messages are shared. */
export function toPrompt(instructions: string, items: readonly TranscriptItem[]): PromptMessage[] {
  const [first] = items;
  if (first === undefined) return toSystem(instructions);
  let known = conversations.get(first);
  if (known?.instructions !== instructions) {
    known = { instructions, items: [], messages: toSystem(instructions) };
    conversations.set(first, known);
  }
  extend(known, items);
  return known.messages.slice();
}

function toSystem(instructions: string): PromptMessage[] {
  return instructions.trim() === '' ? [] : [{ role: 'system', content: instructions.toWellFormed() }];
}

/** Converts what is new. A context that was cut or branched goes on from the place where it differs. */
function extend(known: Converted, items: readonly TranscriptItem[]): void {
  const shared = sharedLength(known.items, items);
  known.messages.length -= known.items.length - shared;
  known.items.length = shared;
  for (const item of items.slice(shared)) {
    known.messages.push(toMessage(item));
    known.items.push(item);
  }
}

function sharedLength(left: readonly TranscriptItem[], right: readonly TranscriptItem[]): number {
  const limit = Math.min(left.length, right.length);
  let length = 0;
  while (length < limit && left[length] === right[length]) length += 1;
  return length;
}

function toMessage(item: TranscriptItem): PromptMessage {
  switch (item.kind) {
    case 'user':
      return { role: 'user', content: [text(item.text, '(empty message)')] };
    case 'notice':
      // Not a system message: several providers refuse those inside a conversation.
      return { role: 'user', content: [text(`[Notice of the runtime, not of the user] ${item.text}`, '')] };
    case 'assistant':
      return { role: 'assistant', content: toAssistantParts(item.parts, item.calls) };
    case 'results':
      return { role: 'tool', content: item.results.map(toResultPart) };
  }
}

function text(content: string, whenEmpty: string): TextPart {
  return { type: 'text', text: content.trim() === '' ? whenEmpty : content.toWellFormed() };
}

/** Texts and reasoning stand where the model put them; so do calls whose part is there, and the others follow at the end. */
function toAssistantParts(parts: readonly ModelPart[], calls: readonly HistoryCall[]): AssistantPart[] {
  const content: AssistantPart[] = [];
  const unplaced = new Set(calls);
  for (const part of parts) {
    if (part.kind !== 'call') {
      content.push(...toSpokenPart(part));
      continue;
    }
    const call = calls.find((call) => unplaced.has(call) && call.toolCallId === part.toolCallId);
    // A call without a place in history (a repetition, for example) leaves no trace: it would stand there without a result.
    if (call === undefined) continue;
    unplaced.delete(call);
    content.push(toCallPart(call));
  }
  for (const call of unplaced) content.push(toCallPart(call));
  return content.length === 0 ? [{ type: 'text', text: '(no answer)' }] : content;
}

function toSpokenPart(part: Exclude<ModelPart, { kind: 'call' }>): readonly AssistantPart[] {
  const options = providerOptions(part.meta);
  // Reasoning may consist of its signature alone, a text of the id under which the provider keeps it.
  if (part.text.trim() === '' && options === undefined) return [];
  return [{ type: part.kind, text: part.text.toWellFormed(), ...defined({ providerOptions: options }) }];
}

function toCallPart(call: HistoryCall): ToolCallPart {
  const options = providerOptions(call.meta);
  return {
    type: 'tool-call',
    toolCallId: call.toolCallId,
    toolName: wireName(call.toolName),
    input: toInputObject(call.input),
    ...defined({ providerOptions: options }),
  };
}

/** Several providers refuse a call in history whose input is not an object. */
function toInputObject(input: JsonValue): JsonObject {
  return isJsonObject(input) ? input : { value: input };
}

function toResultPart({ toolCallId, toolName, outcome }: HistoryResult): ToolResultPart {
  return { type: 'tool-result', toolCallId, toolName: wireName(toolName), output: toOutput(describeOutcome(outcome)) };
}

function toOutput(described: ReturnType<typeof describeOutcome>): ToolResultOutput {
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
