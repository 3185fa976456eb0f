/** The part of the OpenAI chat completions format that the scripted model reads and writes. */

export interface ChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content?: string | null;
  readonly tool_calls?: readonly ChatToolCall[];
  readonly tool_call_id?: string;
}

export interface ChatTool {
  readonly type: 'function';
  readonly function: { readonly name: string };
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
}

/** What a scripted model says next: words, calls, or both. */
export interface ChatAnswer {
  readonly content: string | null;
  readonly tool_calls?: readonly ChatToolCall[];
}

/** A scripted model: a pure function, so that it goes on where a killed process left off. */
export type Script = (messages: readonly ChatMessage[], tools: readonly ChatTool[]) => ChatAnswer;
