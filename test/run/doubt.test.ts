import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf, type World } from './world.ts';

const paying = { turns: [{ calls: [{ name: 'pay', input: { cents: 5 } }] }, 'done'] } as const;

/** A promise that a test settles by hand. */
function byHand<T>() {
  return Promise.withResolvers<T>();
}

/** A world whose first driver is in the middle of `pay` when a second driver takes the run: the first is a zombie from then on. */
async function crashDuringPay(
  declared: Parameters<typeof ledgerTool>[2] = {},
): Promise<{ ledger: Ledger; second: World; runId: string; answer: (value: unknown) => void }> {
  const ledger = new Ledger();
  const store = createMemoryStore();
  const reply = byHand<unknown>();
  let isFirst = true;
  const hanging = ledgerTool(ledger, 'pay', {
    ...declared,
    run: () => {
      if (!isFirst) return { receipt: 2 };
      isFirst = false;
      return reply.promise;
    },
  });
  const old = cutOffStore(store);
  const first = await openWorld({ tools: [hanging], store: old.store, ...paying });
  const run = await first.axle.start('worker', { input: 'pay' });
  await first.clock.advance(0);
  expect(ledger.of('pay')).toBe(1);
  old.cutOff();
  const second = await openWorld({ tools: [hanging], store, clock: first.clock, ...paying });
  await first.clock.advance(0);
  return { ledger, second, runId: run.id, answer: reply.resolve };
}

describe('a call whose attempt was cut off (S1, T19)', () => {
  it('is in doubt when it is a write, and is not run again', async () => {
    const { ledger, second, runId } = await crashDuringPay();
    expect(await second.axle.run(runId).result()).toMatchObject({
      status: 'waiting',
      on: [{ kind: 'doubt', callId: '1.0' }],
    });
    expect(ledger.of('pay')).toBe(1);
    expect(await second.axle.calls.inDoubt(runId)).toMatchObject([
      { id: `${runId}/1.0`, tool: 'pay', reason: 'crash' },
    ]);
  });

  it('runs again with the same key when it is idempotent', async () => {
    const { ledger, second, runId } = await crashDuringPay({ effect: 'idempotent' });
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects.map((effect) => effect.attempt)).toEqual([1, 2]);
    expect(new Set(ledger.effects.map((effect) => effect.key)).size).toBe(1);
  });

  it('runs again when it is a read', async () => {
    const { ledger, second, runId } = await crashDuringPay({ effect: 'read' });
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(2);
  });

  it('is settled by a person who says that it happened', async () => {
    const { ledger, second, runId } = await crashDuringPay();
    await second.axle.calls.resolve(`${runId}/1.0`, {
      happened: true,
      output: { receipt: 1 },
      note: 'seen in the ledger',
    });
    expect(await second.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
    expect((await entriesOf(second.store, runId)).filter((entry) => entry.type === 'call-resolved')).toMatchObject([
      { by: 'person', verdict: { kind: 'happened' } },
    ]);
  });

  it('is run exactly once more when a person says that it did not happen and decides to retry', async () => {
    const { ledger, second, runId } = await crashDuringPay();
    await second.axle.calls.resolve(`${runId}/1.0`, { happened: false, then: 'retry' });
    expect(await second.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects.map((effect) => effect.attempt)).toEqual([1, 2]);
  });

  it('takes the first resolution; the second gets it back', async () => {
    const { second, runId } = await crashDuringPay();
    await second.axle.calls.resolve(`${runId}/1.0`, { happened: false, then: 'fail' });
    await expect(second.axle.calls.resolve(`${runId}/1.0`, { happened: true })).rejects.toMatchObject({
      code: expect.stringMatching(/decision-(already-made|invalid)/u),
    });
  });

  it('is never resolved by time alone', async () => {
    const { second, runId } = await crashDuringPay();
    await second.clock.advance(400 * 86_400_000);
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
  });

  it('is settled by the late answer of the old driver, as evidence', async () => {
    const { ledger, second, runId, answer } = await crashDuringPay();
    answer({ receipt: 1 });
    await second.clock.advance(0);
    expect(await second.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
    const types = await typesOf(second.store, runId);
    expect(types).toContain('evidence-received');
    expect(types).not.toContain('attempt-finished');
  });

  it('is settled by verify, which is asked only after the time limit of the attempt', async () => {
    let asked = 0;
    const { ledger, second, runId } = await crashDuringPay({
      timeout: '8s',
      verify: async () => {
        asked += 1;
        return { happened: true, output: { receipt: 1 } };
      },
    });
    await second.clock.advance(7_000);
    expect(asked).toBe(0);
    await second.clock.advance(2_000);
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'completed' });
    expect(asked).toBe(1);
    expect(ledger.of('pay')).toBe(1);
  });

  it('is run once more when verify says that it did not happen', async () => {
    const { ledger, second, runId } = await crashDuringPay({
      timeout: '8s',
      verify: async () => ({ happened: false }),
    });
    await second.clock.advance(20_000);
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(2);
  });

  it('waits for a person when verify does not know, after three rounds', async () => {
    let asked = 0;
    const { second, runId } = await crashDuringPay({
      timeout: '1s',
      verify: async () => {
        asked += 1;
        return { happened: 'unknown' };
      },
    });
    await second.clock.advance(3_600_000);
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    expect(asked).toBe(3);
  });
});

