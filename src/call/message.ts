/** The conversation as the model sees it: frozen items of an append-only transcript. */
import type { Outcome } from './outcome.ts';
import type { JsonValue } from '../util/json.ts';

/** What a model wrote, part by part, in order. Adapters translate to and from it. */
export type ModelPart =
  | { readonly kind: 'text'; readonly text: string; readonly meta?: JsonValue }
  | { readonly kind: 'reasoning'; readonly text: string; readonly meta?: JsonValue }
  | {
      readonly kind: 'call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly argumentsText: string;
      readonly meta?: JsonValue;
      /** Present when the model wrote the call in its text instead of sending it. */
      readonly written?: WrittenInText;
    };

/** How a call stood in a model's text. */
export interface WrittenInText {
  /** The words in whose place the call stands, markup around it included. */
  readonly text: string;
  /** True when words followed it, or stood beside it and nothing marked it as a call, or when the user had sent the same words: good enough to read something, not to change something. */
  readonly besideText: boolean;
}

/** A call as history shows it: the id is unique, the input is what the contract accepted (or the model's words when it was refused). */
export interface HistoryCall {
  readonly callId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
  /** Provider data that must go back with the call (signatures of reasoning, for example). */
  readonly meta?: JsonValue;
}

export interface HistoryResult {
  readonly callId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly outcome: Outcome;
  /** The tool that stood in for the one that was asked for, since that one was down. */
  readonly standIn?: string;
}

export type TranscriptItem =
  | { readonly kind: 'user'; readonly text: string }
  /** Words of the runtime to the model: what was wrong with its last output, for example. */
  | { readonly kind: 'notice'; readonly text: string }
  | { readonly kind: 'assistant'; readonly parts: readonly ModelPart[]; readonly calls: readonly HistoryCall[] }
  | { readonly kind: 'results'; readonly results: readonly HistoryResult[] };

/** Tokens as the provider counted them; undefined where it did not say. */
export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** Why the model stopped. */
export type FinishReason = (typeof finishReasons)[number];

export const finishReasons = [
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
] as const;
