/** What may be declared of upstreams, and what other terms of a contract make of it. */
import { describe, expect, it } from 'vitest';
import { type Axle, createAxle, tool } from '../../src/axle.ts';
import { Ledger, ledgerTool, openWorld, typesOf } from '../run/world.ts';
import { calls, Desk, shared } from './desk.ts';

describe('upstreams and what else a call may do', () => {
  it('a tool that stands in is asked at once when the breaker of the first is open (T5)', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: [
        ledgerTool(ledger, 'pay', { breaker: true, fallback: [{ tool: 'pay_elsewhere' }] }),
        ledgerTool(ledger, 'pay_elsewhere'),
      ],
      turns: [],
    });
    await axle.upstreams.open('tool:pay');
    const run = await axle.startCall('pay', {});
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects.map((effect) => effect.tool)).toEqual(['pay_elsewhere']);
    const types = await typesOf(store, run.id);
    expect(types).toContain('admission-refused');
    expect(types).not.toContain('retry-scheduled');
  });

  it('what a kept result answers is not asked of an upstream (T16)', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: [ledgerTool(ledger, 'look', { effect: 'read', cache: { ttl: '1h' }, limits: { rate: '1/d', burst: 1 } })],
      turns: [calls(1), calls(1), 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('look')).toBe(1);
    const types = await typesOf(store, run.id);
    expect(types.filter((type) => type === 'call-admitted')).toHaveLength(1);
    expect(types).toContain('call-cached');
  });

  it('a contract that is replaced brings its limits, and what waits goes on under them (T9)', async () => {
    const desk = new Desk();
    const look = (concurrency: number) =>
      ledgerTool(new Ledger(), 'look', { effect: 'read', limits: { concurrency }, run: desk.run });
    const { axle, clock } = await openWorld({ tools: [look(1)], turns: [] });
    await axle.startCall('look', { n: 1 });
    await axle.startCall('look', { n: 2 });
    await clock.advance(10);
    expect(desk.open).toHaveLength(1);
    axle.tools.replace(look(3));
    await axle.startCall('look', { n: 3 });
    await clock.advance(10);
    expect(desk.open).toHaveLength(3);
    expect(() => axle.tools.replace([shared('b', { rate: '5/s' }), shared('c', { rate: '6/s' })])).toThrow(
      expect.objectContaining({ code: 'upstream-contradictory' }),
    );
  });
});

describe('what is declared of upstreams', () => {
  it('is refused when two declarations contradict each other, and may be said in parts', async () => {
    const open = (...tools: Parameters<typeof createAxle>[0]['tools'] & {}): Promise<Axle> =>
      createAxle({ store: ':memory:', tools, log: () => {} });
    await expect(open(shared('a', { rate: '5/s' }), shared('b', { rate: '6/s' }))).rejects.toMatchObject({
      code: 'upstream-contradictory',
      message: expect.stringMatching(/rate.*tool a version 1.*tool b version 1/u) as unknown,
    });
    await using axle = await open(shared('a', { rate: '5/s' }), shared('b', { concurrency: 3 }), shared('c', {}));
    expect((await axle.upstreams.list()).map(({ name }) => name)).toEqual(['bank']);
  });

  it.each([
    [{ limits: { rate: 'fast' } }, 'rate'],
    [{ limits: { rate: '0/s' } }, 'rate'],
    [{ limits: { burst: 3 } }, 'burst'],
    [{ limits: { concurrency: 0 } }, 'concurrency'],
    [{ limits: { upstream: 'a:b' } }, 'upstream'],
    [{ limits: { maxWait: '2h' } }, 'maxWait'],
    [{ limits: { ratte: '5/s' } }, 'ratte'],
    [{ breaker: { failureRatio: 2 } }, 'failureRatio'],
    [{ breaker: { threshold: 2 } }, 'threshold'],
    [{ breaker: 'yes' }, 'breaker'],
  ])('%j is refused with the field', (declared, field) => {
    const declare = () =>
      tool({ name: 'a', description: 'x', input: { type: 'object' }, execute: () => ({}), ...(declared as object) });
    expect(declare).toThrow(
      expect.objectContaining({ code: 'contract-invalid', message: expect.stringContaining(field) as unknown }),
    );
  });

  it('is refused in the options of an Axle by the name of the field', async () => {
    await expect(
      createAxle({ store: ':memory:', upstreams: { bank: { rate: '5 per second' } } }),
    ).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: expect.stringContaining('rate') as unknown,
    });
    await expect(createAxle({ store: ':memory:', upstreams: { 'my bank': {} } })).rejects.toMatchObject({
      code: 'configuration-invalid',
    });
  });
});
