import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agent, type Brain, toAgUi, tool } from '../../src/axle.ts';
import type { ModelPart } from '../../src/call/message.ts';
import type { EntryRow, Page, RunRow, RunStreamEvent, SystemAnswer } from '../../src/http.ts';
import { openWorld, readEvents, startRun, type World } from './world.ts';

/** A small generator of numbers from 0 to `below`, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_507) + 0x9e3779b9) | 0;
    return (state >>> 8) % below;
  };
}

const words = ['one', 'two', 'drei', 'четыре', '五', '👍🏽', '"quoted"', 'line\nbreak', '\u2028', '‮rtl'];

/** Writes its answers piece by piece, gives the others a turn between two pieces, and calls a tool or two. */
function talker(seed: number): Brain {
  const next = numbers(seed);
  return {
    id: 'test/talker',
    generate: async ({ items, onDelta }) => {
      const pieces = Array.from({ length: 2 + next(12) }, () => `${words[next(words.length)]} `);
      for (const text of pieces) {
        onDelta?.({ kind: 'text', part: 0, text });
        await turn();
      }
      const parts: ModelPart[] = [{ kind: 'text', text: pieces.join('') }];
      const isLast = items.length > 2 + next(6);
      if (!isLast) parts.push({ kind: 'call', toolCallId: `c${items.length}`, toolName: 'dig', argumentsText: '{}' });
      return { status: 'answered', parts, finishReason: isLast ? 'stop' : 'tool-calls', usage: {} };
    },
  };
}

const dig = tool({
  name: 'dig',
  description: 'Digs.',
  effect: 'read',
  input: { type: 'object' },
  execute: async (_, context) => {
    context.progress({ done: 1, total: 2 });
    await turn();
    context.log('deeper', { depth: 'x'.repeat(20) });
    return 'dug';
  },
});

/** A reader at the end of a bare socket, which can be cut after any character. */
class Reader {
  readonly events: { readonly id: string; readonly data: RunStreamEvent }[] = [];
  lastId: string | undefined;
  #text = '';

