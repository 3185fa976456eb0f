/**
 * The part of the AI SDK's language model specification that Axle speaks, in types of its own: the package depends on none of theirs, and one set of
 * types covers v3 (AI SDK 6) and v4 (AI SDK 7), which agree in all that stands here. `test/ai-sdk/specification.test.ts` holds them to the real ones.
 */
import type { JsonObject, JsonValue } from '../util/json.ts';

/**
 * A language model object of AI SDK 6 or 7, as a provider package returns it: `openai('gpt-5')`, for example.
 *
 * Its options are `never` so that the real types of either version fit; what it answers is read as unknown data (`answer.ts`).
 */
export interface AiSdkModel {
  readonly specificationVersion: 'v3' | 'v4';
  /** The provider's own name, for example `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream?(options: never): PromiseLike<unknown>;
}

/** Provider data by provider name, opaque to Axle. */
export type ProviderData = Record<string, JsonObject>;

export interface TextPart {
  type: 'text';
  text: string;
  providerOptions?: ProviderData;
}

export interface ReasoningPart {
  type: 'reasoning';
  text: string;
  providerOptions?: ProviderData;
}

export interface ToolCallPart {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: JsonObject;
  providerOptions?: ProviderData;
}

export type ToolResultOutput =
  | { type: 'text'; value: string }
  | { type: 'json'; value: JsonValue }
  | { type: 'error-text'; value: string }
  | { type: 'execution-denied'; reason: string };

export interface ToolResultPart {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolResultOutput;
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart;

export type PromptMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: TextPart[] }
  | { role: 'assistant'; content: AssistantPart[] }
  | { role: 'tool'; content: ToolResultPart[] };

export interface FunctionTool {
  type: 'function';
  name: string;
  description: string;
  inputSchema: JsonObject;
}

/** What `doGenerate` is handed. */
export interface CallOptions {
  prompt: PromptMessage[];
  tools?: FunctionTool[];
  toolChoice?: { type: 'auto' };
  temperature?: number;
  maxOutputTokens?: number;
  topP?: number;
  seed?: number;
  abortSignal: AbortSignal;
  providerOptions?: ProviderData;
}
