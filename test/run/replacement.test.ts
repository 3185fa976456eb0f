/** Contracts replaced, removed and migrated while runs are under way (T9, T13). */
import { describe, expect, it } from 'vitest';
import { AxleError, type Contract, openSqliteStore, type WaitingRun } from '../../src/axle.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import type { Store } from '../../src/journal/store.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { temporaryFolder } from '../journal/temporary-store.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const schema = (property: string) => ({
  type: 'object',
  properties: { [property]: { type: 'integer' } },
  required: [property],
  additionalProperties: false,
});

const turns = [{ calls: [{ name: 'pay', input: { cents: 5 } }] }, 'done'] as const;

function pay(ledger: Ledger, declared: Parameters<typeof ledgerTool>[2] = {}): Contract {
  return ledgerTool(ledger, 'pay', { risk: 'high', input: schema('cents'), ...declared });
}

/** Version 2 counts in euros. */
const toEuros = {
  version: 2,
  input: {
    type: 'object',
    properties: { euros: { type: 'number' } },
    required: ['euros'],
    additionalProperties: false,
  },
  migrate: { 1: { input: ({ cents }: { cents: number }) => ({ euros: cents / 100 }) } },
} as const;

async function waiting(tools: (ledger: Ledger) => readonly Contract[], store: Store = createMemoryStore()) {
  const ledger = new Ledger();
  const old = cutOffStore(store);
  const world = await openWorld({ tools: tools(ledger), store: old.store, turns });
  const run = await world.axle.start('worker', { input: 'pay' });
  await run.result();
  return { ...world, ledger, run, store, cutOff: old.cutOff };
}

async function openQuestion(axle: Awaited<ReturnType<typeof openWorld>>['axle'], runId: string): Promise<string> {
  const [question] = await axle.approvals.list(runId);
  return question?.approvalId ?? 'nobody is asked';
}

function heldOver(result: unknown): WaitingRun['on'][number] | undefined {
  // The tests that use it have made sure that the run waits.
  return (result as WaitingRun).on[0];
}

describe('a contract that is replaced while runs are under way (T9)', () => {
  it('is kept by the run that began with it, and new runs get the newest', async () => {
    const { axle, ledger, run } = await waiting((own) => [pay(own)]);
    axle.tools.replace(pay(ledger, { version: 2, risk: 'low', input: schema('pence') }));
    await axle.approvals.resolve(await openQuestion(axle, run.id), { decision: 'approve' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }]);
    expect(await axle.call('pay', { pence: 7 })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }, { input: { pence: 7 } }]);
    expect(axle.tools.list().map(({ version, isNewest }) => [version, isNewest])).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  it('is in the list of an agent for its new runs, and not in that of a run under way', async () => {
    const ledger = new Ledger();
    const shown: string[][] = [];
    const { axle } = await openWorld({
      tools: [pay(ledger)],
      agent: { tools: ['*'] },
      turns: ({ tools, items }) => {
        shown.push(tools.map(({ name }) => name));
        return items.length === 1 ? { calls: [{ name: 'pay', input: { cents: 5 } }] } : 'done';
      },
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    axle.tools.replace(ledgerTool(ledger, 'look', { effect: 'read' }));
    await axle.approvals.resolve(await openQuestion(axle, run.id), { decision: 'approve' });
    await run.result({ until: 'ended' });
    await (await axle.start('worker', { input: 'pay' })).result();
    expect(shown).toEqual([['pay'], ['pay'], ['pay', 'look']]);
  });

  it('is retained for the run that began with it when another schema takes its version', async () => {
    const { axle, ledger, run } = await waiting((own) => [pay(own)]);
    axle.tools.replace(pay(ledger, { input: schema('pence') }));
    expect(axle.tools.list().filter(({ isRetained }) => isRetained)).toHaveLength(1);
    await axle.approvals.resolve(await openQuestion(axle, run.id), { decision: 'approve' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }]);
  });

  it('takes its new code at once when only the code has changed', async () => {
    const { axle, run } = await waiting((own) => [pay(own)]);
    const second = new Ledger();
    axle.tools.replace(pay(second));
    await axle.approvals.resolve(await openQuestion(axle, run.id), { decision: 'approve' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(second.of('pay')).toBe(1);
  });

  it('is finished by a call that is being performed, whatever replaces it', async () => {
    const ledger = new Ledger();
    let release: (value: unknown) => void = () => {};
    const gate = new Promise((resolve) => {
      release = resolve;
    });
    const world = await openWorld({
      tools: [pay(ledger, { risk: 'low', run: () => gate })],
      turns: (_, turn) =>
        turn < 2 ? { calls: [{ name: 'pay', input: turn === 0 ? { cents: 5 } : { euros: 1 } }] } : 'done',
    });
    const run = await world.axle.start('worker', { input: 'pay' });
    await expect.poll(() => ledger.of('pay')).toBe(1);
    world.axle.tools.replace(pay(ledger, { ...toEuros, risk: 'low' }));
    world.axle.tools.remove('pay', 1);
    release({ ok: true });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }, { input: { euros: 1 } }]);
    const types = await typesOf(world.store, run.id);
    expect(types.filter((type) => type === 'contract-migrated')).toHaveLength(1);
    expect(types.indexOf('contract-migrated')).toBeGreaterThan(types.indexOf('attempt-finished'));
    expect(types).not.toContain('run-held');
  });

  it('holds the run when it is removed, with the reason and the remedy, and the run goes on by itself when it is back', async () => {
    const { axle, ledger, run, store, clock } = await waiting((own) => [pay(own)]);
    axle.tools.remove('pay');
    await axle.approvals.resolve(await openQuestion(axle, run.id), { decision: 'approve' });
    await clock.advance(0);
    expect(heldOver(await run.result())).toMatchObject({ kind: 'held', tool: 'pay' });
    await expect(axle.start('worker', { input: 'pay' })).rejects.toMatchObject({ code: 'tool-not-granted' });
    expect(ledger.of('pay')).toBe(0);
    axle.tools.replace(ledgerTool(ledger, 'other'));
    axle.tools.replace(pay(ledger));
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
    const types = await typesOf(store, run.id);
    expect(types.filter((type) => type === 'run-held' || type === 'run-released')).toEqual([
      'run-held',
      'run-released',
    ]);
    // A tool that it does not need woke nobody.
    expect(types.filter((type) => type === 'run-claimed')).toHaveLength(2);
  });

  it('is replaced in one step with others, or not at all', async () => {
    const { axle, ledger } = await waiting((own) => [pay(own)]);
    const two = pay(ledger, { version: 2 });
    expect(() => axle.tools.replace([two, two])).toThrow(expect.objectContaining({ code: 'contract-duplicate' }));
    expect(axle.tools.list()).toHaveLength(1);
    expect(() => axle.tools.remove('pay', 7)).toThrow(/Its versions are 1/u);
  });
});

