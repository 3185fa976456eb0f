/**
 * The stream of a run as AG-UI 1.0: a pure function of the events from the first one on, so that whoever encodes the same stream sends the same.
 *
 *     before ──► running ──► finished (RUN_FINISHED | RUN_ERROR)
 *                   ▲            │ the run goes on: it was approved, say
 *                   └────────────┘
 *
 * G1 What is opened is closed before a run finishes, and nothing is said outside of one.
 * G2 What the client holds at the end is what the journal says. Where it was shown something else (a reset, words that turned out to be a call), the
 *    conversation is sent anew.
 * G3 A run that waits for a person ends with the interrupts that it waits for: the protocol has no way to wait. What comes after is a run of the same thread.
 */
import { pointerTo } from '../../contract/pointer.ts';
import type { HistoryResult } from '../../call/message.ts';
import { describeResult, plainText } from '../../brain/outcome-text.ts';
import type { Entry } from '../../journal/entry.ts';
import type { WaitReason } from '../../journal/store.ts';
import { evolve, passTime } from '../../run/evolve.ts';
import { findCall, newState, type RunState } from '../../run/state.ts';
import type { JsonValue } from '../../util/json.ts';
import type { StreamEvent } from '../stream-event.ts';
import { placeOf } from '../stream-place.ts';
import {
  type AgUiEvent,
  type AgUiInterrupt,
  type AgUiMessage,
  type AgUiToolCall,
  type AgUiUsage,
  agUiVersion,
} from './ag-ui-event.ts';
import { DraftMessage, messagesOf } from './draft-message.ts';

export class AgUiEncoder {
  #state: RunState;
  readonly #messages: AgUiMessage[] = [];
  #draft: DraftMessage | undefined;
  /** Calls of the last message that the client has been shown. */
  #shown: ReadonlyMap<string, { readonly name: string; readonly text: string }> = new Map();
  /** Calls that the client knows and no result has come for, by the model's id. */
  readonly #asked = new Set<string>();
  /** How many runs of the protocol this run has become so far. */
  #runs = 0;
  #isRunning = false;
  #names = { threadId: '', runId: '' };
  #step: string | undefined;
  #sent: RunState['bus'];

  constructor(runId: string) {
    this.#state = newState(runId);
  }

