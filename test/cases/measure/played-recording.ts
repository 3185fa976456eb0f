/** A recording, sent over a loopback server to a provider's own adapter, and what a run makes of it. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { agent, createAxle, type Entry, tool } from 'axle';
import { type AiSdkModel, brainFromModel } from 'axle/ai-sdk';
import type { Fields } from './fields.ts';
import type { RecordedCall } from './recorded-answer.ts';
import { serveRecording, type Wire } from './recording-server.ts';

export interface Adapter {
  readonly wire: Wire;
  readonly modelAt: (url: string) => AiSdkModel;
}

export const apiKey = 'key-of-case';

/** The one that speaks with everybody who speaks as OpenAI once did. */
export const compatible: Adapter = {
  wire: 'sse',
  modelAt: (baseURL) => createOpenAICompatible({ name: 'case', baseURL, apiKey })('model-of-case'),
};

export interface Played {
  readonly ran: readonly RecordedCall[];
  readonly entries: readonly Entry[];
  readonly output: unknown;
}

/** One model call, and the calls that it leads to. */
export async function play(record: Fields, { wire, modelAt }: Adapter, names: readonly string[]): Promise<Played> {
  await using server = await serveRecording(record, wire);
  const ran: RecordedCall[] = [];
  const tools = names.map((name) =>
    tool({
      name,
      description: 'A tool of a case.',
      effect: 'idempotent',
      input: { type: 'object' },
      execute: (input) => {
        ran.push({ name, input });
        return 'done';
      },
    }),
  );
  const model = brainFromModel(modelAt(server.url), { stream: true });
  const subject = agent({ name: 'subject', model, tools: names, budget: { steps: 1 }, modelAttempts: 1 });
  await using axle = await createAxle({ store: ':memory:', tools, agents: [subject], log: () => {} });
  const run = await axle.start('subject', { input: 'Do what the case says.' });
  const result = await run.result();
  const entries: Entry[] = [];
  for await (const event of run.events()) entries.push(event.entry);
  return { ran, entries, output: result.status === 'waiting' ? undefined : result.output };
}