describe('a run whose version is gone (T13)', () => {
  it('migrates: its open call goes on under the new arguments, and a person is asked about these', async () => {
    const { ledger, run, store, clock, axle: old, cutOff } = await waiting((own) => [pay(own)]);
    const asked = await openQuestion(old, run.id);
    cutOff();
    const { axle } = await openWorld({ tools: [pay(ledger, toEuros)], store, clock, turns });
    // The old question was about other arguments.
    await axle.approvals.resolve(asked, { decision: 'approve' });
    await clock.advance(0);
    expect(ledger.of('pay')).toBe(0);
    const [question] = await axle.approvals.list(run.id);
    expect(question).toMatchObject({ input: { euros: 0.05 } });
    expect(question?.approvalId).not.toBe(asked);
    await axle.approvals.resolve(question?.approvalId ?? '', { decision: 'approve' });
    expect(await axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { euros: 0.05 } }]);
    const shown = renderWaterfall(traceOf(await store.read(run.id)), { ascii: true });
    expect(shown).toContain('pay went from version 1 to version 2; judged anew: call 1.0');
    expect(shown.split('waits for approval')).toHaveLength(3);
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'contract-migrated')).toMatchObject({
      fromVersion: 1,
      contract: { version: 2 },
      calls: [{ callId: '1.0', input: { euros: 0.05 } }],
    });
  });

  it('migrates in several steps, each of which is declared by the newest', async () => {
    const { ledger, run, store, clock, cutOff } = await waiting((own) => [pay(own)]);
    cutOff();
    const third = pay(ledger, {
      version: 3,
      risk: 'low',
      input: schema('amount'),
      migrate: {
        1: { input: ({ cents }: { cents: number }) => ({ euros: cents / 100 }) },
        2: { input: ({ euros }: { euros: number }) => ({ amount: Math.round(euros * 1_000) }) },
      },
    });
    const { axle } = await openWorld({ tools: [third], store, clock, turns });
    await axle.run(run.id).send('go on');
    expect(await axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { amount: 50 } }]);
  });

  it('is held when its migration throws or gives what the new schema refuses, and goes on when it is corrected', async () => {
    const { ledger, run, store, clock, cutOff } = await waiting((own) => [pay(own)]);
    cutOff();
    const wrong = pay(ledger, { ...toEuros, risk: 'low', migrate: { 1: { input: () => ({ euros: 'many' }) } } });
    const { axle } = await openWorld({ tools: [wrong], store, clock, turns });
    await axle.run(run.id).send('go on');
    await clock.advance(0);
    expect(heldOver(await axle.run(run.id).result())).toMatchObject({
      reason: expect.stringContaining('call 1.0: what its migration gives does not fit the input of version 2: /euros'),
    });
    axle.tools.replace(pay(ledger, { ...toEuros, risk: 'low' }));
    expect(await axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { euros: 0.05 } }]);
  });

  it('is held while a write that has begun needs the old version, which may then settle it', async () => {
    const ledger = new Ledger();
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const silent = pay(ledger, { risk: 'low', timeout: 50, run: () => new Promise(() => {}) });
    const world = await openWorld({ tools: [silent], store: old.store, turns });
    const run = await world.axle.start('worker', { input: 'pay' });
    await expect.poll(() => ledger.of('pay')).toBe(1);
    await world.clock.advance(10_000);
    old.cutOff();
    const { axle } = await openWorld({
      tools: [pay(ledger, { ...toEuros, risk: 'low' })],
      store,
      clock: world.clock,
      turns,
    });
    await axle.run(run.id).send('go on');
    await world.clock.advance(0);
    expect(heldOver(await axle.run(run.id).result())).toMatchObject({
      reason: expect.stringContaining('The call 1.0 began under pay version 1'),
    });
    await axle.calls.resolve(`${run.id}/1.0`, { happened: true, output: { ok: true } });
    expect(await axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
    expect(await typesOf(store, run.id)).toContain('contract-migrated');
  });

  it('brings the call of somebody outside over before it is bound', async () => {
    const ledger = new Ledger();
    const { path: file, remove } = temporaryFolder();
    await openSqliteStore(file, { role: 'driver' }).close();
    const client = await openWorld({
      tools: [pay(ledger, { risk: 'low' })],
      store: openSqliteStore(file, { role: 'client' }),
      turns,
    });
    const run = await client.axle.startCall('pay', { cents: 5 });
    await client.axle.close();
    const { axle } = await openWorld({
      tools: [pay(ledger, { ...toEuros, risk: 'low' })],
      store: openSqliteStore(file, { role: 'driver' }),
      turns,
    });
    expect(await axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { euros: 0.05 } }]);
    await axle.close();
    remove();
  });
});

