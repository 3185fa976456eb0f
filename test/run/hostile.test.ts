/* oxlint-disable typescript/only-throw-error, typescript/prefer-promise-reject-errors -- that is what these tools and brains do wrong */
import { describe, expect, it } from 'vitest';
import type { Brain } from '../../src/axle.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld } from './world.ts';

/** Lets a run with this brain end, and says how. */
async function endWith(generate: () => unknown) {
  // A brain of somebody without types may answer anything.
  const model = { id: 'hostile/brain', generate } as Brain;
  const { axle, clock } = await openWorld({ turns: [], agent: { model } });
  const run = await axle.start('worker', { input: 'go' });
  await clock.advance(60_000);
  return run.result();
}

describe('a brain that does not keep to its port', () => {
  it.each([
    [
      'throws at once',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'throws a symbol',
      () => {
        throw Symbol('no');
      },
    ],
    ['rejects with undefined', () => Promise.reject(undefined)],
    ['answers nothing', async () => undefined],
    [
      'answers parts that are none',
      async () => ({ status: 'answered', parts: [{ kind: 'text' }], finishReason: 'stop', usage: {} }),
    ],
    ['answers without usage', async () => ({ status: 'answered', parts: [], finishReason: 'stop', usage: null })],
    ['answers a failure that is none', async () => ({ status: 'failed', failure: 'no' })],
  ])('fails the run with a reason when it %s', async (_, generate) => {
    const result = await endWith(generate);
    expect(result).toMatchObject({
      status: 'failed',
      failure: { code: expect.stringMatching(/^model-/u), message: expect.any(String) },
    });
  });
});

describe('a tool that does not keep to its port', () => {
  const cases: readonly (readonly [string, () => unknown])[] = [
    [
      'throws undefined',
      () => {
        throw undefined;
      },
    ],
    [
      'throws an object whose fields throw',
      () => {
        throw new Proxy(
          {},
          {
            get: () => {
              throw new Error('trap');
            },
          },
        );
      },
    ],
    [
      'returns a cycle',
      () => {
        const cycle: { self?: unknown } = {};
        cycle.self = cycle;
        return cycle;
      },
    ],
    ['returns a function', () => () => {}],
    [
      'returns an object whose getter throws',
      () => ({
        get x(): never {
          throw new Error('trap');
        },
      }),
    ],
    ['returns five megabytes', () => 'x'.repeat(5_000_000)],
  ];
  it.each(cases)('leaves a failure for the model when it %s', async (_, run) => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'odd', { effect: 'read', run })],
      turns: (request, turn) =>
        turn === 0 ? { calls: [{ name: 'odd', input: {} }] } : JSON.stringify(request.items.at(-1)).slice(0, 500),
    });
    const result = await (await axle.start('worker', { input: 'go' })).result();
    expect(result).toMatchObject({ status: 'completed', output: expect.stringContaining('"status":"failed"') });
  });

  it('is named like a member of every object, and is still only a tool', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'constructor', { effect: 'read' })],
      turns: [
        {
          calls: [
            { name: 'constructor', input: {} },
            { name: 'toString', input: {} },
            { name: '', input: {} },
          ],
        },
        'done',
      ],
    });
    expect(await (await axle.start('worker', { input: 'go' })).result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toHaveLength(1);
  });

  it('that kills its process every time is given up after five lost attempts, and the model is told', async () => {
    const ledger = new Ledger();
    const memory = createMemoryStore();
    const clock = createHandClock();
    const deadly = ledgerTool(ledger, 'deadly', { effect: 'idempotent', run: () => new Promise(() => {}) });
    const turns = [{ calls: [{ name: 'deadly', input: {} }] }, 'I gave it up.'] as const;
    let runId = '';
    for (let death = 0; death < 8; death += 1) {
      const life = cutOffStore(memory);
      const { axle } = await openWorld({ tools: [deadly], turns, store: life.store, clock });
      if (runId === '') runId = (await axle.start('worker', { input: 'go' })).id;
      await clock.advance(0);
      life.cutOff();
    }
    expect(ledger.of('deadly')).toBe(6);
    const ended = (await entriesOf(memory, runId)).at(-1);
    expect(ended).toMatchObject({ type: 'run-finished', ending: 'completed', output: 'I gave it up.' });
    expect((await entriesOf(memory, runId)).find((entry) => entry.type === 'call-settled')).toMatchObject({
      outcome: { failure: { code: 'retries-exhausted' }, effectMayHaveHappened: true },
    });
  });
});
