/** A model object of the AI SDK that keeps the prompts it is sent: what a provider would get, after Axle's own adapter. */
import type { AiSdkModel } from 'axle/ai-sdk';

export type Prompt = readonly { readonly role: string; readonly content: unknown }[];

export interface Saying {
  readonly content: readonly unknown[];
  /** @defaultValue `tool-calls` where a call is in it, else `stop` */
  readonly finish?: string;
}

export interface KeepingModel {
  readonly model: AiSdkModel;
  readonly prompts: readonly Prompt[];
}

export function callOf(toolName: string, toolCallId = 'c1', input: unknown = {}): Saying {
  return { content: [{ type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }] };
}

export const saysDone: Saying = { content: [{ type: 'text', text: 'done' }] };

/** Says these turns one after another, then `done`. */
export function keepingModel(turns: readonly Saying[], provider = 'provider-of-case'): KeepingModel {
  const prompts: Prompt[] = [];
  return {
    prompts,
    model: {
      specificationVersion: 'v3',
      provider,
      modelId: 'model-of-case',
      doGenerate: async ({ prompt }: { readonly prompt: Prompt }): Promise<unknown> => {
        prompts.push(prompt);
        const { content, finish } = turns[prompts.length - 1] ?? saysDone;
        const unified = finish ?? (content === saysDone.content ? 'stop' : 'tool-calls');
        return { content, finishReason: { unified }, usage: {} };
      },
    },
  };
}

/** The tool results of a prompt. */
export function resultsIn(prompt: Prompt | undefined): readonly Readonly<Record<string, unknown>>[] {
  return partsOf(prompt, 'tool');
}

/** The parts of the messages of one role. */
export function partsOf(prompt: Prompt | undefined, role: string): readonly Readonly<Record<string, unknown>>[] {
  return (prompt ?? []).flatMap((message) =>
    message.role === role && Array.isArray(message.content)
      ? (message.content as Readonly<Record<string, unknown>>[])
      : [],
  );
}
