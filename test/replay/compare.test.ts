import { describe, expect, it } from 'vitest';
import { scriptedBrain, type ScriptedTurn } from '../../src/testing.ts';
import { Ledger, ledgerTool, openWorld } from '../run/world.ts';

function tools(ledger: Ledger) {
  return [
    ledgerTool(ledger, 'look', { effect: 'read', run: (input) => ({ seen: input }) }),
    ledgerTool(ledger, 'pay', { run: (input) => ({ receipt: input }) }),
  ];
}

const script: readonly ScriptedTurn[] = [
  { calls: [{ name: 'look', input: { at: 1 } }] },
  { calls: [{ name: 'pay', input: { cents: 5, to: 'ann' } }] },
  { calls: [{ name: 'look', input: { at: 3 } }] },
  'done',
];

describe('two runs that are compared', () => {
  it('never part when one is a fork with nothing changed', async () => {
    const { axle } = await openWorld({ tools: tools(new Ledger()), turns: script });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const fork = await axle.fork(run.id, { at: 2 });
    await fork.result();
    const comparison = await axle.compare(run.id, fork.id);
    expect(comparison).toMatchObject({
      left: { runId: run.id, ending: 'completed', steps: 4 },
      right: { runId: fork.id, fork: { of: run.id, step: 2 } },
      shared: { runId: run.id, steps: 1 },
    });
    expect(comparison.divergence).toBeUndefined();
    expect(
      comparison.steps.map(({ step, isSame, left, right }) => [step, isSame, left !== undefined, right !== undefined]),
    ).toEqual([
      [1, true, true, false],
      [2, true, true, true],
      [3, true, true, true],
      [4, true, true, true],
    ]);
    expect(comparison.steps[1]?.right?.calls[0]).toMatchObject({ isRecorded: true, attempts: 0, status: 'succeeded' });
  });

  it('part where the context differs, block by block, when a result was another one', async () => {
    const { axle } = await openWorld({ tools: tools(new Ledger()), turns: script });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const fork = await axle.fork(run.id, { at: 2, results: { '1.0': { seen: 'nothing' } } });
    await fork.result();
    const { divergence, steps } = await axle.compare(run.id, fork.id);
    expect(divergence).toEqual({ step: 2, what: 'context' });
    expect(steps[1]?.blocks).toEqual([
      {
        kind: 'results',
        index: 2,
        change: 'changed',
        left: expect.stringContaining('{"at":1}'),
        right: expect.stringContaining('nothing'),
      },
    ]);
  });

  it('part at the arguments, the results, the calls or the answer, with the places that differ', async () => {
    const other = scriptedBrain([
      { calls: [{ name: 'look', input: { at: 1 } }] },
      { calls: [{ name: 'pay', input: { cents: 6, to: 'ann' } }] },
      {
        calls: [
          { name: 'pay', input: { cents: 1 } },
          { name: 'look', input: {} },
        ],
      },
      'well done',
    ]);
    const { axle } = await openWorld({ tools: tools(new Ledger()), turns: script, axle: { models: { other } } });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const fork = await axle.fork(run.id, { at: 1, model: 'other', live: ['pay'] });
    await fork.result();
    const { divergence, steps } = await axle.compare(run.id, fork.id);
    expect(divergence).toEqual({ step: 2, what: 'arguments' });
    expect(steps[0]?.isSame).toBe(true);
    expect(steps[1]?.differences).toEqual([
      { what: 'arguments', call: 0, path: '/cents', left: 5, right: 6 },
      { what: 'result', call: 0, path: '/output/receipt/cents', left: 5, right: 6 },
    ]);
    expect(steps[2]?.differences).toContainEqual({ what: 'calls', call: 0, left: 'look', right: 'pay' });
    expect(steps[2]?.differences).toContainEqual({ what: 'calls', call: 1, right: 'look' });
    expect(steps[3]?.differences).toContainEqual({ what: 'answer', left: 'done', right: 'well done' });
  });

  it('have calls that wait for a person, and calls in doubt, as what they are', async () => {
    const approved = [ledgerTool(new Ledger(), 'pay', { risk: 'high' })];
    const asking = await openWorld({ tools: approved, turns: script.slice(1) });
    const waits = await asking.axle.start('worker', { input: 'go' });
    await waits.result();
    const [step] = (await asking.axle.compare(waits.id, waits.id)).steps;
    expect(step?.left?.calls).toMatchObject([{ tool: 'pay', status: 'waiting' }]);

    const silent = ledgerTool(new Ledger(), 'pay', { timeout: '1s', run: () => new Promise(() => {}) });
    const doubting = await openWorld({ tools: [silent], turns: script.slice(1) });
    const doubts = await doubting.axle.start('worker', { input: 'go' });
    const rests = doubts.result();
    await doubting.clock.advance(1_000);
    await rests;
    const [other] = (await doubting.axle.compare(doubts.id, doubts.id)).steps;
    expect(other?.left?.calls).toMatchObject([{ tool: 'pay', status: 'in-doubt' }]);
  });

  it('that have nothing to do with each other are aligned by their steps', async () => {
    const { axle } = await openWorld({ tools: tools(new Ledger()), turns: script });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const call = await axle.call('look', { at: 9 });
    const comparison = await axle.compare(run.id, call.runId);
    expect(comparison.shared).toBeUndefined();
    expect(comparison.divergence?.step).toBe(1);
    expect(comparison.steps.map(({ right }) => right !== undefined)).toEqual([true, false, false, false]);
    await expect(axle.compare(run.id, 'run_nobody')).rejects.toMatchObject({ code: 'run-unknown' });
  });
});