  /** Reads until the stream ends or so many characters have come, then lets go of the socket. True when the stream has ended. */
  async read(port: number, path: string, chars: number): Promise<boolean> {
    const socket = connect(port, '127.0.0.1');
    const headers = [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`];
    if (this.lastId !== undefined) headers.push(`Last-Event-ID: ${this.lastId}`);
    socket.write(`${headers.join('\r\n')}\r\n\r\n`);
    socket.setEncoding('utf8');
    this.#text = '';
    let left = chars;
    try {
      for await (const chunk of socket as AsyncIterable<string>) {
        // What lies behind the cut has never arrived.
        this.#take(chunk.slice(0, left));
        if (this.events.at(-1)?.data.kind === 'ended') return true;
        left -= chunk.length;
        if (left <= 0) return false;
      }
      return false;
    } finally {
      socket.destroy();
    }
  }

  #take(chunk: string): void {
    // Sizes of HTTP chunks stand between the frames; a frame is what lies between two empty lines, whole.
    this.#text += chunk;
    for (;;) {
      const match = /id: ([^\n]+)\nevent: [^\n]+\ndata: ([^\n]+)\n\n/.exec(this.#text);
      if (match === null) return;
      const [whole, id = '', data = ''] = match;
      this.#text = this.#text.slice(match.index + whole.length);
      this.events.push({ id, data: JSON.parse(data) as RunStreamEvent });
      this.lastId = id;
    }
  }
}

async function entriesOf(world: World, runId: string): Promise<readonly EntryRow[]> {
  return (await world.ask<Page<EntryRow>>('GET', `/v1/runs/${runId}/entries?limit=1000`)).body.items;
}

/** What every reader must have got, however it came to it. */
function judge(events: Reader['events'], entries: readonly EntryRow[]): void {
  const heard = events.flatMap(({ data }) => (data.kind === 'entry' ? [data] : []));
  expect(heard.map(({ id, seq, atMs, entry }) => ({ id, seq, atMs, entry }))).toEqual(
    entries.map(({ id, seq, atMs, entry }) => ({ id, seq, atMs, entry })),
  );
  expect(events.at(-1)?.data.kind).toBe('ended');
  // What was written piece by piece, and not reset, is the beginning or the whole of what was committed.
  let written = '';
  for (const { data } of events) {
    if (data.kind === 'text-delta') written += data.text;
    else if (data.kind === 'reset') written = '';
    else if (data.kind === 'entry' && data.entry.type === 'model-finished') {
      const [first] = data.entry.parts;
      // Whoever was away when the entry came is not told again piece by piece what stands in it.
      expect(first?.kind === 'text' && first.text.startsWith(written)).toBe(true);
      written = '';
    }
  }
}

describe('the stream of a run over HTTP (A12)', () => {
  it(
    'brings the same whether it was cut again and again at any character or never, in 50 runs',
    { timeout: 120_000 },
    async () => {
      const agents = Array.from({ length: 50 }, (_, seed) =>
        agent({ name: `talker-${seed}`, tools: ['dig'], model: talker(seed) }),
      );
      const world = await openWorld({ agents, tools: [dig] });
      let cuts = 0;
      let deltas = 0;
      for (let seed = 0; seed < agents.length; seed += 1) {
        const { body } = await world.ask<RunRow>('POST', '/v1/runs', {
          body: { agent: `talker-${seed}`, input: 'Talk.' },
          headers: { 'idempotency-key': `k${seed}` },
        });
        const path = `/v1/runs/${body.runId}/events`;
        const whole = new Reader();
        const wholeRead = whole.read(world.port, path, Infinity);
        const cut = new Reader();
        const next = numbers(seed);
        // The head of the answer has some 600 characters; now and then it gets no further.
        while (!(await cut.read(world.port, path, 500 + next(2_000)))) cuts += 1;
        expect(await wholeRead).toBe(true);
        const entries = await entriesOf(world, body.runId);
        judge(whole.events, entries);
        judge(cut.events, entries);
        deltas += [...whole.events, ...cut.events].filter(({ data }) => data.kind === 'text-delta').length;
        // Once more, when the run has ended, from places at which somebody has been.
        for (const { id } of [...whole.events, ...cut.events].filter((_, place) => place % 4 === seed % 4)) {
          const late = new Reader();
          late.lastId = id;
          expect(await late.read(world.port, path, Infinity)).toBe(true);
          const seq = Number(/\.(\d+)/.exec(id)?.[1]);
          expect(late.events.filter(({ data }) => data.kind === 'entry').map((event) => event.id)).toEqual(
            entries.filter((entry) => entry.seq > seq).map((entry) => entry.id),
          );
        }
      }
      expect(cuts).toBeGreaterThan(200);
      expect(deltas).toBeGreaterThan(50);
    },
  );

  it('refuses an id that is none before it begins', async () => {
    const world = await openWorld();
    const { runId } = await world.axle.call('add', { a: 1, b: 2 });
    for (const id of ['12', '1.2.3', 'x', "1.1'--"]) {
      const answer = await world.ask('GET', `/v1/runs/${runId}/events`, { headers: { 'last-event-id': id } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'usage-invalid' } });
    }
  });

  it('is there as AG-UI too, as the encoder makes it', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'clerk', 'k');
    const heard = await readEvents(await fetch(`${world.url}/v1/runs/${runId}/agui`), () => false);
    const made: unknown[] = [];
    for await (const event of toAgUi(runId, world.axle.run(runId).stream())) {
      made.push(JSON.parse(JSON.stringify(event)));
    }
    expect(heard.map(({ data }) => data)).toEqual(made);
    expect(made.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
  });

  it('names large values instead of sending them to everybody', async () => {
    const world = await openWorld();
    const { runId } = await world.axle.call('repeat', { word: 'x', times: 1_000_000 });
    const events = await readEvents(await fetch(`${world.url}/v1/runs/${runId}/events`), () => false);
    const text = JSON.stringify(events);
    expect(text).toContain('"$body"');
    expect(text.length).toBeLessThan(20_000);
    const entries = await entriesOf(world, runId);
    expect(events.filter(({ data }) => data['kind'] === 'entry').map(({ data }) => data['entry'])).toEqual(
      entries.map(({ entry }) => entry),
    );
  });
});

describe('many listeners', () => {
  it(
    'of one run cost little; those who do not read are let go with a reason, and go on from where they were',
    { timeout: 120_000 },
    async () => {
      const say = (text: string): Promise<unknown> =>
        world.ask('POST', `/v1/runs/${runId}/messages`, { body: { text } });
      const world = await openWorld({}, { slowListenerMs: 1_500, maxListeners: 1_100 });
      const { body } = await world.ask<RunRow>('POST', '/v1/runs', {
        body: { agent: 'listener', input: 'Hear.' },
        headers: { 'idempotency-key': 'k' },
      });
      const { runId } = body;
      await world.axle.run(runId).result();
      const hasRead = async (): Promise<boolean> => !(await world.axle.run(runId).summary()).hasPosts;
      const path = `/v1/runs/${runId}/events`;
      const sockets: Socket[] = [];
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
      // More than what the buffers between two sockets hold: 40 messages of 400,000 characters.
      for (let index = 0; index < 40; index += 1) await say(`${index} ${'m'.repeat(400_000)}`);
      await expect.poll(hasRead, { timeout: 20_000 }).toBe(true);
      const lastId = (await entriesOf(world, runId)).at(-1)?.id ?? '';
      const heard: number[] = [];
      const listen = async (after?: string): Promise<Socket> => {
        const socket = connect(world.port, '127.0.0.1');
        sockets.push(socket);
        await once(socket, 'connect');
        const more = after === undefined ? '' : `Last-Event-ID: ${after}\r\n`;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\n${more}\r\n`);
        return socket;
      };
      const listeners = async (): Promise<number> =>
        (await world.ask<SystemAnswer>('GET', '/v1/system')).body.listeners;
      globalThis.gc?.();
      const before = process.memoryUsage();
      for (let index = 0; index < 990; index += 1) {
        const socket = await listen(lastId);
        heard[index] = 0;
        socket.setEncoding('utf8');
        socket.on(
          'data',
          (chunk: string) => (heard[index] = (heard[index] ?? 0) + chunk.split('"message-received"').length - 1),
        );
      }
      // These come from the beginning, and read nothing.
      const slow: Socket[] = [];
      for (let index = 0; index < 10; index += 1) slow.push((await listen()).pause());
      for (let index = 0; index < 10; index += 1) await say(`${index} ${'s'.repeat(5_000)}`);
      await expect.poll(() => heard.every((count) => count === 10), { timeout: 60_000 }).toBe(true);
      await expect.poll(listeners, { timeout: 60_000 }).toBe(990);
      globalThis.gc?.();
      const after = process.memoryUsage();
      // Clients are in this process too. 1,000 queues of what the slow ones have not read would be 16 GB.
      const grownBytes = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
      expect(grownBytes).toBeLessThan(300_000_000);
      for (const socket of slow) {
        let tail = '';
        socket.setEncoding('utf8');
        socket.on('data', (chunk: string) => (tail = `${tail}${chunk}`.slice(-2_000)));
        socket.resume();
        await expect.poll(() => tail, { timeout: 20_000 }).toContain('stream-too-slow');
      }
      await world.axle.run(runId).cancel();
    },
  );
});
