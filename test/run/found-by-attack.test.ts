import { describe, expect, it } from 'vitest';
import { createAxle, type Policy, tool, ToolError } from '../../src/axle.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const pay = (id: string, input: unknown = { cents: 5 }) => ({ id, name: 'pay', input });

describe('the same call twice in a turn waits for what becomes of the first', () => {
  it('a twin of a call that failed and may have happened asks a person', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'pay', {
        run: () => {
          throw new Error('boom');
        },
      }),
    ];
    const { axle } = await openWorld({ tools, turns: [{ calls: [pay('a'), pay('b')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'approval', callId: '1.1' }] });
    expect(ledger.of('pay')).toBe(1);
  });

  it('a twin of a call in doubt does not run while the doubt is open', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'pay', { timeout: '1s', run: () => new Promise(() => {}) }),
      ledgerTool(ledger, 'note'),
    ];
    const { axle, clock } = await openWorld({
      tools,
      turns: [{ calls: [pay('a'), pay('b'), { name: 'note', input: {} }] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(5_000);
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt', callId: '1.0' }] });
    expect(ledger.of('pay')).toBe(1);
  });

  it('a twin of a call that a person denied is not asked about', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { risk: 'high' })],
      turns: [{ calls: [pay('a'), pay('b')] }, 'no'],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ callId: '1.0' }] });
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'deny' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed', output: 'no' });
    expect(ledger.effects).toHaveLength(0);
  });

  it('a policy of your own that always asks does not ask again about what was denied, reads included', async () => {
    const ledger = new Ledger();
    const policy: Policy = ({ approvalTtlMs }) => ({
      kind: 'ask',
      rule: 'always',
      reason: 'asked',
      expiresAfterMs: approvalTtlMs + 0.5,
    });
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { effect: 'read' })],
      turns: [{ calls: [pay('a')] }, { calls: [pay('b')] }, 'no'],
      policy,
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'deny' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed', output: 'no' });
  });
});

describe('what is handed out cannot be changed', () => {
  it('a tool that changes its input changes neither the next attempt nor the history', async () => {
    const ledger = new Ledger();
    let attempts = 0;
    const spoil = tool({
      name: 'pay',
      description: 'Pays.',
      risk: 'high',
      input: { type: 'object' },
      retry: { baseMs: 1 },
      execute: async (input, context) => {
        ledger.note('pay', structuredClone(input), context);
        Object.assign(input, { cents: 500 });
        attempts += 1;
        if (attempts === 1) throw new ToolError({ message: 'later', effect: 'none' });
        return 'paid';
      },
    });
    const seen: unknown[] = [];
    const { axle, clock } = await openWorld({
      tools: [spoil],
      turns: (request, turn) => {
        seen.push(
          request.items.flatMap((item) => (item.kind === 'assistant' ? item.calls.map((call) => call.input) : [])),
        );
        return turn === 0 ? { calls: [pay('a')] } : 'done';
      },
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    await clock.advance(60_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects.map((effect) => effect.input)).toEqual([{ cents: 5 }, { cents: 5 }]);
    expect(seen[1]).toEqual([{ cents: 5 }]);
  });

  it('a brain cannot change what the next turn is shown', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'look', { effect: 'read', run: () => ({ deep: { truth: 1 } }) })],
      turns: (request, turn) => {
        if (turn === 0) return { calls: [{ name: 'look', input: {} }] };
        for (const item of request.items) {
          if (item.kind !== 'results') continue;
          const outcome = item.results[0]?.outcome;
          const output = outcome?.status === 'succeeded' ? outcome.output : null;
          const deep = Object.values(output ?? {})[0];
          expect(() => Object.assign(deep, { truth: 2 })).toThrow(TypeError);
        }
        return 'done';
      },
    });
    expect(await (await axle.start('worker', { input: 'go' })).result()).toMatchObject({ status: 'completed' });
  });
});

describe('much at once is taken in parts', () => {
  it('a thousand messages to a run that nobody drives are all taken in, and it can be cancelled', async () => {
    const memory = createMemoryStore();
    const old = cutOffStore(memory);
    const first = await openWorld({ turns: ['?'], agent: { onAnswer: 'wait' }, store: old.store });
    const run = await first.axle.start('worker', { input: 'go' });
    await run.result();
    old.cutOff();
    await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        memory.post({ runId: run.id, kind: 'message', body: { text: `m${index}` }, atMs: 1 }),
      ),
    );
    const second = await openWorld({
      turns: ['?', '!'],
      agent: { onAnswer: 'wait' },
      store: memory,
      clock: first.clock,
    });
    await second.clock.advance(0);
    await second.axle.run(run.id).cancel();
    await second.clock.advance(0);
    expect(await second.axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'cancelled' });
    const received = (await entriesOf(memory, run.id)).filter((entry) => entry.type === 'message-received');
    expect(received).toHaveLength(1_000);
  });

  it('a turn of too many calls, and an answer that is too long, are told to the model and not run', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'look', { effect: 'read' })],
      turns: [
        { calls: Array.from({ length: 2_000 }, (_, n) => ({ name: 'look', input: { n } })) },
        'x'.repeat(4_000_001),
        'sorry',
      ],
    });
    expect(await (await axle.start('worker', { input: 'go' })).result()).toMatchObject({
      status: 'completed',
      output: 'sorry',
      steps: 3,
    });
    expect(ledger.effects).toHaveLength(0);
  });

  it('sixty parallel results of a megabyte each are kept', { timeout: 90_000 }, async () => {
    const ledger = new Ledger();
    const gate = Promise.withResolvers<void>();
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(ledger, 'look', {
          effect: 'read',
          run: async () => {
            await gate.promise;
            return 'x'.repeat(1_000_000);
          },
        }),
      ],
      turns: [{ calls: Array.from({ length: 60 }, (_, n) => ({ name: 'look', input: { n } })) }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    gate.resolve();
    await clock.advance(0);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toHaveLength(60);
  });
});

