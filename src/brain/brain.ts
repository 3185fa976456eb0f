/**
 * The port to whatever decides what to do next: a model behind a provider, a script in a test, a recording.
 * Adapters live outside the core (`ai-sdk/`); the core never sees a provider's format.
 */
import type { FinishReason, ModelPart, TranscriptItem, Usage } from '../call/message.ts';
import type { Failure } from '../call/outcome.ts';
import type { ToolDefinition } from '../call/tool-definition.ts';

/** Settings of a model call, provider-neutral. */
export interface BrainSettings {
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly seed?: number;
}

/** A piece of an answer that is still being written. `part` numbers the parts of the answer in the order in which they began. */
export type BrainDelta =
  | { readonly kind: 'text' | 'reasoning'; readonly part: number; readonly text: string }
  /** A piece of the text of a call's arguments; empty when the call has just begun. */
  | {
      readonly kind: 'call';
      readonly part: number;
      readonly toolCallId: string;
      readonly toolName: string;
      readonly text: string;
    };

export interface BrainRequest {
  readonly instructions: string;
  /** The conversation so far, well formed: every call has exactly one result. Items are frozen and keep their identity between the calls of one run. */
  readonly items: readonly TranscriptItem[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: BrainSettings;
  readonly signal: AbortSignal;
  /**
   * Takes what has been written so far, piece by piece, for whoever watches. A brain that cannot stream leaves it alone: what it answers at the end is what counts,
   * and nothing is done with pieces but to show them. Never throws, and hears nothing after the end.
   */
  readonly onDelta?: (delta: BrainDelta) => void;
  /**
   * A place for what an adapter wants to find again at the next call of the same run, what it has made of the items for example, under a key of its own. It goes when
   * the driver lets go of the run; nothing of a run may depend on it.
   */
  readonly memory?: Map<object, unknown>;
}

export type BrainAnswer =
  | {
      readonly status: 'answered';
      readonly parts: readonly ModelPart[];
      readonly finishReason: FinishReason;
      readonly usage: Usage;
      readonly respondedAs?: string;
    }
  | { readonly status: 'failed'; readonly failure: Failure };

/** One model, or what stands for one. */
export interface Brain {
  /** Names the model in journal and trace, for example `openai/gpt-5`. */
  readonly id: string;
  /** One turn. Expected faults are answers with status `failed`; it throws only when it is broken. */
  generate(request: BrainRequest): Promise<BrainAnswer>;
}
