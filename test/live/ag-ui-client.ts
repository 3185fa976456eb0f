/**
 * A client of AG-UI as the specification describes one: it refuses events in an order that is not allowed, and folds the others into the conversation that it shows.
 */
import type { AgUiEvent } from '../../src/live/ag-ui/ag-ui-event.ts';

interface Shown {
  readonly id: string;
  readonly role: string;
  content?: string;
  toolCallId?: string;
  toolCalls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
}

export class AgUiClient {
  messages: Shown[] = [];
  state: Record<string, unknown> = {};
  readonly endings: Extract<AgUiEvent, { type: 'RUN_FINISHED' | 'RUN_ERROR' }>[] = [];
  #isRunning = false;
  /** What was opened and not closed: messages, calls, spans of reasoning, steps. */
  readonly #open = new Set<string>();

  take(event: AgUiEvent): void {
    if (event.type === 'RUN_STARTED') {
      this.#require(!this.#isRunning, event);
      this.#isRunning = true;
      for (const message of event.input?.messages ?? []) this.messages.push(structuredClone(message) as Shown);
      return;
    }
    this.#require(this.#isRunning, event);
    switch (event.type) {
      case 'RUN_FINISHED':
      case 'RUN_ERROR':
        this.#require(this.#open.size === 0, event);
        this.#isRunning = false;
        this.endings.push(event);
        break;
      case 'STEP_STARTED':
        this.#begin(`step ${event.stepName}`, event);
        break;
      case 'STEP_FINISHED':
        this.#finish(`step ${event.stepName}`, event);
        break;
      case 'TEXT_MESSAGE_START':
        this.#begin(`text ${event.messageId}`, event);
        this.#message(event.messageId, event.role).content ??= '';
        break;
      case 'TEXT_MESSAGE_CONTENT':
        this.#require(this.#open.has(`text ${event.messageId}`) && event.delta !== '', event);
        this.#add(event.messageId, event.delta);
        break;
      case 'TEXT_MESSAGE_END':
        this.#finish(`text ${event.messageId}`, event);
        break;
      case 'REASONING_START':
        this.#begin(`span ${event.messageId}`, event);
        break;
      case 'REASONING_END':
        this.#finish(`span ${event.messageId}`, event);
        break;
      case 'REASONING_MESSAGE_START':
        this.#require(this.#open.has(`span ${event.messageId}`), event);
        this.#begin(`reasoning ${event.messageId}`, event);
        this.#message(event.messageId, 'reasoning').content ??= '';
        break;
      case 'REASONING_MESSAGE_CONTENT':
        this.#require(this.#open.has(`reasoning ${event.messageId}`) && event.delta !== '', event);
        this.#add(event.messageId, event.delta);
        break;
      case 'REASONING_MESSAGE_END':
        this.#finish(`reasoning ${event.messageId}`, event);
        break;
      case 'TOOL_CALL_START': {
        this.#begin(`call ${event.toolCallId}`, event);
        const parent = this.#message(event.parentMessageId, 'assistant');
        const { toolCallId: id, toolCallName: name } = event;
        (parent.toolCalls ??= []).push({ id, type: 'function', function: { name, arguments: '' } });
        break;
      }
      case 'TOOL_CALL_ARGS': {
        this.#require(this.#open.has(`call ${event.toolCallId}`), event);
        const call = this.#call(event.toolCallId);
        if (call !== undefined) call.function.arguments += event.delta;
        break;
      }
      case 'TOOL_CALL_END':
        this.#finish(`call ${event.toolCallId}`, event);
        break;
      case 'TOOL_CALL_RESULT':
        this.#require(this.#call(event.toolCallId) !== undefined, event);
        this.#require(!this.messages.some(({ toolCallId }) => toolCallId === event.toolCallId), event);
        Object.assign(this.#message(event.messageId, 'tool'), { toolCallId: event.toolCallId, content: event.content });
        break;
      case 'STATE_SNAPSHOT':
        this.state = { ...event.snapshot };
        break;
      case 'STATE_DELTA':
        for (const { path, value } of event.delta) {
          this.state[path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')] = value;
        }
        break;
      case 'MESSAGES_SNAPSHOT':
        this.messages = event.messages.map((message) => structuredClone(message) as Shown);
        break;
      case 'CUSTOM':
    }
  }

  #require(isAllowed: boolean, event: AgUiEvent): void {
    if (!isAllowed) throw new Error(`Not allowed here: ${JSON.stringify(event)}; open: ${[...this.#open].join(', ')}`);
  }

  #begin(what: string, event: AgUiEvent): void {
    this.#require(!this.#open.has(what), event);
    this.#open.add(what);
  }

  #finish(what: string, event: AgUiEvent): void {
    this.#require(this.#open.delete(what), event);
  }

  #message(id: string, role: string): Shown {
    const known = this.messages.find((message) => message.id === id);
    if (known !== undefined) return known;
    const made: Shown = { id, role };
    this.messages.push(made);
    return made;
  }

  #add(id: string, text: string): void {
    const message = this.messages.find((each) => each.id === id);
    if (message !== undefined) message.content = (message.content ?? '') + text;
  }

  #call(id: string): NonNullable<Shown['toolCalls']>[number] | undefined {
    return this.messages.flatMap(({ toolCalls = [] }) => toolCalls).findLast((call) => call.id === id);
  }
}
