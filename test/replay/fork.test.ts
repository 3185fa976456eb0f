import { describe, expect, it } from 'vitest';
import { type Axle, contextKey, type Store } from '../../src/axle.ts';
import type { TranscriptItem } from '../../src/call/message.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { loadRun } from '../../src/run/load-run.ts';
import { createMemoryStore, scriptedBrain, type ScriptedTurn } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf } from '../run/world.ts';

/** Fourteen turns of reads, payments and mails, and an answer. */
const longScript: readonly ScriptedTurn[] = [
  ...Array.from({ length: 14 }, (_, index): ScriptedTurn => {
    const call = { name: ['look', 'pay', 'mail'][index % 3] ?? '', input: { at: index } };
    return { calls: index === 4 ? [call, { name: 'pay', input: { at: 'twice' } }] : [call] };
  }),
  'all done',
];

function tools(ledger: Ledger) {
  return [
    ledgerTool(ledger, 'look', { effect: 'read', run: (input) => ({ seen: input }) }),
    ledgerTool(ledger, 'pay', { effect: 'write', run: (input) => ({ receipt: input }) }),
    ledgerTool(ledger, 'mail', { effect: 'idempotent', run: () => 'sent' }),
  ];
}

function effectsOf(ledger: Ledger): number {
  return ledger.of('pay') + ledger.of('mail');
}

async function contextHashes(store: Store, runId: string): Promise<readonly string[]> {
  const entries = await entriesOf(store, runId);
  return entries.flatMap((entry) => (entry.type === 'model-started' ? [`${entry.step} ${entry.contextHash}`] : []));
}

async function itemsOf(store: Store, runId: string): Promise<readonly TranscriptItem[]> {
  return (await loadRun(store, runId))?.state.transcript.items() ?? [];
}

async function untilEntry(store: Store, runId: string, type: string): Promise<void> {
  while (!(await typesOf(store, runId)).includes(type)) await new Promise((resolve) => setImmediate(resolve));
}

