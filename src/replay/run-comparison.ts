/** What a comparison of two runs says. Plain data, for the page and for `--json`. */
import type { Outcome } from '../call/outcome.ts';
import type { RunEnding, RunKind } from '../journal/entry.ts';
import type { JsonValue } from '../util/json.ts';

/** In what two steps may differ; `tokens` and `duration` alone do not part two runs. */
export type DifferenceKind = 'context' | 'tools' | 'answer' | 'calls' | 'arguments' | 'result' | 'tokens' | 'duration';

export interface RunComparison {
  readonly left: ComparedRun;
  readonly right: ComparedRun;
  /** Both begin with the same steps of this run: one is its fork, or both are. */
  readonly shared?: { readonly runId: string; readonly steps: number };
  /** Where they part; absent when they never do. */
  readonly divergence?: { readonly step: number; readonly what: DifferenceKind | 'ending' };
  /** Every step that either of them has, from the first. */
  readonly steps: readonly StepComparison[];
}

export interface ComparedRun {
  readonly runId: string;
  readonly kind: RunKind;
  readonly subject: string;
  readonly model?: string;
  readonly fork?: { readonly of: string; readonly step: number };
  /** Absent while it has not ended. */
  readonly ending?: RunEnding;
  readonly output?: JsonValue;
  readonly steps: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly workedMs: number;
}

export interface StepComparison {
  readonly step: number;
  /** Absent where a run does not have the step itself. */
  readonly left?: ComparedStep;
  readonly right?: ComparedStep;
  /** True when both saw the same and did the same; tokens and durations may differ. */
  readonly isSame: boolean;
  readonly differences: readonly StepDifference[];
  /** What differs of what the model saw, block by block; the first 100. */
  readonly blocks: readonly BlockDifference[];
}

export interface ComparedStep {
  /** The entry that began it. */
  readonly seq: number;
  readonly contextHash: string;
  readonly toolsHash: string;
  /** How many blocks of the conversation the model saw. */
  readonly items: number;
  /** What it said in text; the first 2,048 characters. */
  readonly said: string;
  readonly calls: readonly ComparedCall[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly modelMs: number;
  /** Time of all attempts of its calls. */
  readonly callsMs: number;
}

/** Values of more than 2,048 characters of JSON are cut to a text. */
export interface ComparedCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly attempts: number;
  /** True where a recorded result answered it. */
  readonly isRecorded: boolean;
  /** What came of it, or where it stands while nothing has: `waiting` for a person or a back-off, `in-doubt`, or `open`. */
  readonly status: Outcome['status'] | 'waiting' | 'open';
  /** Absent while nothing has come of it. */
  readonly output?: JsonValue;
}

export interface StepDifference {
  readonly what: DifferenceKind;
  /** The place of the call in its step. */
  readonly call?: number;
  /** JSON Pointer into arguments or result. */
  readonly path?: string;
  readonly left?: JsonValue;
  readonly right?: JsonValue;
}

export interface BlockDifference {
  readonly kind: 'instructions' | 'tools' | 'user' | 'notice' | 'assistant' | 'results';
  /** Its place in the conversation. */
  readonly index?: number;
  readonly change: 'changed' | 'left-only' | 'right-only';
  /** The first 300 characters. */
  readonly left?: string;
  readonly right?: string;
}
