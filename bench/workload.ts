/**
 * What everyone is given to do: one tool that returns 1 KB, and a model of no latency that calls it once a turn and then answers.
 *
 * The model is an object of the AI SDK's specification, so that Axle, the AI SDK and the floor are handed the very same one. It keeps no state: which turn it is
 * follows from the length of the prompt, which costs the same at turn 1 and at turn 2,000.
 */
import { randomBytes } from 'node:crypto';

export const instructions = 'Read every page, one after another, then answer.';
export const question = 'What do the pages say?';
export const answer = 'All pages are read.';

export const pageTool = {
  name: 'read_page',
  description: 'Reads one page of the book. Use it for each page in turn.',
} as const;
/** The same tool as an effect. */
export const noteTool = {
  name: 'write_note',
  description: 'Writes a note about one page. Use it for each page in turn.',
} as const;

/** Random text of 1 KB, so that a store that compresses gains nothing. */
export const bodyBytes = 1_024;

export interface Page {
  readonly text: string;
}

/** Pages are used again after so many: by then no store finds them alike. */
const maxPages = 32_768;

/** The results of `calls` calls, made before anything is measured. Each call gets another one. */
export function createPages(calls: number): () => Page {
  const count = Math.min(calls, maxPages);
  // 768 random bytes are 1,024 characters of base64.
  const texts = Array.from({ length: count }, () => randomBytes((bodyBytes * 3) / 4).toString('base64'));
  let next = 0;
  return () => {
    const text = texts[next % count] ?? '';
    next += 1;
    return { text };
  };
}

/** A call of the specification: what `doGenerate` answers with. */
export interface FakeAnswer {
  readonly content: readonly FakePart[];
  readonly finishReason: { readonly unified: 'tool-calls' | 'stop'; readonly raw: undefined };
  readonly usage: object;
  readonly warnings: readonly never[];
}

type FakePart =
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: string }
  | { readonly type: 'text'; readonly text: string };

export interface FakeModel {
  readonly specificationVersion: 'v4';
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Readonly<Record<string, never>>;
  doGenerate(options: { readonly prompt: readonly unknown[] }): Promise<FakeAnswer>;
}

const usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 20, text: 20, reasoning: undefined },
};
const called = { unified: 'tool-calls', raw: undefined } as const;
const ended = { unified: 'stop', raw: undefined } as const;

/** A prompt opens with the instructions and the question; each turn adds a call and a result. */
export const openingMessages = 2;

/** The model of a run of `turns` turns: it calls the tool that often, then answers. */
export function createModel(turns: number, toolName: string): FakeModel {
  return {
    specificationVersion: 'v4',
    provider: 'fake',
    modelId: 'fake-1',
    supportedUrls: {},
    doGenerate: async ({ prompt }) => {
      const turn = (prompt.length - openingMessages) / 2;
      if (turn >= turns) return { content: [{ type: 'text', text: answer }], finishReason: ended, usage, warnings: [] };
      const input = JSON.stringify({ page: turn });
      const call = { type: 'tool-call', toolCallId: `call_${turn}`, toolName, input } as const;
      return { content: [call], finishReason: called, usage, warnings: [] };
    },
  };
}