describe('a fork', () => {
  it('from every step of a run of 15 repeats no recorded side effect, sees what the run saw, and comes to the same answer', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: tools(ledger),
      turns: longScript,
      agent: { budget: { steps: 20 } },
    });
    const run = await axle.start('worker', { input: 'do it all' });
    expect(await run.result()).toMatchObject({ status: 'completed', steps: 15 });
    expect(effectsOf(ledger)).toBe(10);
    const seen = await contextHashes(store, run.id);
    for (let at = 1; at <= 15; at += 1) {
      const fork = await axle.fork(run.id, { at });
      expect(await fork.result()).toMatchObject({ status: 'completed', output: 'all done' });
      expect(effectsOf(ledger)).toBe(10);
      expect(await contextHashes(store, fork.id)).toEqual(seen.slice(at - 1));
      expect((await itemsOf(store, fork.id)).slice(0, 2)).toEqual((await itemsOf(store, run.id)).slice(0, 2));
    }
  });

  it('denies a side effect that has no recorded result, unless its tool is live: then policy decides, and its key is new', async () => {
    const ledger = new Ledger();
    const turns = (_: unknown, turn: number): ScriptedTurn =>
      turn === 0 ? { calls: [{ name: 'pay', input: { cents: ledger.effects.length === 0 ? 5 : 6 } }] } : 'paid';
    const { axle, store } = await openWorld({ tools: tools(ledger), turns });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    const fork = await axle.fork(run.id, { at: 1 });
    await fork.result();
    expect(ledger.of('pay')).toBe(1);
    const decided = (await entriesOf(store, fork.id)).find((entry) => entry.type === 'call-decided');
    expect(decided).toMatchObject({ decision: { kind: 'deny', rule: 'fork-not-live' } });
    const live = await axle.fork(run.id, { at: 1, live: ['pay'] });
    await live.result();
    expect(ledger.effects.map(({ input }) => input)).toEqual([{ cents: 5 }, { cents: 6 }]);
    expect(new Set(ledger.effects.map(({ key }) => key)).size).toBe(2);
    const types = await typesOf(store, live.id);
    expect(types).toContain('attempt-started');
  });

  it('has policy decide about a live tool: what asks a person waits', async () => {
    const ledger = new Ledger();
    let cents = 5;
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { risk: 'high' })],
      turns: (_, turn) => (turn === 0 ? { calls: [{ name: 'pay', input: { cents } }] } : 'paid'),
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    await run.result();
    const again = await axle.fork(run.id, { at: 1, live: ['pay'] });
    expect(await again.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('pay')).toBe(1);
    cents = 6;
    const other = await axle.fork(run.id, { at: 1, live: ['pay'] });
    expect(await other.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'approval' }] });
    await axle.approvals.resolve(`${other.id}/1.0`, { decision: 'approve' });
    await other.result();
    expect(ledger.of('pay')).toBe(2);
  });

  it('answers each recorded call once: a second one of the same kind is another side effect', async () => {
    const ledger = new Ledger();
    let times = 1;
    const { axle, store } = await openWorld({
      tools: tools(ledger),
      turns: (_, turn) => (turn < times ? { calls: [{ name: 'mail', input: { to: 'ann' } }] } : 'mailed'),
    });
    const run = await axle.start('worker', { input: 'mail' });
    await run.result();
    times = 2;
    const fork = await axle.fork(run.id, { at: 1 });
    await fork.result();
    expect(ledger.of('mail')).toBe(1);
    const types = await typesOf(store, fork.id);
    expect(types.filter((type) => type === 'call-recorded' || type === 'call-decided')).toEqual([
      'call-recorded',
      'call-decided',
    ]);
  });

  it('goes on with other instructions, another question, another model and other results', async () => {
    const ledger = new Ledger();
    const told: string[] = [];
    const model = scriptedBrain((request, turn) => {
      told.push(`${request.instructions} ${JSON.stringify(request.items)}`);
      return turn < 2 ? { calls: [{ name: 'pay', input: { turn } }] } : 'done';
    });
    const careful = scriptedBrain(['unused', 'unused', 'I stop here.'], 'careful/one');
    const { axle, store } = await openWorld({
      tools: tools(ledger),
      turns: [],
      agent: { model, instructions: 'Pay at once.' },
      axle: { models: { careful } },
    });
    const run = await axle.start('worker', { input: 'pay twice' });
    await run.result();
    told.length = 0;
    const fork = await axle.fork(run.id, {
      at: 2,
      instructions: 'Look first.',
      input: 'pay once',
      results: { '1.0': { receipt: 'changed' }, '2.0': { receipt: 'later' } },
    });
    await fork.result();
    expect(told[0]).toContain('Look first.');
    expect(told[0]).toContain('pay once');
    expect(told[0]).toContain('"receipt":"changed"');
    expect(told[1]).toContain('"receipt":"later"');
    const other = await axle.fork(run.id, { at: 3, model: 'careful' });
    expect(await other.result()).toMatchObject({ status: 'completed', output: 'I stop here.' });
    expect(ledger.of('pay')).toBe(2);
    const [accepted] = await entriesOf(store, fork.id);
    expect(accepted).toMatchObject({ fork: { of: run.id, step: 2, changed: ['instructions', 'input', 'results'] } });
    expect((await entriesOf(store, other.id))[0]).toMatchObject({
      task: { agent: { model: 'careful/one', modelName: 'careful' } },
    });
  });

  it('survives the end of its process in the middle, and is held while its model is missing', async () => {
    const ledger = new Ledger();
    const store = wrapStore(createMemoryStore(), { close: async () => {} });
    const old = cutOffStore(store);
    let hangs = false;
    const look = ledgerTool(ledger, 'look', {
      effect: 'read',
      run: async (input) => (hangs ? new Promise(() => {}) : { seen: input }),
    });
    const world = {
      tools: [look, ...tools(ledger).slice(1)],
      turns: longScript,
      agent: { budget: { steps: 20 } },
    };
    const models = { other: scriptedBrain(longScript, 'other/one') };
    const first = await openWorld({ ...world, store: old.store, axle: { models } });
    const run = await first.axle.start('worker', { input: 'do it all' });
    await run.result();
    const done = effectsOf(ledger);
    hangs = true;
    const fork = await first.axle.fork(run.id, { at: 3, model: 'other' });
    await untilEntry(store, fork.id, 'attempt-started');
    old.cutOff();
    hangs = false;
    const without = await openWorld({ ...world, store, clock: first.clock });
    expect(await without.axle.run(fork.id).result()).toMatchObject({
      status: 'waiting',
      on: [{ kind: 'held', reason: 'The model other is not registered here.' }],
    });
    await without.axle.close();
    const second = await openWorld({ ...world, store, clock: first.clock, axle: { models } });
    expect(await second.axle.run(fork.id).result()).toMatchObject({ status: 'completed', output: 'all done' });
    expect(effectsOf(ledger)).toBe(done);
  });

  it('of a fork goes on with what is left of the recording, under the names of the first run', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: tools(ledger),
      turns: longScript,
      agent: { budget: { steps: 20 } },
    });
    const run = await axle.start('worker', { input: 'do it all' });
    await run.result();
    const fork = await axle.fork(run.id, { at: 4 });
    await fork.result();
    const done = effectsOf(ledger);
    const second = await axle.fork(fork.id, { at: 9 });
    expect(await second.result()).toMatchObject({ status: 'completed', output: 'all done' });
    expect(effectsOf(ledger)).toBe(done);
    expect(await contextHashes(store, second.id)).toEqual((await contextHashes(store, run.id)).slice(8));
    await expect(axle.fork(fork.id, { at: 2 })).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringContaining(`fork that one`),
    });
  });

  it('keeps what a person refused, what may have happened, and the values of context keys', async () => {
    const ledger = new Ledger();
    const user = contextKey('user.id', { type: 'string' });
    const { axle, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'login', { effect: 'read', publishes: { 'user.id': '/id' }, run: () => ({ id: 'u1' }) }),
        ledgerTool(ledger, 'pay', {
          risk: 'high',
          input: { type: 'object', properties: { user: { type: 'string' }, cents: { type: 'integer' } } },
          inputs: { user: 'user.id' },
        }),
      ],
      turns: (_, turn) => {
        if (turn === 0) return { calls: [{ name: 'login', input: {} }] };
        return turn < 3 ? { calls: [{ name: 'pay', input: { cents: 5 } }] } : 'done';
      },
      axle: { context: [user] },
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/2.0`, { decision: 'deny' });
    await run.result();
    const fork = await axle.fork(run.id, { at: 3, live: ['pay'] });
    await fork.result();
    const decided = (await entriesOf(store, fork.id)).find((entry) => entry.type === 'call-decided');
    expect(decided).toMatchObject({ decision: { kind: 'deny', rule: 'denied-before' } });
    const otherwise = await axle.fork(run.id, { at: 2, live: ['pay'], results: { '1.0': { id: 'u2' } } });
    await otherwise.result();
    const bound = (await entriesOf(store, otherwise.id)).find((entry) => entry.type === 'call-bound');
    expect(bound).toMatchObject({ call: { input: { user: 'u2', cents: 5 } } });
    expect(ledger.of('pay')).toBe(0);
  });

  it('asks before it does again what the run is still doing, or left in doubt, also where the tool is live', async () => {
    const ledger = new Ledger();
    let isStarted: () => void = () => {};
    const started = new Promise<void>((resolve) => (isStarted = resolve));
    let end: () => void = () => {};
    const { axle, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', {
          effect: 'write',
          risk: 'low',
          run: async () => {
            isStarted();
            await new Promise<void>((resolve) => (end = resolve));
          },
        }),
        ledgerTool(ledger, 'wire', {
          effect: 'write',
          risk: 'low',
          run: () => {
            throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
          },
        }),
      ],
      turns: (_, turn) => (turn < 2 ? { calls: [{ name: ['pay', 'wire'][turn] ?? '', input: { cents: 5 } }] } : 'done'),
    });
    const run = await axle.start('worker', { input: 'pay' });
    await started;
    const asking = { status: 'waiting', on: [expect.objectContaining({ kind: 'approval' })] };
    expect(await (await axle.fork(run.id, { at: 1, live: ['pay'] })).result()).toMatchObject(asking);
    end();
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    const fork = await axle.fork(run.id, { at: 2, live: ['wire'] });
    expect(await fork.result()).toMatchObject(asking);
    const decided = (await entriesOf(store, fork.id)).find((entry) => entry.type === 'call-decided');
    expect(decided).toMatchObject({ decision: { kind: 'ask' } });
    expect([ledger.of('pay'), ledger.of('wire')]).toEqual([1, 1]);
  });

  it('is refused in words where it makes no sense', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({ tools: tools(ledger), turns: ['hello'] });
    const run = await axle.start('worker', { input: 'hi' });
    await run.result();
    const call = await axle.call('pay', {});
    const refused = async (runId: string, options: Parameters<Axle['fork']>[1], code: string): Promise<void> => {
      await expect(axle.fork(runId, options)).rejects.toMatchObject({ code });
    };
    await refused('run_nobody', { at: 1 }, 'run-unknown');
    await refused(run.id, { at: 2 }, 'usage-invalid');
    await refused(run.id, { at: 0 }, 'usage-invalid');
    await refused(run.id, { at: 1, model: 'none' }, 'model-unknown');
    await refused(run.id, { at: 1, live: ['none'] }, 'usage-invalid');
    await refused(run.id, { at: 1, results: { '9.0': 1 } }, 'usage-invalid');
    await refused(call.runId, { at: 1 }, 'usage-invalid');
    const twice = await Promise.all([axle.fork(run.id, { at: 1, key: 'k' }), axle.fork(run.id, { at: 1, key: 'k' })]);
    expect(twice[0].id).toBe(twice[1].id);
    await refused(run.id, { at: 1, key: 'k', input: 'other' }, 'run-key-reused');
  });
});
