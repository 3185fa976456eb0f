/** What an upstream says about waiting, a model's provider and a tool's service, on real connections. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { agent, type Axle, createAxle, type RunHandle, tool, ToolError } from 'axle';
import { createHttpClient } from 'axle/http-client';
import { scriptedBrain } from 'axle/testing';
import { listOf, textOf } from '../fields.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

/** How far a delay may be off that is called "about", since a date of HTTP has whole seconds, and one that is not. */
const roughMs = 2_000;
const exactMs = 100;

export async function rateCases({ input, expect }: Issue): Promise<Verdict> {
  if (input['headers'] === undefined || typeof expect['delays'] !== 'string') return notCovered('no headers to try');
  const expected = expect['delays'].split(',').map((delay) => ({
    ms: Number(/[\d.]+/.exec(delay)?.[0]) * 1_000,
    offMs: delay.includes('~') ? roughMs : exactMs,
  }));
  for (const [index, header] of listOf(input['headers'], 'headers').entries()) {
    const written = textOf(header, 'headers');
    for (const [who, delayMs] of [
      ['the model', await delayOf(written, askModel)],
      ['the tool', await delayOf(written, callTool)],
    ] as const) {
      const wanted = expected[index] ?? { ms: Number.NaN, offMs: 0 };
      if (delayMs === undefined || !(Math.abs(delayMs - wanted.ms) <= wanted.offMs)) {
        return wrong(`${written}: ${who} is tried again after ${delayMs ?? 'no'} ms, not ${wanted.ms}`);
      }
    }
  }
  return right;
}

/** `<http-date now+90s>` stands for a date. */
function headerOf(written: string): string {
  const seconds = /now([+-]\d+)s/.exec(written)?.[1];
  return seconds === undefined ? written : new Date(Date.now() + Number(seconds) * 1_000).toUTCString();
}

/** How long the run waits before it asks a server again that answers 429 with this header. */
async function delayOf(written: string, begin: (url: string) => Promise<Begun>): Promise<number | undefined> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(429, { 'retry-after': headerOf(written), 'content-type': 'application/json' });
    response.end('{"error":{"message":"slow down"}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { axle, run } = await begin(`http://127.0.0.1:${port}`);
  try {
    for await (const { entry, atMs } of run.events()) {
      const dueAtMs =
        entry.type === 'model-failed' ? entry.retryAtMs : entry.type === 'retry-scheduled' ? entry.dueAtMs : undefined;
      if (dueAtMs !== undefined) return dueAtMs - atMs;
    }
    return undefined;
  } finally {
    await run.cancel().catch(() => {});
    await axle.close();
    server.closeAllConnections();
    server.close();
  }
}

interface Begun {
  readonly axle: Axle;
  readonly run: RunHandle;
}

async function askModel(url: string): Promise<Begun> {
  const model = createOpenAICompatible({ name: 'case', baseURL: url, apiKey: 'key-of-case' })('model-of-case');
  const subject = agent({ name: 'subject', model });
  const axle = await createAxle({ store: ':memory:', agents: [subject], log: () => {} });
  return { axle, run: await axle.start('subject', { input: 'Answer.' }) };
}

async function callTool(url: string): Promise<Begun> {
  const client = createHttpClient({ allow: [new URL(url).host] });
  const fetching = tool({
    name: 'fetch_it',
    description: 'A tool of a case.',
    effect: 'read',
    input: { type: 'object' },
    execute: async () => {
      const response = await client.request({ url });
      response.close();
      const { status, retryAfterMs } = response;
      throw new ToolError({
        message: `The service answered ${status}.`,
        class: 'retryable',
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      });
    },
  });
  const model = scriptedBrain([{ calls: [{ name: 'fetch_it', input: {} }] }, 'end']);
  const subject = agent({ name: 'subject', model, tools: ['fetch_it'] });
  const axle = await createAxle({ store: ':memory:', tools: [fetching], agents: [subject], log: () => {} });
  return { axle, run: await axle.start('subject', { input: 'Fetch it.' }) };
}
