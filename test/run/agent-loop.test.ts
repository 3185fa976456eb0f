import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/axle.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const call = (name: string, input: unknown = {}, id?: string) => ({ name, input, ...(id === undefined ? {} : { id }) });

describe('the agent loop (A1, A2, A9)', () => {
  it('goes from model to tools to model until an answer', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: [ledgerTool(ledger, 'look_up', { effect: 'read' })],
      turns: [{ calls: [call('look_up', { city: 'Oslo' })] }, 'Take a coat.'],
    });
    const run = await axle.start('worker', { input: 'What should I wear?' });
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'Take a coat.', steps: 2 });
    expect(ledger.effects).toMatchObject([{ tool: 'look_up', input: { city: 'Oslo' }, attempt: 1 }]);
    expect(await typesOf(store, run.id)).toEqual([
      'run-accepted',
      'model-started',
      'model-finished',
      'call-bound',
      'call-decided',
      'attempt-started',
      'attempt-finished',
      'call-settled',
      'model-started',
      'model-finished',
      'run-finished',
    ]);
  });

  it('runs reads of a turn in parallel and effects one after another, in the order of the calls (R26)', async () => {
    const ledger = new Ledger();
    let running = 0;
    const overlaps: string[] = [];
    const watched = (name: string) => async () => {
      running += 1;
      overlaps.push(`${name}:${running}`);
      await new Promise<void>((resolve) => setImmediate(resolve));
      running -= 1;
      return name;
    };
    const { axle, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'read', { effect: 'read', run: watched('read') }),
        ledgerTool(ledger, 'write', { effect: 'write', run: watched('write') }),
      ],
      turns: [
        {
          calls: [
            call('read', { a: 1 }),
            call('read', { a: 2 }),
            call('write', { a: 3 }),
            call('write', { a: 4 }),
            call('read', { a: 5 }),
          ],
        },
        'done',
      ],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(overlaps).toEqual(['read:1', 'read:2', 'write:1', 'write:1', 'read:1']);
    const settled = (await entriesOf(store, run.id))
      .filter((entry) => entry.type === 'call-settled')
      .map((entry) => entry.callId);
    expect(settled).toEqual(['1.0', '1.1', '1.2', '1.3', '1.4']);
  });

  it('runs a repeated call id once', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay')],
      turns: [
        { calls: [call('pay', { cents: 5 }, 'a'), call('pay', { cents: 5 }, 'a')] },
        { calls: [call('pay', { cents: 5 }, 'a')] },
        'done',
      ],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
  });

  it('gives calls that share an id but not their arguments an id each', async () => {
    const ledger = new Ledger();
    const seen: string[][] = [];
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay')],
      turns: (request, turn) => {
        seen.push(
          request.items.flatMap((item) =>
            item.kind === 'results' ? item.results.map((result) => result.toolCallId) : [],
          ),
        );
        return turn === 0 ? { calls: [call('pay', { cents: 5 }, 'pay'), call('pay', { cents: 6 }, 'pay')] } : 'done';
      },
    });
    await (await axle.start('worker', { input: 'go' })).result();
    expect(ledger.of('pay')).toBe(2);
    expect(new Set(seen[1]).size).toBe(2);
  });

  it('tells the model about a tool that does not exist, and goes on', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: [ledgerTool(ledger, 'read_file', { effect: 'read' })],
      turns: [{ calls: [call('fetch_page')] }, { calls: [call('read_file')] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'done' });
    const refused = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-refused');
    expect(refused).toMatchObject({ failure: { code: 'tool-unknown', message: expect.stringContaining('read_file') } });
    expect(ledger.effects).toHaveLength(1);
  });

  it('never runs the calls of an answer that the output limit cut off', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay')],
      turns: [
        {
          status: 'answered',
          finishReason: 'length',
          usage: {},
          parts: [{ kind: 'call', toolCallId: 'a', toolName: 'pay', argumentsText: '{"cents":1}' }],
        },
        'I could not pay.',
      ],
    });
    expect(await (await axle.start('worker', { input: 'go' })).result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toHaveLength(0);
  });

  it('feeds unreadable output back, and stops after five in a row', async () => {
    const empty = { status: 'answered', finishReason: 'stop', usage: {}, parts: [] } as const;
    const mended = await openWorld({ turns: [empty, 'Sorry: 42.'] });
    expect(await (await mended.axle.start('worker', { input: 'go' })).result()).toMatchObject({
      status: 'completed',
      output: 'Sorry: 42.',
    });
    const broken = await openWorld({ turns: () => empty });
    expect(await (await broken.axle.start('worker', { input: 'go' })).result()).toMatchObject({
      status: 'stopped',
      failure: { code: 'model-output-unreadable' },
      steps: 5,
    });
  });

  it('stops at the limit of steps with the partial result', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'look_up', { effect: 'read' })],
      turns: (_, turn) => ({ text: `part ${turn + 1}`, calls: [call('look_up', { turn })] }),
      agent: { budget: { steps: 3 } },
    });
    expect(await (await axle.start('worker', { input: 'go' })).result()).toMatchObject({
      status: 'stopped',
      output: 'part 3',
      steps: 3,
      failure: { code: 'run-steps-exhausted' },
    });
    expect(ledger.effects).toHaveLength(3);
  });

  it('stops when its time for work is used up, and does not count waits', async () => {
    const ledger = new Ledger();
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(ledger, 'slow', {
          effect: 'read',
          timeout: '60s',
          run: () => new Promise((resolve) => clock.after(20_000, () => resolve('ok'))),
        }),
      ],
      turns: (_, turn) => ({ calls: [call('slow', { turn })] }),
      agent: { budget: { time: '50s', steps: 100 } },
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(200_000);
    expect(await run.result()).toMatchObject({ status: 'stopped', failure: { code: 'run-time-exhausted' } });
    expect(ledger.effects).toHaveLength(3);
  });

  it('asks a model that is down once more, and then fails with its reason', async () => {
    let asked = 0;
    const down = {
      status: 'failed',
      failure: { code: 'model-unavailable', class: 'retryable', message: 'overloaded', evidence: 'unknown' },
    } as const;
    const { axle, clock } = await openWorld({
      turns: () => {
        asked += 1;
        return down;
      },
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(60_000);
    expect(await run.result()).toMatchObject({ status: 'failed', failure: { message: 'overloaded' } });
    expect(asked).toBe(2);
  });

  it('waits for the next message when it is told to, and goes on with it', async () => {
    const { axle } = await openWorld({ turns: ['Which city?', 'Oslo it is.'], agent: { onAnswer: 'wait' } });
    const run = await axle.start('worker', { input: 'Weather?' });
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'message' }] });
    await run.send('Oslo');
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    await run.cancel('enough');
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'cancelled', output: 'Oslo it is.' });
  });
});

