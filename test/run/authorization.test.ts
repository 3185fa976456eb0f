import { describe, expect, it } from 'vitest';
import { ToolError } from '../../src/axle.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld, typesOf, type WorldOptions } from './world.ts';

const dayMs = 24 * 3_600_000;
const ask = (name: string, more: object = {}) => ({ calls: [{ name, input: {} }], ...more });

/** What a service says before anything is done. */
function refused(more: Partial<ConstructorParameters<typeof ToolError>[0]> = {}): ToolError {
  return new ToolError({
    message: 'The token has expired.',
    effect: 'none',
    authorize: { upstream: 'crm', url: 'https://crm.example.com/login' },
    ...more,
  });
}

/** A service that people log in to: until they have, it refuses what `refusal` makes. */
class Service {
  readonly ledger: Ledger;
  isOpen = false;
  refusal: () => Error = refused;

  constructor(ledger = new Ledger()) {
    this.ledger = ledger;
  }

  tool(name: string, declared: Parameters<typeof ledgerTool>[2] = {}) {
    return ledgerTool(this.ledger, name, {
      effect: 'write',
      authorization: 'ask',
      run: () => {
        if (!this.isOpen) throw this.refusal();
        return { done: name };
      },
      ...declared,
    });
  }
}

async function open(options: Partial<WorldOptions> = {}, declared: Parameters<typeof ledgerTool>[2] = {}) {
  const service = new Service();
  const world = await openWorld({
    tools: [service.tool('update', declared)],
    turns: [ask('update'), 'done'],
    ...options,
  });
  return { service, ...world };
}

