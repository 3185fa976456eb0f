import { describe, expect, it } from 'vitest';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { loadRun } from '../../src/run/load-run.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const turns = [{ calls: [{ name: 'pay', input: { cents: 5 } }] }, 'done'] as const;
const schema = (property: string) => ({
  type: 'object',
  properties: { [property]: { type: 'integer' } },
  required: [property],
});

/** A run that waits for an approval of `pay`, and the process that started it gone. */
async function waitingRun(declared: Parameters<typeof ledgerTool>[2]) {
  const ledger = new Ledger();
  const store = createMemoryStore();
  const old = cutOffStore(store);
  const first = await openWorld({
    tools: [ledgerTool(ledger, 'pay', { risk: 'high', input: schema('cents'), ...declared })],
    store: old.store,
    turns,
  });
  const run = await first.axle.start('worker', { input: 'pay' });
  await run.result();
  old.cutOff();
  return { ledger, store, runId: run.id, clock: first.clock };
}

describe('a run whose code has changed in between (S6, R39, R40)', () => {
  it('goes on with a contract that is equal in schema and effect, which is an entry', async () => {
    const { ledger, store, runId, clock } = await waitingRun({ description: 'Pays.' });
    const second = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', { risk: 'high', input: schema('cents'), description: 'Pays, in other words.' }),
      ],
      store,
      clock,
      turns,
    });
    await second.axle.approvals.resolve(`${runId}/1.0`, { decision: 'approve' });
    expect(await second.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(await typesOf(store, runId)).toContain('contract-rebound');
    expect(ledger.of('pay')).toBe(1);
  });

  it('is held when the schema is another one, says both hashes and the remedy, and goes on when the contract is back', async () => {
    const { ledger, store, runId, clock } = await waitingRun({});
    const changed = cutOffStore(store);
    const second = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { risk: 'high', input: schema('pence') })],
      store: changed.store,
      clock,
      turns,
    });
    await second.axle.approvals.resolve(`${runId}/1.0`, { decision: 'approve' });
    await clock.advance(0);
    expect(await second.axle.run(runId).result()).toMatchObject({ status: 'waiting', on: [{ kind: 'held' }] });
    expect((await entriesOf(store, runId)).find((entry) => entry.type === 'run-held')).toMatchObject({
      details: { pinned: expect.any(String), found: expect.any(String) },
      remedy: expect.stringContaining('version'),
    });
    expect(ledger.of('pay')).toBe(0);
    changed.cutOff();
    const third = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { risk: 'high', input: schema('cents') })],
      store,
      clock,
      turns,
    });
    expect(await third.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(await typesOf(store, runId)).toContain('run-released');
    expect(ledger.of('pay')).toBe(1);
  });

  it('is held when a tool or the agent is missing, and can still be cancelled', async () => {
    const { store, runId, clock } = await waitingRun({});
    const second = await openWorld({ store, clock, turns });
    await second.axle.approvals.resolve(`${runId}/1.0`, { decision: 'approve' });
    await clock.advance(0);
    expect(await second.axle.run(runId).result()).toMatchObject({
      status: 'waiting',
      on: [{ kind: 'held', reason: expect.stringContaining('pay version 1') }],
    });
    await second.axle.run(runId).cancel('not needed any more');
    expect(await second.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'cancelled' });
  });

  it('keeps the version it started with beside a newer one', async () => {
    const { ledger, store, runId, clock } = await waitingRun({});
    const tools = [
      ledgerTool(ledger, 'pay', { risk: 'high', input: schema('cents') }),
      ledgerTool(ledger, 'pay', { version: 2, risk: 'high', input: schema('pence') }),
    ];
    const second = await openWorld({ tools, store, clock, turns, agent: { tools: ['pay'] } });
    await second.axle.approvals.resolve(`${runId}/1.0`, { decision: 'approve' });
    expect(await second.axle.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }]);
  });
});

describe('snapshots (S7)', () => {
  it('a long run resumes from its last snapshot in the state that a full fold gives', async () => {
    const ledger = new Ledger();
    const store = createMemoryStore();
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'look', { effect: 'read' })],
      store,
      agent: { budget: { steps: 1_000, time: '10m' } },
      turns: (_, turn) => (turn < 200 ? { calls: [{ name: 'look', input: { turn } }] } : 'done'),
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    const fromSnapshot = await loadRun(store, run.id);
    const fromStart = await loadRun(wrapStore(store, { snapshot: async () => undefined }), run.id);
    expect(fromSnapshot?.appendsSinceSnapshot).toBeLessThan(64);
    expect(fromStart?.appendsSinceSnapshot).toBeGreaterThan(200);
    const plain = (state: object | undefined) => JSON.parse(JSON.stringify(state));
    expect(plain(fromSnapshot?.state)).toEqual(plain(fromStart?.state));
    expect(fromSnapshot?.state.transcript.items()).toEqual(fromStart?.state.transcript.items());
  });
});
