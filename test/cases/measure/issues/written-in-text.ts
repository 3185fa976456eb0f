/** Answers that look like calls and are none, and answers that a provider could not finish: neither is ever a success. */
import { agent, createAxle, tool } from 'axle';
import { textOf } from '../fields.ts';
import { observe } from '../trial.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export function textIssues({ input }: Issue): Promise<Verdict> | Verdict {
  if (typeof input['content'] === 'string') return notAnAnswer(input['content']);
  return input['finish'] === undefined
    ? notCovered('neither content nor finish')
    : unfinished(textOf(input['finish'], 'finish'));
}

/** Both with the tool that the text names, and without it. */
async function notAnAnswer(content: string): Promise<Verdict> {
  const named = /name\s*[=:]\s*"([^"]+)"/.exec(content)?.[1];
  for (const name of ['another_tool', ...(named === undefined ? [] : [named])]) {
    const tools = [{ name, inputSchema: { type: 'object' }, effect: 'write' as const }];
    const { result } = await observe({ tools, turns: [content] });
    if (result.status === 'completed' && result.output === content) {
      return wrong('the text was the answer', { unsafe: true });
    }
  }
  return right;
}

/** The provider says that it could not finish, with a call beside it and without: the model is asked again, and not for ever. */
async function unfinished(finish: string): Promise<Verdict> {
  let ran = 0;
  const act = tool({
    name: 'act',
    description: 'A tool of a case.',
    effect: 'write',
    input: { type: 'object' },
    execute: () => {
      ran += 1;
    },
  });
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'act', input: '{}' };
  for (const content of [[], [call]]) {
    let asked = 0;
    const model = {
      specificationVersion: 'v3' as const,
      provider: 'provider-of-case',
      modelId: 'model-of-case',
      doGenerate: async () => {
        asked += 1;
        return { content, finishReason: { unified: 'error', raw: finish }, usage: {} };
      },
    };
    const subject = agent({ name: 'subject', model, tools: ['act'], modelAttempts: 3 });
    await using axle = await createAxle({ store: ':memory:', tools: [act], agents: [subject], log: () => {} });
    const result = await (await axle.start('subject', { input: 'Act.' })).result();
    if (result.status === 'completed') return wrong('the run ended as a success', { unsafe: true });
    if (ran > 0) return wrong('the call ran', { unsafe: true });
    if (asked < 2 || asked > 10) return wrong(`the model was asked ${asked} times`);
  }
  return right;
}