describe('what holds a run', () => {
  it('is said field by field, from the declaration that the store kept (T13)', async () => {
    const { ledger, run, store, clock, cutOff } = await waiting((own) => [pay(own)]);
    cutOff();
    const { axle } = await openWorld({ tools: [pay(ledger, { input: schema('pence') })], store, clock, turns });
    await axle.run(run.id).send('go on');
    await clock.advance(0);
    expect(heldOver(await axle.run(run.id).result())).toMatchObject({
      reason: expect.stringContaining('Different: input/cents is gone; input/pence is new and required'),
    });
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'run-held')).toMatchObject({
      details: { changes: ['input/cents is gone', 'input/pence is new and required'] },
    });
  });
});

describe('a read that waits before its next attempt', () => {
  it('goes on waiting when it goes on under another version (R23)', async () => {
    const ledger = new Ledger();
    const busy = () => {
      throw Object.assign(new Error('Too many requests'), { status: 429, retryAfterMs: 20_000 });
    };
    const lookUp = (declared: Parameters<typeof ledgerTool>[2]) =>
      ledgerTool(ledger, 'look', { effect: 'read', input: schema('cents'), ...declared });
    const { axle, clock } = await openWorld({
      tools: [lookUp({ run: busy })],
      turns: [{ calls: [{ name: 'look', input: { cents: 5 } }] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'look' });
    await expect.poll(() => ledger.of('look')).toBe(1);
    axle.tools.replace(lookUp(toEuros));
    axle.tools.remove('look', 1);
    await clock.advance(15_000);
    expect(ledger.of('look')).toBe(1);
    await clock.advance(6_000);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects.map(({ input, attempt }) => [input, attempt])).toEqual([
      [{ cents: 5 }, 1],
      [{ euros: 0.05 }, 2],
    ]);
  });
});

describe('a held run whose code is back while the store does not answer', () => {
  it('is looked at again when the store answers', async () => {
    const store = createMemoryStore();
    let isAway = false;
    const away = wrapStore(store, {
      read: async (runId, options) => {
        if (isAway) throw new AxleError('store-unavailable', 'The store does not answer.');
        return store.read(runId, options);
      },
    });
    const { axle, ledger, run, clock } = await waiting((own) => [pay(own, { risk: 'low', effect: 'read' })], away);
    await run.result({ until: 'ended' });
    axle.tools.replace(ledgerTool(ledger, 'wire', { risk: 'high' }));
    const wire = await axle.startCall('wire', {});
    await wire.result();
    axle.tools.remove('wire');
    await axle.approvals.resolve(await openQuestion(axle, wire.id), { decision: 'approve' });
    await clock.advance(0);
    expect(heldOver(await wire.result())).toMatchObject({ kind: 'held' });
    isAway = true;
    axle.tools.replace(ledgerTool(ledger, 'wire', { risk: 'high' }));
    await clock.advance(5_000);
    isAway = false;
    await clock.advance(40_000);
    expect(await wire.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.of('wire')).toBe(1);
  });
});
