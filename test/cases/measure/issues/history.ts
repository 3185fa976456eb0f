/** The history as providers get it: every call has a result that is not empty, under an id that the provider takes, and half a call never gets there. */
import { agent, createAxle, type Entry, tool } from 'axle';
import { brainFromModel } from 'axle/ai-sdk';
import { isFields, listOf, textOf } from '../fields.ts';
import { compatible, play } from '../played-recording.ts';
import { isSame } from '../same-values.ts';
import { callOf, keepingModel, partsOf, type Prompt, resultsIn } from '../shown-prompt.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export async function historyCases({ input }: Issue): Promise<Verdict> {
  if (input['results'] !== undefined) return emptyResults(listOf(input['results'], 'results'));
  if (Array.isArray(input['stream'])) return brokenStream(input['stream']);
  if (Array.isArray(input['ids']) && Array.isArray(input['targets'])) return idsFor(input['ids'], input['targets']);
  return Array.isArray(input['attempt1'])
    ? brokenAttempt(input['attempt1'].map(String))
    : notCovered('no history that is known');
}

const give = (result: unknown): ReturnType<typeof tool> =>
  tool({
    name: 'give',
    description: 'A tool of a case.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => result,
  });

interface Seen {
  readonly prompt: Prompt | undefined;
  readonly entries: readonly Entry[];
  readonly status: string;
}

async function seenBy(result: unknown, id: string, provider?: string): Promise<Seen> {
  const { model, prompts } = keepingModel([callOf('give', id)], provider);
  const subject = agent({ name: 'subject', model, tools: ['give'] });
  await using axle = await createAxle({ store: ':memory:', tools: [give(result)], agents: [subject], log: () => {} });
  const run = await axle.start('subject', { input: 'Give.' });
  const { status } = await run.result();
  const entries: Entry[] = [];
  for await (const event of run.events()) entries.push(event.entry);
  return { prompt: prompts.at(-1), entries, status };
}

/** `<undefined>` stands for itself. */
async function emptyResults(results: readonly unknown[]): Promise<Verdict> {
  for (const written of results) {
    const result = written === '<undefined>' ? undefined : written;
    const { prompt, entries, status } = await seenBy(result, 'c1');
    if (status !== 'completed') return wrong(`${JSON.stringify(written)}: the run ended as ${status}`);
    if (!isPaired(prompt)) return wrong(`${JSON.stringify(written)}: ${JSON.stringify(prompt)}`);
    const finished = entries.find((entry) => entry.type === 'attempt-finished');
    const kept =
      finished?.type === 'attempt-finished' && finished.result.status === 'succeeded' ? finished.result.output : 'none';
    if (!isSame(kept, result ?? null)) return wrong(`${JSON.stringify(written)} is kept as ${JSON.stringify(kept)}`);
  }
  return right;
}

/** One result for the call, with words in it. */
function isPaired(prompt: Prompt | undefined): boolean {
  const [part, ...more] = resultsIn(prompt);
  if (more.length > 0 || part?.['toolCallId'] !== 'c1' || !isFields(part['output'])) return false;
  const { type, value } = part['output'];
  return type === 'json'
    ? value !== undefined && value !== null && value !== ''
    : typeof value === 'string' && value.trim() !== '';
}

/** A stream that begins a call and breaks off: nothing runs, and the model is not taken to have answered. */
async function brokenStream(pieces: readonly unknown[]): Promise<Verdict> {
  const [, name = 'act'] = /start \S+ (\w+)/.exec(pieces.map(String).join('\n')) ?? [];
  const half = pieces.map(String).find((piece) => piece.startsWith('{')) ?? '{';
  const chunkOf = (delta: object): object => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'm',
    choices: [{ index: 0, delta }],
  });
  const chunks = [
    chunkOf({ content: 'text' }),
    chunkOf({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name, arguments: half } }] }),
  ];
  const { ran, entries } = await play({ chunks }, compatible, [name]);
  if (ran.length > 0) return wrong('half a call ran', { unsafe: true });
  return entries.some((entry) => entry.type === 'call-bound') ? wrong('half a call is in the history') : right;
}

/** A whole call that was streamed before the error: it does not run, and the next attempt is the answer. */
async function brokenAttempt(pieces: readonly string[]): Promise<Verdict> {
  const statusCode = Number(/error (\d+)/.exec(pieces.join('\n'))?.[1] ?? 503);
  const error = Object.assign(new Error('the provider broke off'), {
    statusCode,
    responseHeaders: { 'retry-after': '0' },
  });
  const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'give', input: '{}' };
  const answer = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'ok' },
    { type: 'text-end', id: '0' },
    { type: 'finish', finishReason: { unified: 'stop' }, usage: {} },
  ];
  const attempts: readonly (readonly unknown[])[] = [[call, { type: 'error', error }], answer];
  let asked = 0;
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'provider-of-case',
    modelId: 'model-of-case',
    doGenerate: async () => ({}),
    doStream: async () => {
      asked += 1;
      return { stream: ReadableStream.from(attempts[asked - 1] ?? answer) };
    },
  };
  const subject = agent({ name: 'subject', model: brainFromModel(model, { stream: true }), tools: ['give'] });
  await using axle = await createAxle({ store: ':memory:', tools: [give(1)], agents: [subject], log: () => {} });
  const run = await axle.start('subject', { input: 'Give.' });
  const result = await run.result();
  for await (const { entry } of run.events()) {
    if (entry.type === 'call-bound') return wrong('the call of the broken attempt ran', { unsafe: true });
  }
  return result.status === 'completed' && result.output === 'ok'
    ? right
    : wrong(`the run ended as ${JSON.stringify(result)}`);
}

/** Ids of one provider, sent to another: in its form, the same for call and result, and in the journal what they were. */
async function idsFor(ids: readonly unknown[], targets: readonly unknown[]): Promise<Verdict> {
  for (const target of targets.map((each) => textOf(each, 'targets'))) {
    const nine = /9 alphanumeric/.test(target);
    const most = Number(/max (\d+)/.exec(target)?.[1]);
    if (!nine && Number.isNaN(most)) return notCovered(`nobody knows whose ids are: ${target}`);
    const form = nine ? /^[a-zA-Z0-9]{9}$/ : new RegExp(`^[a-zA-Z0-9_-]{1,${most}}$`);
    for (const id of ids.map((each) => textOf(each, 'ids'))) {
      const { prompt, entries } = await seenBy('given', id, nine ? 'mistral.chat' : 'openai.chat');
      const sent = [...partsOf(prompt, 'assistant').filter(({ type }) => type === 'tool-call'), ...resultsIn(prompt)];
      const [first, second] = sent.map(({ toolCallId }) => String(toolCallId));
      if (sent.length !== 2 || first !== second || !form.test(first ?? '')) {
        return wrong(`${id} is sent as ${first} and ${second}`);
      }
      const bound = entries.find((entry) => entry.type === 'call-bound');
      if (bound?.type !== 'call-bound' || bound.call.toolCallId !== id) return wrong(`the journal does not keep ${id}`);
    }
  }
  return right;
}