describe('messages to a run that is about to end (L7)', () => {
  it('takes in what was posted between the decision to end and its commit, and goes on', async () => {
    const memory = createMemoryStore();
    let isPosted = false;
    const store: typeof memory = wrapStore(memory, {
      append: async (batch) => {
        if (!isPosted && batch.status.state === 'ended') {
          isPosted = true;
          await memory.post({ runId: batch.runId, kind: 'message', body: { text: 'One more thing.' }, atMs: 1 });
        }
        return memory.append(batch);
      },
    });
    const { axle } = await openWorld({
      store,
      turns: (request, turn) => (turn === 0 ? 'done' : JSON.stringify(request.items.at(-1))),
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result({ until: 'ended' })).toMatchObject({
      status: 'completed',
      output: expect.stringContaining('One more thing.'),
    });
  });
});

describe('retries (T2): by error class and effect', () => {
  const flaky = (failures: number, error: () => Error) => {
    let left = failures;
    return () => {
      if (left > 0) {
        left -= 1;
        throw error();
      }
      return 'ok';
    };
  };

  it('repeats a read whose upstream fails, after a wait that is an entry', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'look_up', {
        effect: 'read',
        run: flaky(2, () => new ToolError({ message: 'down', class: 'retryable' })),
      }),
    ];
    const { axle, clock, store } = await openWorld({ tools, turns: [{ calls: [call('look_up')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(20_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('look_up')).toBe(3);
    const waits = (await entriesOf(store, run.id)).flatMap((entry) =>
      entry.type === 'retry-scheduled' ? [entry.attempt] : [],
    );
    expect(waits).toEqual([2, 3]);
  });

  it('repeats an idempotent call with the same key', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'put', {
        effect: 'idempotent',
        run: flaky(1, () => new ToolError({ message: 'lost', class: 'retryable', effect: 'unknown' })),
      }),
    ];
    const { axle, clock } = await openWorld({ tools, turns: [{ calls: [call('put')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(20_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(new Set(ledger.effects.map((effect) => effect.key)).size).toBe(1);
    expect(ledger.effects).toHaveLength(2);
  });

  it('repeats a write only when the error proves that nothing was sent', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'pay', {
        run: flaky(1, () => new ToolError({ message: 'refused', class: 'retryable', effect: 'none' })),
      }),
    ];
    const { axle, clock } = await openWorld({ tools, turns: [{ calls: [call('pay')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(20_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(2);
  });

  it('does not repeat a write that throws, says that it may have happened, and asks a person before the same call again', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'pay', {
        run: () => {
          throw new Error('boom');
        },
      }),
    ];
    const { axle, store } = await openWorld({
      tools,
      turns: [{ calls: [call('pay', { cents: 1 })] }, { calls: [call('pay', { cents: 1 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'approval' }] });
    expect(ledger.of('pay')).toBe(1);
    const settled = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-settled');
    expect(settled).toMatchObject({ outcome: { status: 'failed', effectMayHaveHappened: true } });
  });

  it('honours Retry-After to the letter, zero included', async () => {
    const ledger = new Ledger();
    let answer = 0;
    const tools = [
      ledgerTool(ledger, 'look_up', {
        effect: 'read',
        run: () => {
          answer += 1;
          if (answer === 1) throw new ToolError({ message: 'later', class: 'retryable', retryAfterMs: 120_000 });
          if (answer === 2) throw new ToolError({ message: 'now', class: 'retryable', retryAfterMs: 0 });
          return 'ok';
        },
      }),
    ];
    const { axle, clock, store } = await openWorld({ tools, turns: [{ calls: [call('look_up')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(119_000);
    expect(ledger.of('look_up')).toBe(1);
    await clock.advance(1_000);
    await clock.advance(0);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('look_up')).toBe(3);
    const scheduled = (await store.read(run.id)).flatMap((append) =>
      append.entries.flatMap((entry) => (entry.type === 'retry-scheduled' ? [entry.dueAtMs - append.atMs] : [])),
    );
    expect(scheduled).toEqual([120_000, 0]);
  });

  it('holds the time limit even when the tool ignores its signal (T3)', async () => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'hang', {
        effect: 'read',
        timeout: '1s',
        retry: { attempts: 1 },
        run: () => new Promise(() => {}),
      }),
    ];
    const { axle, clock, store } = await openWorld({ tools, turns: [{ calls: [call('hang')] }, 'it hung'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(1_500);
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'it hung' });
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'attempt-finished')).toMatchObject({
      result: { failure: { code: 'tool-timed-out' } },
    });
  });
});