describe('a live call that nobody answers (T3, T19)', () => {
  it('is in doubt when a write times out, blocks the finish of the run and none of its siblings', async () => {
    const ledger = new Ledger();
    const { axle, clock, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', { timeout: '1s', run: () => new Promise(() => {}) }),
        ledgerTool(ledger, 'note'),
      ],
      turns: [
        {
          calls: [
            { name: 'pay', input: {} },
            { name: 'note', input: {} },
          ],
        },
        'done',
      ],
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(2_000);
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt', callId: '1.0' }] });
    expect(ledger.of('note')).toBe(1);
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'call-doubted')).toMatchObject({
      reason: 'no-answer',
    });
  });

  it('tells the model instead of asking a person where the agent says so', async () => {
    const ledger = new Ledger();
    const { axle, clock } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { timeout: '1s', run: () => new Promise(() => {}) })],
      agent: { onDoubt: 'tell' },
      turns: (request, turn) =>
        turn === 0 ? { calls: [{ name: 'pay', input: {} }] } : JSON.stringify(request.items.at(-1)),
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(2_000);
    const result = await run.result();
    expect(result).toMatchObject({ status: 'completed', output: expect.stringContaining('in-doubt') });
  });

  it('is settled by the answer that comes after the time limit', async () => {
    const ledger = new Ledger();
    const reply = byHand<unknown>();
    const { axle, clock } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { timeout: '1s', run: () => reply.promise })],
      ...paying,
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(2_000);
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    reply.resolve({ receipt: 1 });
    await clock.advance(0);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
  });
});

describe('cancellation (T3, L10)', () => {
  it('starts nothing more, aborts what runs, and keeps the partial result', async () => {
    const ledger = new Ledger();
    let aborted = false;
    const { axle, clock } = await openWorld({
      tools: [
        ledgerTool(ledger, 'slow', {
          effect: 'read',
          run: (_, context) =>
            new Promise((_resolve, reject) => {
              context.signal.addEventListener('abort', () => {
                aborted = true;
                reject(new Error('stopped'));
              });
            }),
        }),
        ledgerTool(ledger, 'pay'),
      ],
      turns: [
        {
          text: 'so far so good',
          calls: [
            { name: 'slow', input: {} },
            { name: 'pay', input: {} },
          ],
        },
        'done',
      ],
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    await run.cancel('user asked');
    await clock.advance(0);
    expect(await run.result()).toMatchObject({ status: 'cancelled', output: 'so far so good' });
    expect(aborted).toBe(true);
    expect(ledger.of('pay')).toBe(0);
  });

  it('leaves a write that was under way in doubt, never cancelled', async () => {
    const ledger = new Ledger();
    const { axle, clock } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { run: () => new Promise(() => {}) })],
      ...paying,
    });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(0);
    await run.cancel();
    await clock.advance(5_000);
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    await axle.calls.resolve(`${run.id}/1.0`, { happened: true });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'cancelled' });
  });

  it('refuses messages and cancellations of a run that has ended', async () => {
    const { axle } = await openWorld({ turns: ['done'] });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    await expect(run.cancel()).rejects.toMatchObject({ code: 'run-ended' });
    await expect(run.send('more')).rejects.toMatchObject({ code: 'run-ended' });
  });
});
