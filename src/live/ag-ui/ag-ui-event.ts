/**
 * The events of AG-UI 1.0 (the agent-user interaction protocol) that a run of Axle has something to say with. `test/live/ag-ui.test.ts` holds them to the schemas that
 * the protocol's own package publishes; it is not needed to run.
 */
import type { JsonValue } from '../../util/json.ts';

/** The version of the protocol that is spoken. */
export const agUiVersion = '1.0';

export type AgUiMessage =
  | { readonly id: string; readonly role: 'user'; readonly content: string }
  | {
      readonly id: string;
      readonly role: 'assistant';
      readonly content?: string;
      readonly toolCalls?: readonly AgUiToolCall[];
    }
  | { readonly id: string; readonly role: 'reasoning'; readonly content: string }
  | { readonly id: string; readonly role: 'tool'; readonly toolCallId: string; readonly content: string };

export interface AgUiToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What a run waits for before it can go on. Whoever answers does so by the id. */
export interface AgUiInterrupt {
  readonly id: string;
  readonly reason: 'approval' | 'authorization' | 'in-doubt';
  readonly message: string;
  readonly toolCallId?: string;
  /** ISO 8601. */
  readonly expiresAt?: string;
  readonly metadata?: { readonly [key: string]: JsonValue };
}

export type AgUiOutcome =
  | { readonly type: 'success' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] };

export interface AgUiUsage {
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

interface RunNames {
  readonly threadId: string;
  readonly runId: string;
}

export type AgUiEvent = (
  | (RunNames & {
      readonly type: 'RUN_STARTED';
      readonly protocolVersion: string;
      readonly input?: RunNames & { readonly messages: readonly AgUiMessage[] };
    })
  | (RunNames & {
      readonly type: 'RUN_FINISHED';
      readonly outcome: AgUiOutcome;
      readonly result?: JsonValue;
      readonly usage: readonly AgUiUsage[];
    })
  | {
      readonly type: 'RUN_ERROR';
      readonly message: string;
      readonly code: string;
      readonly usage: readonly AgUiUsage[];
    }
  | { readonly type: 'STEP_STARTED' | 'STEP_FINISHED'; readonly stepName: string }
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' | 'user' }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string }
  | { readonly type: 'REASONING_START' | 'REASONING_END'; readonly messageId: string }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'REASONING_MESSAGE_END'; readonly messageId: string }
  | {
      readonly type: 'TOOL_CALL_START';
      readonly toolCallId: string;
      readonly toolCallName: string;
      readonly parentMessageId: string;
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT';
      readonly messageId: string;
      readonly toolCallId: string;
      readonly content: string;
      readonly role: 'tool';
    }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: { readonly [key: string]: JsonValue } }
  | { readonly type: 'STATE_DELTA'; readonly delta: readonly StateChange[] }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: JsonValue }
) & { readonly timestamp?: number };

/** An operation of RFC 6902. */
export interface StateChange {
  readonly op: 'add';
  readonly path: string;
  readonly value: JsonValue;
}
