/**
 * Recorded answers of providers, sent again over a loopback server to the provider's own adapter. The calls that the events hold, read here by themselves, must be
 * the calls that run, in their order; the words must be the answer; an error must be told apart as one that may pass or one that will not.
 */
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { Entry } from 'axle';
import type { Format } from '../format.ts';
import { type Fields, textOf } from '../fields.ts';
import { type Adapter, apiKey, compatible, play, type Played } from '../played-recording.ts';
import { readRecording } from '../recorded-answer.ts';
import { isSame } from '../same-values.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';

const responses: Adapter = { wire: 'sse', modelAt: (baseURL) => createOpenAI({ baseURL, apiKey }).responses('gpt-5') };

/** By what a record says of its API. */
const adapters: ReadonlyMap<string, Adapter> = new Map([
  ['messages', { wire: 'sse', modelAt: (baseURL) => createAnthropic({ baseURL, apiKey })('claude-sonnet-4-5') }],
  [
    'generateContent',
    { wire: 'sse', modelAt: (baseURL) => createGoogleGenerativeAI({ baseURL, apiKey })('gemini-3-flash') },
  ],
  [
    'interactions',
    {
      wire: 'sse',
      modelAt: (baseURL) => createGoogleGenerativeAI({ baseURL, apiKey }).interactions('gemini-2.5-flash'),
    },
  ],
  ['chat completions', compatible],
  ['responses', responses],
  [
    'converse',
    {
      wire: 'aws-event-stream',
      modelAt: (baseURL) => createAmazonBedrock({ baseURL, apiKey, region: 'us-east-1' })('anthropic.claude-sonnet-4'),
    },
  ],
] satisfies readonly (readonly [string, Adapter])[]);

export const providerRecordings: Format = {
  name: 'provider_recordings',
  measure: async (record) => {
    const api = textOf(record['api'], 'api');
    const name = [...adapters.keys()].find((each) => api.startsWith(each));
    const adapter = name === undefined ? undefined : adapters.get(name);
    if (name === undefined || adapter === undefined) return notCovered(`no adapter is known for ${api}`);
    const seen = await play(record, adapter, calledTools(record));
    return Array.isArray(record['chunks']) ? verdictOnAnswer(record, name, seen) : verdictOnError(record, seen);
  },
};

function calledTools(record: Fields): readonly string[] {
  if (!Array.isArray(record['chunks'])) return [];
  const all = [...adapters.keys()].flatMap((api) =>
    textOf(record['api'], 'api').startsWith(api) ? readRecording(record, api).calls.map(({ name }) => name) : [],
  );
  return [...new Set(all)];
}

function verdictOnAnswer(record: Fields, api: string, { ran, entries, output }: Played): Verdict {
  const expected = readRecording(record, api);
  if (!isSame(ran, expected.calls)) {
    return wrong(
      `${JSON.stringify(expected.calls)} should run, and ${JSON.stringify(ran)} ran (${failureIn(entries)})`,
    );
  }
  const said = entries.flatMap((entry) =>
    entry.type === 'model-finished' ? entry.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])) : [],
  );
  if (said.join('') !== expected.text) return wrong(`it said ${JSON.stringify(said.join(''))} (${failureIn(entries)})`);
  return expected.calls.length > 0 || output === expected.text
    ? right
    : wrong(`the output is ${JSON.stringify(output)}`);
}

/** Statuses after which the same request may succeed. */
const passing: readonly unknown[] = [408, 409, 425, 429];

function verdictOnError({ status }: Fields, { entries }: Played): Verdict {
  const failed = entries.find((entry) => entry.type === 'model-failed');
  if (failed?.type !== 'model-failed') return wrong('the model call did not fail');
  const mayPass = passing.includes(status) || Number(status) >= 500;
  const isTaken = failed.failure.class === 'retryable';
  return mayPass === isTaken ? right : wrong(`status ${String(status)} counts as ${failed.failure.class}`);
}

function failureIn(entries: readonly Entry[]): string {
  const failed = entries.find((entry) => entry.type === 'model-failed');
  return failed?.type === 'model-failed' ? failed.failure.message : 'no failure';
}
