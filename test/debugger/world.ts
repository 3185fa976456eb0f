/** Real runs on a real server, for tests that look at them through a browser. */
import { agent, type AxleOptions, createAxle, tool, ToolError } from '../../src/axle.ts';
import type { Brain } from '../../src/brain/brain.ts';
import { createServer, runLogs, type ServerOptions } from '../../src/http.ts';
import { scriptedBrain } from '../../src/testing.ts';

const anything = { type: 'object', additionalProperties: true } as const;

const getWeather = tool({
  name: 'get_weather',
  description: 'Tells the weather of a city.\nUse it before you advise anything. Not for the past.',
  effect: 'read',
  limits: { upstream: 'weather', rate: '50/s', concurrency: 4 },
  retry: { attempts: 3, baseMs: 40 },
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, day: { type: 'string', enum: ['today', 'tomorrow'] } },
    required: ['city'],
  },
  output: {
    type: 'object',
    properties: { degrees: { type: 'number' }, sky: { type: 'string' } },
    required: ['degrees', 'sky'],
  },
  examples: [{ input: { city: 'Oslo', day: 'today' }, output: { degrees: 3, sky: 'snow' } }],
  execute: async ({ city }, { attempt, signal }) => {
    await pause(35, signal);
    if (city === 'Oslo' && attempt === 1) {
      throw new ToolError({ message: 'The station does not answer.', class: 'retryable', effect: 'none' });
    }
    return { degrees: 3 + JSON.stringify(city).length - 2, sky: 'snow' };
  },
});

const writeMemo = tool({
  name: 'write_memo',
  description: 'Writes a memo.',
  effect: 'idempotent',
  input: {
    type: 'object',
    properties: { title: { type: 'string' }, text: { type: 'string' } },
    required: ['title', 'text'],
  },
  execute: async (_, { signal }) => {
    await pause(20, signal);
    return { path: 'memo.txt' };
  },
});

const sendMail = tool({
  name: 'send_mail',
  version: 2,
  description: 'Sends a mail to somebody.',
  effect: 'write',
  risk: 'high',
  irreversible: true,
  input: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'who gets it' },
      subject: { type: 'string' },
      body: { type: 'string' },
      priority: { type: 'string', enum: ['low', 'normal', 'high'] },
      copies: { type: 'integer' },
    },
    required: ['to', 'subject', 'body'],
  },
  execute: async ({ to }) => ({ sent: true, to }),
});

/** Sends and never hears back, so that nobody knows whether it happened. */
const transfer = tool({
  name: 'transfer',
  description: 'Sends money.',
  effect: 'write',
  risk: 'low',
  timeout: 60,
  limits: { upstream: 'bank', rate: '100/s' },
  input: {
    type: 'object',
    properties: { cents: { type: 'integer' }, account: { type: 'string' } },
    required: ['cents', 'account'],
  },
  output: { type: 'object', properties: { receipt: { type: 'string' } }, required: ['receipt'] },
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('no answer')))),
});