describe('odd values', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { deeper: nested(levels - 1) });

  it('an output of 99 levels passes snapshots, and late evidence of it settles a doubt', async () => {
    const ledger = new Ledger();
    const reply = Promise.withResolvers<unknown>();
    const { axle, clock, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', { timeout: '1s', run: () => reply.promise }),
        ledgerTool(ledger, 'look', { effect: 'read', run: () => nested(99) }),
      ],
      agent: { budget: { steps: 100 } },
      turns: (_, turn) =>
        turn === 0 ? { calls: [pay('a')] } : turn < 80 ? { calls: [{ name: 'look', input: { turn } }] } : 'done',
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(2_000);
    reply.resolve(nested(99));
    await clock.advance(0);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(await store.snapshot(run.id)).toBeDefined();
  });

  it('fractions of a millisecond are no trouble', async () => {
    const ledger = new Ledger();
    let attempts = 0;
    const { axle, clock, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', {
          risk: 'high',
          verify: async () => ({ happened: false }),
          settle: 20_000.5,
          run: () => {
            attempts += 1;
            if (attempts === 1) throw new ToolError({ message: 'later', effect: 'none', retryAfterMs: 10.5 });
            return 'ok';
          },
        }),
      ],
      agent: { approvalTtl: 86_400_000.5 },
      turns: [{ calls: [pay('a')] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    await clock.advance(1_000);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    for (const entry of await entriesOf(store, run.id)) {
      if (entry.type === 'retry-scheduled') expect(Number.isInteger(entry.dueAtMs)).toBe(true);
    }
  });

  it('a misspelt class or effect of a ToolError is a plain failure, and a proof heard after an abort stays one', async () => {
    const ledger = new Ledger();
    const odd = Object.assign(new ToolError({ message: 'x' }), { class: 'retriable', effect: 'nothing' });
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(ledger, 'odd', {
          effect: 'read',
          run: () => {
            throw odd;
          },
        }),
        ledgerTool(ledger, 'pay', {
          run: (_, context) =>
            new Promise((_resolve, reject) => {
              context.signal.addEventListener('abort', () =>
                reject(new ToolError({ message: 'not sent', effect: 'none' })),
              );
            }),
        }),
      ],
      turns: [{ calls: [{ name: 'odd', input: {} }] }, { calls: [pay('a')] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    await run.cancel();
    await clock.advance(0);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'cancelled' });
    expect(ledger.of('odd')).toBe(1);
  });

  it('whoever watches cannot disturb the call', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', {
          run: (_, context) => {
            // @ts-expect-error -- what the compiler would refuse.
            context.log('about to pay', { how: () => {} });
            context.progress({ done: 1 });
            return 'paid';
          },
        }),
      ],
      turns: [{ calls: [pay('a')] }, 'done'],
      onLive: () => {
        throw new Error('watcher');
      },
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
  });
});

describe('the life of a dispatcher', () => {
  it('starts nothing of a run that was accepted while it closes', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: [ledgerTool(ledger, 'pay')],
      turns: [{ calls: [pay('a')] }, 'done'],
    });
    const starting = axle.start('worker', { input: 'go' });
    await axle.close();
    const run = await starting.catch(() => undefined);
    expect(ledger.effects).toHaveLength(0);
    if (run !== undefined) {
      expect(await typesOf(store, run.id).catch(() => ['run-accepted'])).not.toContain('attempt-started');
    }
  });

  it('refuses another message under a used key, and one that is no text', async () => {
    const { axle } = await openWorld({ turns: ['?'], agent: { onAnswer: 'wait' } });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    await run.send('one', { key: 'k' });
    await run.send('one', { key: 'k' });
    await expect(run.send('two', { key: 'k' })).rejects.toMatchObject({ code: 'run-key-reused' });
    // @ts-expect-error -- what the compiler would refuse.
    await expect(run.send(42)).rejects.toMatchObject({ code: 'usage-invalid' });
  });
});

describe('a process that is closed in order', () => {
  it('makes the attempt that it has announced, and leaves no doubt about what never began', async () => {
    const ledger = new Ledger();
    const inner = createMemoryStore();
    let close = async (): Promise<void> => {};
    let closed: (done: Promise<void>) => void = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const store = wrapStore(inner, {
      append: async (batch) => {
        const position = await inner.append(batch);
        if (batch.append.entries.some(({ type }) => type === 'attempt-started')) closed(close());
        return position;
      },
      close: async () => {},
    });
    const tools = [ledgerTool(ledger, 'pay')];
    const axle = await createAxle({ store, tools, log: () => {} });
    close = () => axle.close();
    const { id } = await axle.startCall('pay', { cents: 5 });
    await isClosed;
    await using next = await createAxle({ store: inner, tools, log: () => {} });
    expect(await next.run(id).result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
  });
});