  /** What an event of the stream becomes. */
  take(event: StreamEvent): readonly AgUiEvent[] {
    if (event.kind !== 'entry' && !this.#isRunning) return [];
    switch (event.kind) {
      case 'entry':
        return this.#entry(event);
      case 'text-delta':
      case 'reasoning-delta':
      case 'call-delta': {
        const isTaken = (id: string): boolean => this.#state.transcript.callWithId(id) !== undefined;
        return this.#draft?.take(event, isTaken) ?? [];
      }
      case 'tool-progress':
      case 'tool-log':
        return [{ type: 'CUSTOM', name: event.kind, value: { toolCallId: this.#toolCallId(event.callId), ...event } }];
      case 'reset':
        return this.#dropDraft();
      case 'waiting':
        return this.#waits(event.on);
      case 'ended':
        return [];
    }
  }

  #entry({ id, atMs, entry }: Extract<StreamEvent, { kind: 'entry' }>): readonly AgUiEvent[] {
    const { epoch } = placeOf(id);
    this.#state = evolve(passTime(this.#state, { atMs, epoch }), entry);
    const events = [
      ...this.#begun(entry),
      ...this.#said(entry),
      ...this.#results(),
      ...this.#stateChanges(),
      ...(entry.type === 'run-finished' ? this.#finished() : []),
    ];
    return events.map((each) => ({ ...each, timestamp: atMs }));
  }

  #begun(entry: Entry): readonly AgUiEvent[] {
    if (this.#isRunning) return [];
    const { runId, session } = this.#state;
    const isFirst = this.#runs === 0;
    this.#runs += 1;
    const names = { threadId: session ?? runId, runId: isFirst ? runId : `${runId}/${this.#runs}` };
    this.#names = names;
    this.#isRunning = true;
    this.#sent = undefined;
    if (isFirst && entry.type === 'run-accepted' && entry.task.kind === 'agent') {
      this.#messages.push({ id: `${this.#state.runId}/input`, role: 'user', content: entry.task.input });
    }
    const input = isFirst ? { input: { ...names, messages: [...this.#messages] } } : {};
    return [{ type: 'RUN_STARTED', ...names, protocolVersion: agUiVersion, ...input }];
  }

  #said(entry: Entry): readonly AgUiEvent[] {
    switch (entry.type) {
      case 'model-started': {
        const name = `step ${entry.step}`;
        const step: readonly AgUiEvent[] =
          name === this.#step ? [] : [...this.#endStep(), { type: 'STEP_STARTED', stepName: name }];
        this.#step = name;
        this.#draft = new DraftMessage(`${this.#state.runId}/answer-${entry.step}.${entry.attempt}`);
        return step;
      }
      case 'model-failed':
        return this.#dropDraft();
      case 'model-finished':
        return this.#answer(entry);
      case 'message-received': {
        const message = { id: `${this.#state.runId}/message-${this.#state.seq}`, role: 'user' } as const;
        this.#messages.push({ ...message, content: entry.text });
        return [
          { type: 'TEXT_MESSAGE_START', messageId: message.id, role: 'user' },
          { type: 'TEXT_MESSAGE_CONTENT', messageId: message.id, delta: entry.text },
          { type: 'TEXT_MESSAGE_END', messageId: message.id },
        ];
      }
      case 'call-bound':
        return this.#call(entry.call.toolCallId, entry.call.tool, JSON.stringify(entry.call.input));
      case 'call-refused':
        return entry.dropped === true ? [] : this.#call(entry.toolCallId, entry.toolName, entry.argumentsText);
      default:
        return [];
    }
  }

  #answer({ parts }: Extract<Entry, { type: 'model-finished' }>): readonly AgUiEvent[] {
    const draft = this.#draft ?? new DraftMessage(`${this.#state.runId}/answer-${this.#state.step}`);
    const rest = draft.agree(parts);
    this.#shown = rest === undefined ? new Map() : draft.calls;
    this.#messages.push(...messagesOf(draft.id, parts));
    return rest ?? [...draft.close(), { type: 'MESSAGES_SNAPSHOT', messages: [...this.#messages] }];
  }

  #call(toolCallId: string, toolName: string, text: string): readonly AgUiEvent[] {
    const shown = this.#shown.get(toolCallId);
    const parentMessageId = this.#draft?.id ?? `${this.#state.runId}/answer-${this.#state.turn?.step ?? 0}`;
    const { name, text: words } = shown ?? { name: toolName, text };
    this.#asked.add(toolCallId);
    this.#hang(parentMessageId, { id: toolCallId, type: 'function', function: { name, arguments: words } });
    if (shown !== undefined) return [];
    return [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: name, parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: words },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
  }

  #hang(messageId: string, call: AgUiToolCall): void {
    const place = this.#messages.findLastIndex(({ id }) => id === messageId);
    const message = this.#messages[place];
    if (message?.role === 'assistant') {
      this.#messages[place] = { ...message, toolCalls: [...(message.toolCalls ?? []), call] };
    } else this.#messages.push({ id: messageId, role: 'assistant', toolCalls: [call] });
  }

  /** The results of calls that have been settled since the last look. */
  #results(): readonly AgUiEvent[] {
    const last = this.#state.transcript.last();
    const open = (this.#state.turn?.calls ?? []).flatMap(({ callId, toolCallId, toolName, phase }) =>
      phase.kind === 'settled' ? [{ callId, toolCallId, toolName, outcome: phase.outcome }] : [],
    );
    const settled: readonly HistoryResult[] = [...(last?.kind === 'results' ? last.results : []), ...open];
    return settled.flatMap((result): readonly AgUiEvent[] => {
      const { toolCallId } = result;
      if (!this.#asked.delete(toolCallId)) return [];
      const told = describeResult(result);
      const content = plainText(told);
      const message = {
        id: `${this.#state.runId}/result-${result.callId}`,
        role: 'tool',
        toolCallId,
        content,
      } as const;
      this.#messages.push(message);
      return [{ type: 'TOOL_CALL_RESULT', messageId: message.id, toolCallId, content, role: 'tool' }];
    });
  }

  #stateChanges(): readonly AgUiEvent[] {
    const { bus } = this.#state;
    const before = this.#sent;
    if (bus === undefined || bus === before) return [];
    this.#sent = bus;
    if (before === undefined) {
      const snapshot = Object.fromEntries(Object.entries(bus.values).map(([key, { value }]) => [key, value]));
      return [{ type: 'STATE_SNAPSHOT', snapshot }];
    }
    const changed = Object.entries(bus.values).filter(([key, value]) => before.values[key] !== value);
    if (changed.length === 0) return [];
    const delta = changed.map(([key, { value }]) => ({ op: 'add', path: pointerTo('', key), value }) as const);
    return [{ type: 'STATE_DELTA', delta }];
  }

  #finished(): readonly AgUiEvent[] {
    const { ending } = this.#state;
    if (ending === undefined) return [];
    const { kind, output, failure } = ending;
    if (kind === 'completed') return this.#end({ type: 'success' }, output);
    if (kind === 'cancelled') return this.#end({ type: 'cancelled' }, output);
    const { code, message } = failure ?? { code: kind, message: `The run ${kind}.` };
    return this.#fail(code, message);
  }

  #waits(on: readonly WaitReason[]): readonly AgUiEvent[] {
    const all = on.flatMap((reason) => this.#interrupt(reason));
    const interrupts = all.filter(({ id }, place) => all.findIndex((other) => other.id === id) === place);
    if (interrupts.length > 0) return this.#end({ type: 'interrupt', interrupts });
    const held = on.find((reason) => reason.kind === 'held');
    return held === undefined ? this.#end({ type: 'success' }) : this.#fail('held', held.reason);
  }

  #interrupt(reason: WaitReason): readonly AgUiInterrupt[] {
    if (!('callId' in reason)) return [];
    const { toolName = 'A call', input = null } = findCall(this.#state, reason.callId) ?? {};
    const about = { toolCallId: this.#toolCallId(reason.callId), metadata: { tool: toolName, input } };
    switch (reason.kind) {
      case 'approval':
        return [
          {
            id: reason.approvalId,
            reason: 'approval',
            message: `${toolName} waits for an approval.`,
            expiresAt: new Date(reason.expiresAtMs).toISOString(),
            ...about,
          },
        ];
      case 'authorization':
        return [
          {
            id: reason.authorizationId,
            reason: 'authorization',
            message: reason.message,
            expiresAt: new Date(reason.expiresAtMs).toISOString(),
            ...about,
          },
        ];
      case 'doubt':
        return [
          {
            id: `${this.#state.runId}/${reason.callId}`,
            reason: 'in-doubt',
            message: `Nobody knows whether ${toolName} took effect: somebody has to say what happened.`,
            ...about,
          },
        ];
    }
  }

  #end(
    outcome: Extract<AgUiEvent, { type: 'RUN_FINISHED' }>['outcome'],
    output: JsonValue = null,
  ): readonly AgUiEvent[] {
    const result = output === null ? {} : { result: output };
    return [...this.#closed(), { type: 'RUN_FINISHED', ...this.#names, outcome, ...result, usage: this.#usage() }];
  }

  #fail(code: string, message: string): readonly AgUiEvent[] {
    return [...this.#closed(), { type: 'RUN_ERROR', code, message, usage: this.#usage() }];
  }

  /** What was open, closed; nothing is running then. */
  #closed(): readonly AgUiEvent[] {
    const events = [...this.#dropDraft(), ...this.#endStep()];
    this.#isRunning = false;
    return events;
  }

  /** What was shown of an answer that does not count. A message that the conversation no longer has is no longer the client's. (G2) */
  #dropDraft(): readonly AgUiEvent[] {
    const draft = this.#draft;
    if (draft === undefined || this.#state.model.kind === 'idle') return [];
    this.#draft = new DraftMessage(draft.id);
    if (draft.isEmpty) return [];
    return [...draft.close(), { type: 'MESSAGES_SNAPSHOT', messages: [...this.#messages] }];
  }

  #endStep(): readonly AgUiEvent[] {
    const stepName = this.#step;
    this.#step = undefined;
    return stepName === undefined ? [] : [{ type: 'STEP_FINISHED', stepName }];
  }

  #usage(): readonly AgUiUsage[] {
    const { totals, task } = this.#state;
    const { inputTokens, outputTokens } = totals;
    if (inputTokens + outputTokens === 0) return [];
    const model = task?.kind === 'agent' ? { model: task.agent.model } : {};
    return [{ ...model, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }];
  }

  #toolCallId(callId: string): string {
    return findCall(this.#state, callId)?.toolCallId ?? callId;
  }
}

/** The stream of a run as AG-UI. Takes it from the first event on: what was told before is part of what comes. */
export async function* toAgUi(runId: string, stream: AsyncIterable<StreamEvent>): AsyncGenerator<AgUiEvent> {
  const encoder = new AgUiEncoder(runId);
  for await (const event of stream) yield* encoder.take(event);
}
