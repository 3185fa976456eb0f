/**
 * What was shown of one model call while it was written: one assistant message with its text and its calls, and a message for each piece of reasoning.
 *
 *     writing ──► agreed      the entry says the same: what was not shown yet follows, and all is closed
 *             ├─► differed    the entry says something else: all is closed, and the conversation is sent anew
 *             └─► dropped     a reset: likewise
 */
import type { ModelPart } from '../../call/message.ts';
import type { StreamEvent } from '../stream-event.ts';
import type { AgUiEvent, AgUiMessage } from './ag-ui-event.ts';

type Delta = Extract<StreamEvent, { kind: 'text-delta' | 'reasoning-delta' | 'call-delta' }>;

interface Written {
  readonly id: string;
  readonly name: string;
  text: string;
}

export class DraftMessage {
  /** The id of the assistant message; calls hang on it. */
  readonly id: string;
  #text = '';
  #isTextOpen = false;
  readonly #reasoning = new Map<number, Written>();
  readonly #calls = new Map<number, Written>();

  constructor(id: string) {
    this.id = id;
  }

  /** True when nothing of it was shown. */
  get isEmpty(): boolean {
    return !this.#isTextOpen && this.#reasoning.size === 0 && this.#calls.size === 0;
  }

  /** Shows a piece. `isTaken` says whether an id names a call of an earlier message. */
  take(delta: Delta, isTaken: (toolCallId: string) => boolean): readonly AgUiEvent[] {
    switch (delta.kind) {
      case 'text-delta':
        return this.#say(delta.text);
      case 'reasoning-delta':
        return this.#reason(delta.part, delta.text);
      case 'call-delta':
        return this.#call(delta, isTaken);
    }
  }

  /** Shows the rest of what was committed and closes everything; undefined when something else was committed than was shown. */
  agree(parts: readonly ModelPart[]): readonly AgUiEvent[] | undefined {
    const text = textOf(parts);
    const reasoning = parts.filter((part) => part.kind === 'reasoning' && part.text !== '');
    const shown = [...this.#reasoning.values()];
    const isSame =
      text.startsWith(this.#text) &&
      shown.every(({ text: said }, place) => startsWith(reasoning[place], said)) &&
      [...this.#calls.values()].every((call) => parts.some((part) => isCall(part, call)));
    if (!isSame) return undefined;
    const numbers = [...this.#reasoning.keys()];
    const events = reasoning.flatMap((part, place) =>
      part.kind === 'reasoning'
        ? this.#reason(numbers[place] ?? -1 - place, part.text.slice(shown[place]?.text.length ?? 0))
        : [],
    );
    events.push(...this.#say(text.slice(this.#text.length)));
    for (const call of this.#calls.values()) {
      const part = parts.find((candidate) => isCall(candidate, call));
      const rest = part?.kind === 'call' ? part.argumentsText.slice(call.text.length) : '';
      if (rest !== '') events.push({ type: 'TOOL_CALL_ARGS', toolCallId: call.id, delta: rest });
      call.text += rest;
    }
    return [...events, ...this.close()];
  }

  /** Closes what is open. */
  close(): readonly AgUiEvent[] {
    const events: AgUiEvent[] = [];
    for (const { id } of this.#reasoning.values()) {
      events.push({ type: 'REASONING_MESSAGE_END', messageId: id }, { type: 'REASONING_END', messageId: id });
    }
    if (this.#isTextOpen) events.push({ type: 'TEXT_MESSAGE_END', messageId: this.id });
    for (const { id } of this.#calls.values()) events.push({ type: 'TOOL_CALL_END', toolCallId: id });
    return events;
  }

  /** The calls that were shown, with the words of the model for their arguments. */
  get calls(): ReadonlyMap<string, { readonly name: string; readonly text: string }> {
    return new Map([...this.#calls.values()].map((call) => [call.id, call]));
  }

  #say(text: string): AgUiEvent[] {
    if (text === '') return [];
    const start: AgUiEvent[] = this.#isTextOpen
      ? []
      : [{ type: 'TEXT_MESSAGE_START', messageId: this.id, role: 'assistant' }];
    this.#isTextOpen = true;
    this.#text += text;
    return [...start, { type: 'TEXT_MESSAGE_CONTENT', messageId: this.id, delta: text }];
  }

  #reason(part: number, text: string): AgUiEvent[] {
    if (text === '') return [];
    const events: AgUiEvent[] = [];
    let written = this.#reasoning.get(part);
    if (written === undefined) {
      written = { id: reasoningId(this.id, this.#reasoning.size), name: '', text: '' };
      this.#reasoning.set(part, written);
      events.push(
        { type: 'REASONING_START', messageId: written.id },
        { type: 'REASONING_MESSAGE_START', messageId: written.id, role: 'reasoning' },
      );
    }
    written.text += text;
    events.push({ type: 'REASONING_MESSAGE_CONTENT', messageId: written.id, delta: text });
    return events;
  }

  /** A call without an id of its own, or with one that is taken, is shown when it is bound. */
  #call(
    { part, toolCallId, toolName, text }: Extract<Delta, { kind: 'call-delta' }>,
    isTaken: (toolCallId: string) => boolean,
  ): AgUiEvent[] {
    const events: AgUiEvent[] = [];
    let written = this.#calls.get(part);
    if (written === undefined) {
      const isOther = [...this.#calls.values()].some(({ id }) => id === toolCallId);
      if (toolCallId === '' || isOther || isTaken(toolCallId)) return [];
      written = { id: toolCallId, name: toolName, text: '' };
      this.#calls.set(part, written);
      events.push({ type: 'TOOL_CALL_START', toolCallId, toolCallName: toolName, parentMessageId: this.id });
    }
    written.text += text;
    if (text !== '') events.push({ type: 'TOOL_CALL_ARGS', toolCallId, delta: text });
    return events;
  }
}

function startsWith(part: ModelPart | undefined, text: string): boolean {
  return part?.kind === 'reasoning' && part.text.startsWith(text);
}

function isCall(part: ModelPart, { id, name, text }: Written): boolean {
  return (
    part.kind === 'call' &&
    part.toolCallId === id &&
    part.toolName === name &&
    part.written === undefined &&
    part.argumentsText.startsWith(text)
  );
}

function textOf(parts: readonly ModelPart[]): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

function reasoningId(messageId: string, place: number): string {
  return `${messageId}/reasoning-${place}`;
}

/** What a model said, as messages of a conversation; its calls follow when they are bound. */
export function messagesOf(id: string, parts: readonly ModelPart[]): readonly AgUiMessage[] {
  const reasoning = parts.filter((part) => part.kind === 'reasoning' && part.text !== '');
  const text = textOf(parts);
  return [
    ...reasoning.map((part, place): AgUiMessage => ({
      id: reasoningId(id, place),
      role: 'reasoning',
      content: part.kind === 'reasoning' ? part.text : '',
    })),
    ...(text === '' ? [] : [{ id, role: 'assistant', content: text } as const]),
  ];
}
