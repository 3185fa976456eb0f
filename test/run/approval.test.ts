import { describe, expect, it } from 'vitest';
import { Answers } from '../../src/facade/answers.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const refund = (cents: number) => ({ calls: [{ name: 'refund', input: { cents } }] });

async function openRefunds(
  turns: Parameters<typeof openWorld>[0]['turns'],
  more: Partial<Parameters<typeof openWorld>[0]> = {},
) {
  const ledger = new Ledger();
  const world = await openWorld({
    tools: [
      ledgerTool(ledger, 'refund', {
        risk: 'high',
        input: { type: 'object', properties: { cents: { type: 'integer', maximum: 100 } }, required: ['cents'] },
      }),
    ],
    turns,
    ...more,
  });
  return { ledger, ...world };
}

describe('approvals (Y3): a person decides about the exact call, once', () => {
  it('suspends the run until a person approves, then runs the call once', async () => {
    const { axle, ledger, store } = await openRefunds([refund(5), 'done']);
    const run = await axle.start('worker', { input: 'refund it' });
    const waiting = await run.result();
    expect(waiting).toMatchObject({ status: 'waiting', on: [{ kind: 'approval', approvalId: `${run.id}/1.0` }] });
    expect(ledger.effects).toHaveLength(0);
    expect(await axle.approvals.list()).toMatchObject([{ runId: run.id, tool: 'refund', input: { cents: 5 } }]);
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve', by: 'anna' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }]);
    const started = (await entriesOf(store, run.id)).filter((entry) => entry.type === 'attempt-started');
    expect(started).toMatchObject([{ approvalId: `${run.id}/1.0` }]);
  });

  it('survives a restart of the process', async () => {
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const first = await openRefunds([refund(5), 'done'], { store: old.store });
    const run = await first.axle.start('worker', { input: 'refund it' });
    await run.result();
    old.cutOff();
    const second = await openRefunds([refund(5), 'done'], { store, clock: first.clock });
    await second.axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    expect(await second.axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(first.ledger.effects.length + second.ledger.effects.length).toBe(1);
  });

  it('a denied call leaves no trace of a start, and the same call is not asked about again', async () => {
    const { axle, ledger, store } = await openRefunds([refund(5), refund(5), 'I may not refund.']);
    const run = await axle.start('worker', { input: 'refund it' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'deny', note: 'too much' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed', output: 'I may not refund.' });
    expect(ledger.effects).toHaveLength(0);
    const types = await typesOf(store, run.id);
    expect(types).not.toContain('attempt-started');
    expect(
      (await entriesOf(store, run.id))
        .filter((entry) => entry.type === 'call-decided')
        .map((entry) => entry.decision.kind),
    ).toEqual(['ask', 'deny']);
  });

  it('does not carry over to other arguments', async () => {
    const { axle, ledger } = await openRefunds([refund(5), refund(6), 'done']);
    const run = await axle.start('worker', { input: 'refund it' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await run.result()).toMatchObject({ status: 'waiting', on: [{ approvalId: `${run.id}/2.0` }] });
    expect(ledger.effects).toMatchObject([{ input: { cents: 5 } }]);
  });

  it('runs with the arguments that the person wrote, and refuses ones that do not fit the contract without losing the question', async () => {
    const { axle, clock, ledger, store } = await openRefunds([refund(50), 'done']);
    const run = await axle.start('worker', { input: 'refund it' });
    await run.result();
    const unfit = { decision: 'approve', edit: { cents: 5_000 } } as const;
    await expect(axle.approvals.resolve(`${run.id}/1.0`, unfit)).rejects.toMatchObject({
      code: 'decision-invalid',
      message: expect.stringContaining('5000'),
    });
    // A process without the tools cannot check it; then the driver does, and the question stays open.
    await new Answers(store, () => 1).resolveApproval(`${run.id}/1.0`, unfit);
    await clock.advance(0);
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    expect(await typesOf(store, run.id)).toContain('post-refused');
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve', edit: { cents: 20 } });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(ledger.effects).toMatchObject([{ input: { cents: 20 } }]);
  });

  it('takes the first answer; the second gets it back', async () => {
    const { axle } = await openRefunds([refund(5), 'done']);
    const run = await axle.start('worker', { input: 'refund it' });
    await run.result();
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'deny', by: 'anna' });
    await expect(axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' })).rejects.toMatchObject({
      code: 'decision-already-made',
      details: { first: { decision: 'deny', by: 'anna' } },
    });
  });

  it('expires into a refusal, and an answer after that is refused in words', async () => {
    const { axle, clock, ledger } = await openRefunds([refund(5), 'nobody answered'], { agent: { approvalTtl: '1h' } });
    const run = await axle.start('worker', { input: 'refund it' });
    await run.result();
    await clock.advance(3_600_001);
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'nobody answered' });
    await expect(axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' })).rejects.toMatchObject({
      code: 'decision-invalid',
    });
    expect(ledger.effects).toHaveLength(0);
  });

  it('is gone when the run is cancelled', async () => {
    const { axle, ledger } = await openRefunds([refund(5), 'done']);
    const run = await axle.start('worker', { input: 'refund it' });
    await run.result();
    await run.cancel();
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'cancelled' });
    await expect(axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' })).rejects.toMatchObject({
      code: 'decision-invalid',
    });
    expect(ledger.effects).toHaveLength(0);
  });
});