/** Wants a login before it says anything. */
const lookUp = tool({
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

/** Gives back what it is told to, in every field that a tool can fill. */
const echo = tool({
  name: 'echo',
  description: 'Says what it is told to say.',
  effect: 'read',
  input: anything,
  execute: ({ say, fail, times }) => {
    if (typeof fail === 'string') throw new ToolError({ message: fail, class: 'fatal', effect: 'none' });
    if (typeof times === 'number') return { rows: Array.from({ length: times }, (_, row) => ({ row, say })) };
    return { say, [JSON.stringify(say)]: [say, { say }] };
  },
});

/** A piece of work that takes a moment. */
const work = tool({
  name: 'work',
  description: 'Works for a moment.',
  effect: 'read',
  input: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
  execute: async ({ ms }, { signal }) => {
    await pause(Number(ms), signal);
    return 'done';
  },
});

const tools = [getWeather, writeMemo, sendMail, transfer, lookUp, echo, work];

const traveller = scriptedBrain([
  {
    text: 'First I look up the weather on both ends of the journey.',
    calls: [
      { name: 'get_weather', input: { city: 'Oslo', day: 'tomorrow' } },
      { name: 'get_weather', input: { city: 'Bergen', day: 'tomorrow' } },
    ],
  },
  {
    calls: [
      { name: 'get_weather', input: '{"city": "Trondheim", "day": "tomorow"}' },
      { name: 'get_wether', input: {} },
    ],
  },
  {
    text: 'Now the memo.',
    calls: [{ name: 'write_memo', input: { title: 'Journey', text: 'Take a coat.\nAnd boots.' } }],
  },
  {
    text: 'The memo is written, so I send it to the traveller.',
    calls: [
      {
        name: 'send_mail',
        input: { to: 'traveller@example.com', subject: 'Your journey', body: 'Take a coat.', priority: 'normal' },
      },
    ],
  },
  'Take a coat and boots; the memo is on its way.',
]);

/** As many turns of work as its input says: `20 x 10ms`. */
const worker = scriptedBrain(({ items }, turn) => {
  const asked = JSON.stringify(items[0] ?? '');
  const [, turns = '3', ms = '10'] = /(\d+) x (\d+)ms/u.exec(asked) ?? [];
  return turn < Number(turns)
    ? { text: `Turn ${turn + 1}.`, calls: [{ name: 'work', input: { ms: Number(ms) } }] }
    : 'All done.';
});

/** Says each text of its input, a JSON list, in every field that a model can fill. */
const parrot: Brain = scriptedBrain(({ items }, turn) => {
  const first = items[0];
  const texts = first?.kind === 'user' ? (JSON.parse(first.text) as readonly string[]) : [];
  if (turn > 0) return texts.join('\n');
  const calls = texts.flatMap((text) => [
    { toolName: 'echo', argumentsText: JSON.stringify({ say: text, [text]: 1 }) },
    { toolName: 'echo', argumentsText: JSON.stringify({ fail: text }) },
    { toolName: text.slice(0, 60), argumentsText: text },
    { toolName: 'send_mail', argumentsText: JSON.stringify({ to: text, subject: text, body: text }) },
  ]);
  return {
    status: 'answered',
    finishReason: 'tool-calls',
    usage: { inputTokens: 1_200, outputTokens: 40 },
    parts: [
      ...texts.flatMap((text) => [{ kind: 'reasoning', text } as const, { kind: 'text', text } as const]),
      ...calls.map((call, place) => ({ kind: 'call', toolCallId: `call_${place}`, ...call }) as const),
    ],
  };
});

/** A model that writes what a test tells it to, when it tells it to. */
class HeldPen {
  #write: (text: string) => void = () => {};
  #finish: () => void = () => {};
  readonly brain: Brain = {
    id: 'held/one',
    generate: ({ onDelta }) => {
      let written = '';
      this.#write = (text) => {
        written += text;
        onDelta?.({ kind: 'text', part: 0, text });
      };
      return new Promise((resolve) => {
        this.#finish = () =>
          resolve({
            status: 'answered',
            parts: [{ kind: 'text', text: written }],
            finishReason: 'stop',
            usage: { inputTokens: 3, outputTokens: 4 },
          });
      });
    },
  };

  write(text: string): void {
    this.#write(text);
  }

  finish(): void {
    this.#finish();
  }
}

const once = (name: string, input: unknown, last: string): Brain =>
  scriptedBrain([{ text: `I ${name}, as asked.`, calls: [{ name, input }] }, last]);

const agentsWith = (pen: Brain) => [
  agent({
    name: 'traveller',
    instructions: 'Plan journeys.\nBe brief.',
    tools: ['get_weather', 'write_memo', 'send_mail'],
    model: traveller,
  }),
  agent({
    name: 'banker',
    tools: ['transfer'],
    model: once('transfer', { cents: 700, account: 'NO93 8601 1117 947' }, 'Sent.'),
  }),
  agent({ name: 'guide', tools: ['look_up'], model: once('look_up', {}, 'It is Ada.') }),
  agent({ name: 'host', onAnswer: 'wait', model: scriptedBrain(['Welcome.', 'Welcome again.']) }),
  agent({
    name: 'reporter',
    tools: ['echo'],
    model: once('echo', { say: 'a line of a long report', times: 400 }, 'Reported.'),
  }),
  agent({ name: 'worker', tools: ['work'], model: worker, budget: { steps: 10_000, time: '10m' } }),
  agent({ name: 'parrot', tools: ['echo', 'send_mail'], model: parrot }),
  agent({ name: 'writer', model: pen }),
];

export interface World {
  readonly axle: Awaited<ReturnType<typeof createAxle>>;
  readonly url: string;
  readonly port: number;
  readonly server: ReturnType<typeof createServer>;
  readonly pen: HeldPen;
  readonly close: () => Promise<void>;
}

/** An Axle with tools and agents, and a server that listens and serves the page. */
export async function openWorld(
  options: Partial<AxleOptions> = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<World> {
  const logs = runLogs();
  const pen = new HeldPen();
  const axle = await createAxle({ store: ':memory:', tools, agents: agentsWith(pen.brain), log: logs.log, ...options });
  const server = createServer({ axle, logs, ...serverOptions });
  const { url, port } = await server.listen({ port: 0 });
  return {
    axle,
    url,
    port,
    server,
    pen,
    close: async () => {
      await server.close();
      await axle.close();
    },
  };
}

export type AgentName = 'traveller' | 'banker' | 'guide' | 'host' | 'reporter' | 'worker' | 'parrot' | 'writer';

/** Starts a run, and waits until it has ended or waits for somebody. */
export async function rested({ axle }: World, name: AgentName, input: string, session?: string): Promise<string> {
  const run = await axle.start(name, { input, ...(session === undefined ? {} : { session }) });
  await run.result();
  return run.id;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('Aborted.'));
    });
  });
}