describe('a refused login (T7): the run waits until a person has authorised', () => {
  it('suspends the run, and makes one more attempt with the same key once it is granted', async () => {
    const { axle, service, store } = await open();
    const run = await axle.start('worker', { input: 'update it' });
    const waiting = await run.result();
    const authorizationId = `${run.id}/1.0!1`;
    const on = {
      kind: 'authorization',
      authorizationId,
      callId: '1.0',
      upstream: 'crm',
      message: 'The token has expired.',
      url: 'https://crm.example.com/login',
    };
    expect(waiting).toMatchObject({ status: 'waiting', on: [on] });
    expect(await axle.runs()).toMatchObject([{ status: { state: 'waiting', waitingOn: [on] } }]);
    expect(await axle.authorizations.list()).toMatchObject([
      { authorizationId, runId: run.id, upstream: 'crm', url: on.url, calls: [{ callId: '1.0', tool: 'update' }] },
    ]);
    service.isOpen = true;
    await axle.authorizations.resolve(authorizationId, { granted: true, by: 'anna' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(new Set(service.ledger.effects.map(({ key }) => key)).size).toBe(1);
    expect(await typesOf(store, run.id)).toEqual(
      expect.arrayContaining(['authorization-requested', 'authorization-answered']),
    );
    expect(await axle.authorizations.list()).toEqual([]);
  });

  it('survives a restart of the process, and days', async () => {
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const first = await open({ store: old.store, agent: { approvalTtl: '7d' } });
    const run = await first.axle.start('worker', { input: 'update it' });
    await run.result();
    old.cutOff();
    const second = await open({ store, clock: first.clock, agent: { approvalTtl: '7d' } });
    await second.clock.advance(3 * dayMs);
    second.service.isOpen = true;
    await second.axle.authorizations.resolve(`${run.id}/1.0!1`, { granted: true });
    expect(await second.axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(second.service.ledger.effects).toMatchObject([{ attempt: 2 }]);
  });

  it('is a failure like others for a tool that does not declare it', async () => {
    const { axle, store } = await open({}, { authorization: 'fail' });
    const run = await axle.start('worker', { input: 'update it' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(await entriesOf(store, run.id)).toContainEqual(
      expect.objectContaining({
        type: 'call-settled',
        outcome: expect.objectContaining({ status: 'failed', effectMayHaveHappened: false }),
      }),
    );
  });

  it.each([
    ['a person refuses it', 'authorization-denied', 'not on my watch'],
    ['nobody answers in time', 'authorization-expired', 'in time'],
  ])('fails the call and tells the model when %s', async (_, code, words) => {
    const { axle, clock, service, store } = await open();
    const run = await axle.start('worker', { input: 'update it' });
    await run.result();
    const id = `${run.id}/1.0!1`;
    if (code === 'authorization-denied') await axle.authorizations.resolve(id, { granted: false, note: words });
    else await clock.advance(dayMs + 1);
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects).toHaveLength(1);
    const settled = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-settled');
    expect(settled).toMatchObject({
      outcome: {
        status: 'failed',
        effectMayHaveHappened: false,
        failure: { code, message: expect.stringContaining(words) },
      },
    });
    await expect(axle.authorizations.resolve(id, { granted: true })).rejects.toMatchObject({
      code: code === 'authorization-denied' ? 'decision-already-made' : 'decision-invalid',
    });
  });

  it('takes the first answer; the second gets it back', async () => {
    const { axle } = await open();
    const run = await axle.start('worker', { input: 'update it' });
    await run.result();
    const id = `${run.id}/1.0!1`;
    const answers = [{ granted: false, by: 'anna' }, { granted: true }];
    const [first, second] = await Promise.allSettled(answers.map((answer) => axle.authorizations.resolve(id, answer)));
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toMatchObject({
      reason: { code: 'decision-already-made', details: { first: { granted: false, by: 'anna' } } },
    });
  });

  it('is asked anew when it is refused again, three times at most, and an answer counts for its own question only', async () => {
    const { axle, clock, service, store } = await open();
    const run = await axle.start('worker', { input: 'update it' });
    for (const attempt of [1, 2, 3]) {
      expect(await run.result()).toMatchObject({ on: [{ authorizationId: `${run.id}/1.0!${attempt}` }] });
      await axle.authorizations.resolve(`${run.id}/1.0!${attempt}`, { granted: true });
      if (attempt < 3) {
        await clock.advance(0);
        await expect(axle.authorizations.resolve(`${run.id}/1.0!${attempt}`, { granted: true })).rejects.toMatchObject({
          code: 'decision-already-made',
        });
      }
    }
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects).toHaveLength(4);
    const entries = await entriesOf(store, run.id);
    expect(entries.filter((entry) => entry.type === 'authorization-requested')).toHaveLength(3);
    expect(entries.findLast((entry) => entry.type === 'call-settled')).toMatchObject({
      outcome: { failure: { code: 'authorization-required' } },
    });
  });

  it('uses up no try: one that is tried once is tried again after it', async () => {
    const { axle, service } = await open({}, { retry: { attempts: 1 } });
    const run = await axle.start('worker', { input: 'update it' });
    await run.result();
    service.isOpen = true;
    await axle.authorizations.resolve(`${run.id}/1.0!1`, { granted: true });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects).toHaveLength(2);
  });

  it('of a write is not waited for without proof that nothing was sent', async () => {
    const { axle, service } = await open();
    service.refusal = () => refused({ effect: 'possible' });
    const run = await axle.start('worker', { input: 'update it' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects).toHaveLength(1);
  });

  it('of a read is waited for without proof, also when all that is known is the status', async () => {
    const { axle, service } = await open({}, { effect: 'read' });
    service.refusal = () => Object.assign(new Error('Unauthorized'), { status: 401 });
    const run = await axle.start('worker', { input: 'look' });
    expect(await run.result()).toMatchObject({ on: [{ kind: 'authorization', upstream: 'update' }] });
    service.isOpen = true;
    await axle.authorizations.resolve(`${run.id}/1.0!1`, { granted: true });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
  });

  it('frees all calls that wait for the same upstream by one answer, and no other', async () => {
    const service = new Service();
    const other = new Service(service.ledger);
    other.refusal = () => refused({ authorize: { upstream: 'mail' } });
    const { axle, clock, store } = await openWorld({
      tools: [
        service.tool('look', { effect: 'read' }),
        service.tool('find', { effect: 'read' }),
        other.tool('mails', { effect: 'read' }),
      ],
      turns: [{ calls: ['look', 'find', 'mails'].map((name) => ({ name, input: {} })) }, 'done'],
    });
    const run = await axle.start('worker', { input: 'look around' });
    expect(await run.result()).toMatchObject({ on: [{ upstream: 'crm' }, { upstream: 'crm' }, { upstream: 'mail' }] });
    const open = await axle.authorizations.list(run.id);
    expect(open.map(({ calls }) => calls.map(({ tool }) => tool))).toEqual([['look', 'find'], ['mails']]);
    service.isOpen = true;
    await axle.authorizations.resolve(open[0]?.authorizationId ?? '', { granted: true });
    await clock.advance(0);
    expect(await run.result()).toMatchObject({ on: [{ upstream: 'mail' }] });
    other.isOpen = true;
    await axle.authorizations.resolve(open[1]?.authorizationId ?? '', { granted: true });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    const answered = (await entriesOf(store, run.id)).filter((entry) => entry.type === 'authorization-answered');
    expect(answered.map(({ callId }) => callId)).toEqual(['1.0', '1.1', '1.2']);
  });

  it('of a write makes no attempt over a late answer that says that an earlier one had its effect', async () => {
    const { axle, service, store } = await open();
    const run = await axle.start('worker', { input: 'update it' });
    await run.result();
    const result = { status: 'succeeded', output: { done: 'update' } };
    await store.post({ runId: run.id, kind: 'evidence', body: { callId: '1.0', attempt: 1, result }, atMs: 1 });
    service.isOpen = true;
    await axle.authorizations.resolve(`${run.id}/1.0!1`, { granted: true });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects).toHaveLength(1);
    expect((await entriesOf(store, run.id)).findLast((entry) => entry.type === 'call-settled')).toMatchObject({
      outcome: { status: 'failed', effectMayHaveHappened: true },
    });
  });

  it('is gone when the run is cancelled', async () => {
    const { axle, service } = await open();
    const run = await axle.start('worker', { input: 'update it' });
    await run.result();
    await run.cancel();
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'cancelled' });
    expect(service.ledger.effects).toHaveLength(1);
  });

  it('is asked of a stand-in first, where the chain names one for it', async () => {
    const service = new Service();
    const { axle } = await openWorld({
      tools: [
        service.tool('update', { fallback: [{ tool: 'note', when: ['authorization-required'] }] }),
        ledgerTool(service.ledger, 'note'),
      ],
      turns: [ask('update'), 'done'],
    });
    const run = await axle.start('worker', { input: 'update it' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(service.ledger.effects.map((effect) => effect.tool)).toEqual(['update', 'note']);
  });

  it('keeps what a person is to open only when it is an address of the web', async () => {
    const { axle, service } = await open();
    service.refusal = () => refused({ authorize: { url: 'javascript:alert(1)' } });
    const run = await axle.start('worker', { input: 'update it' });
    await run.result();
    const [question] = await axle.authorizations.list(run.id);
    expect(question).toMatchObject({ upstream: 'update' });
    expect(question).not.toHaveProperty('url');
  });
});
