import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, Ledger, ledgerTool, openWorld } from '../run/world.ts';

const turns = [{ calls: [{ name: 'refund', input: { cents: 5 } }] }, 'done'];

describe('the dispatcher of one process', () => {
  it('has taken a run by the time its answer is accepted, so that the next question for the result is not answered with the wait before', async () => {
    const { axle } = await openWorld({ tools: [ledgerTool(new Ledger(), 'refund', { risk: 'high' })], turns });
    const run = await axle.start('worker', { input: 'refund it' });
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'done' });
    await axle.close();
  });

  it('has taken what is due by the time it is open', async () => {
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const tools = [ledgerTool(new Ledger(), 'refund', { risk: 'high' })];
    const first = await openWorld({ tools, turns, store: old.store });
    const run = await first.axle.start('worker', { input: 'refund it' });
    await run.result();
    old.cutOff();
    await first.axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    const second = await openWorld({ tools, turns, store, clock: first.clock });
    expect(await second.axle.run(run.id).result()).toMatchObject({ status: 'completed', output: 'done' });
    await second.axle.close();
  });
});
