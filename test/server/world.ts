/** An Axle with a server around it, as these tests use them, and clients down to the bare socket. */
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { agent, type AxleOptions, createAxle, tool, ToolError } from '../../src/axle.ts';
import { createServer, type EntryRow, type Page, type RunRow, runLogs, type ServerOptions } from '../../src/http.ts';
import { scriptedBrain } from '../../src/testing.ts';

const anything = { type: 'object', additionalProperties: true } as const;

export const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  effect: 'read',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  output: { type: 'number' },
  examples: [{ input: { a: 1, b: 2 }, output: 3 }],
  execute: async ({ a, b }) => Number(a) + Number(b),
});

export const refund = tool({
  name: 'refund',
  description: 'Refunds a charge.',
  effect: 'write',
  risk: 'high',
  input: { type: 'object', properties: { cents: { type: 'integer', maximum: 1_000 } }, required: ['cents'] },
  execute: async ({ cents }) => ({ refunded: cents }),
});

/** Sends and never hears back, so that nobody knows whether it happened. */
export const transfer = tool({
  name: 'transfer',
  description: 'Sends money.',
  effect: 'write',
  risk: 'low',
  timeout: 20,
  limits: { upstream: 'bank', rate: '100/s' },
  input: anything,
  output: { type: 'object', properties: { sent: { type: 'number' } }, required: ['sent'] },
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('no answer')))),
});

/** Wants a login before it says anything. */
export const lookUp = tool({
  name: 'look_up',
  description: 'Looks up a customer.',
  effect: 'read',
  authorization: 'ask',
  input: anything,
  execute: (_, { attempt }) => {
    if (attempt > 1) return { name: 'Ada' };
    const authorize = { upstream: 'crm', url: 'https://crm.example.com/login' };
    throw new ToolError({ message: 'The token has expired.', effect: 'none', authorize });
  },
});

/** Says the same word many times. */
export const repeat = tool({
  name: 'repeat',
  description: 'Repeats a word.',
  effect: 'read',
  input: { type: 'object', properties: { word: { type: 'string' }, times: { type: 'integer' } }, required: ['word'] },
  execute: async ({ word, times }) => (typeof word === 'string' ? word.repeat(Number(times)) : ''),
});

const answers = (name: string, input: Record<string, unknown>, last: string) =>
  scriptedBrain([{ text: `I ${name}, as asked.`, calls: [{ name, input }] }, last]);

export const agents = [
  agent({ name: 'clerk', tools: ['add'], model: answers('add', { a: 1, b: 2 }, 'It is 3.') }),
  agent({ name: 'cashier', tools: ['refund'], model: answers('refund', { cents: 500 }, 'Refunded.') }),
  agent({ name: 'banker', tools: ['transfer'], model: answers('transfer', { cents: 7 }, 'Sent.') }),
  agent({ name: 'guide', tools: ['look_up'], model: answers('look_up', {}, 'It is Ada.') }),
  agent({ name: 'listener', onAnswer: 'wait', budget: { steps: 100 }, model: scriptedBrain(() => 'I hear.') }),
  agent({ name: 'host', onAnswer: 'wait', model: scriptedBrain(['Welcome.', 'Welcome again.']) }),
];

export interface World {
  readonly axle: Awaited<ReturnType<typeof createAxle>>;
  readonly server: ReturnType<typeof createServer>;
  readonly url: string;
  readonly port: number;
  /** A request to the API; `body` is sent as JSON. */
  readonly ask: Ask;
}

/** `T` is what the answer is taken to be; the test of the OpenAPI document holds answers to their types. */
export type Ask = <T = unknown>(method: string, path: string, options?: AskOptions) => Promise<Answered<T>>;

export interface AskOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answered<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Opens an Axle and a server that listens; both are closed when the test ends. */
export async function openWorld(
  options: Partial<AxleOptions> = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<World> {
  const logs = runLogs();
  const axle = await createAxle({
    store: ':memory:',
    tools: [add, refund, transfer, lookUp, repeat],
    agents,
    log: logs.log,
    ...options,
  });
  const server = createServer({ axle, logs, page: false, ...serverOptions });
  const { url, port } = await server.listen({ port: 0 });
  onTestFinished(async () => {
    await server.close();
    await axle.close({ graceMs: 100 });
  });
  return { axle, server, url, port, ask: askAt(url) };
}

const askAt =
  (url: string): Ask =>
  async <T>(method: string, path: string, { body, headers = {} }: AskOptions = {}): Promise<Answered<T>> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isText = response.headers.get('content-type')?.startsWith('text/plain') ?? false;
    const answered = { status: response.status, headers: response.headers };
    return { ...answered, body: isText ? text : text === '' ? undefined : JSON.parse(text) };
  };

/** Starts a run of an agent and waits until it rests. */
export async function startRun({ ask: request, axle }: World, agentName: string, key: string): Promise<string> {
  const { body } = await request<RunRow>('POST', '/v1/runs', {
    body: { agent: agentName, input: `Please, ${agentName}.\nMore of it.` },
    headers: { 'idempotency-key': key },
  });
  await axle.run(body.runId).result();
  return body.runId;
}

/** Makes a run with a large result, and gives the hash by which it is named. */
export async function largeBodyOf({ axle, ask: request }: World, word = 'много'): Promise<string> {
  const { runId } = await axle.call('repeat', { word, times: 20_000 });
  const { body } = await request<Page<EntryRow>>('GET', `/v1/runs/${runId}/entries`);
  return /"\$body":"([^"]+)"/.exec(JSON.stringify(body))?.[1] ?? '';
}

/** Sends text over a bare socket and reads until the other side closes. */
export async function overSocket(
  port: number,
  text: string,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0), text: answer }));
  });
}

/** Reads events of a stream until `enough` says so. */
export async function readEvents(
  response: Response,
  enough: (events: readonly { readonly id?: string; readonly data: Record<string, unknown> }[]) => boolean,
): Promise<readonly { readonly id?: string; readonly data: Record<string, unknown> }[]> {
  const events: { readonly id?: string; readonly data: Record<string, unknown> }[] = [];
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (part === undefined || part.done) return events;
    text += decoder.decode(part.value as Uint8Array, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) {
      const id = /^id: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data === undefined) continue;
      events.push({ ...(id === undefined ? {} : { id }), data: JSON.parse(data) as Record<string, unknown> });
    }
    if (enough(events)) {
      await reader?.cancel();
      return events;
    }
  }
}
