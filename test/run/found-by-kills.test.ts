/** Bugs that the kill harness found, each as the schedule that shows it. */
import { describe, expect, it } from 'vitest';
import { ToolError, type VerifyAnswer } from '../../src/axle.ts';
import type { Position } from '../../src/journal/store.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { entriesOf, Ledger, ledgerTool, openWorld } from './world.ts';

const call = (name: string) => ({ name, input: {} });

describe('what the kill harness found', () => {
  it('an append under way does not begin work again that ends meanwhile', async () => {
    const ledger = new Ledger();
    const memory = createMemoryStore();
    const appended = Promise.withResolvers<void>();
    const acknowledged = Promise.withResolvers<void>();
    const worked = Promise.withResolvers<void>();
    const store = wrapStore(memory, {
      // The append that takes the message in is committed, and its answer is held back.
      append: async (batch): Promise<Position> => {
        const position = await memory.append(batch);
        if (!batch.append.entries.some((entry) => entry.type === 'message-received')) return position;
        appended.resolve();
        await acknowledged.promise;
        return position;
      },
    });
    const tools = [ledgerTool(ledger, 'pay', { run: () => worked.promise })];
    const { axle } = await openWorld({ store, tools, turns: [{ calls: [call('pay')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await expect.poll(() => ledger.of('pay')).toBe(1);
    await run.send('and another thing');
    await appended.promise;
    worked.resolve();
    await new Promise<void>((resolve) => setImmediate(resolve));
    acknowledged.resolve();
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
  });

  it('a call whose first attempt was lost on the way says so, although the last one was refused', async () => {
    const ledger = new Ledger();
    const put = ledgerTool(ledger, 'put', {
      effect: 'idempotent',
      retry: { attempts: 2 },
      run: (_, { attempt }) => {
        throw new ToolError({ message: 'no answer', class: 'retryable', effect: attempt === 1 ? 'unknown' : 'none' });
      },
    });
    const { axle, clock, store } = await openWorld({ tools: [put], turns: [{ calls: [call('put')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(20_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('put')).toBe(2);
    const settled = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-settled');
    expect(settled).toMatchObject({ outcome: { status: 'failed', effectMayHaveHappened: true } });
  });

  it('a verification that ends after a person has resolved the doubt does not settle a later doubt', async () => {
    const ledger = new Ledger();
    const first = Promise.withResolvers<VerifyAnswer>();
    let verifications = 0;
    const pay = ledgerTool(ledger, 'pay', {
      timeout: '60s',
      settle: '5s',
      run: () => {
        throw new ToolError({ message: 'no answer', class: 'retryable', effect: 'unknown' });
      },
      verify: () => {
        verifications += 1;
        return verifications === 1 ? first.promise : { happened: true, output: { ok: true } };
      },
    });
    const { axle, clock } = await openWorld({ tools: [pay], turns: [{ calls: [call('pay')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await clock.advance(5_000);
    expect(verifications).toBe(1);
    await axle.calls.resolve(`${run.id}/1.0`, { happened: false, then: 'retry' });
    await expect.poll(() => ledger.of('pay')).toBe(2);
    // It was asked before the second attempt, so it knows nothing of its effect.
    first.resolve({ happened: false });
    await clock.advance(10_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(2);
  });
});
