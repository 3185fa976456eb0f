import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { agent, createAxle, tool } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';

const folders: string[] = [];
const storePath = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-facade-'));
  folders.push(folder);
  return join(folder, 'axle.db');
};
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  effect: 'read',
  input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  execute: async ({ a, b }) => Number(a) + Number(b),
});
const clerk = agent({
  name: 'clerk',
  tools: ['add'],
  model: scriptedBrain([{ calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'It is 3.']),
});

describe('starting a run (S1, T14)', () => {
  it('gives the same run for the same key, also after a restart, and refuses another request under it', async () => {
    const store = storePath();
    const first = await createAxle({ store, tools: [add], agents: [clerk] });
    const run = await first.start('clerk', { input: 'add', key: 'r1' });
    await run.result();
    await first.close();
    await using second = await createAxle({ store, tools: [add], agents: [clerk] });
    const again = await second.start('clerk', { input: 'add', key: 'r1' });
    expect(again.id).toBe(run.id);
    expect(await again.result()).toMatchObject({ status: 'completed', output: 'It is 3.' });
    await expect(second.start('clerk', { input: 'subtract', key: 'r1' })).rejects.toMatchObject({
      code: 'run-key-reused',
    });
    expect(await second.runs()).toHaveLength(1);
  });

  it('names what is wrong and what there is', async () => {
    await using axle = await createAxle({ store: ':memory:', tools: [add], agents: [clerk] });
    await expect(axle.start('clark', { input: 'x' })).rejects.toMatchObject({
      code: 'agent-unknown',
      message: expect.stringContaining('clerk'),
    });
    await expect(axle.call('ad', {})).rejects.toMatchObject({
      code: 'tool-unknown',
      message: expect.stringContaining('add'),
    });
    await expect(axle.run('run_none').result()).rejects.toMatchObject({ code: 'run-unknown' });
    await expect(
      createAxle({ store: ':memory:', agents: [agent({ name: 'x', model: scriptedBrain([]), tools: ['nothing'] })] }),
    ).rejects.toMatchObject({ code: 'tool-not-granted' });
  });
});

describe('one governed call (I1)', () => {
  it('is checked, performed and recorded like a call of a model', async () => {
    await using axle = await createAxle({ store: ':memory:', tools: [add] });
    expect(await axle.call('add', { a: 2, b: 3 }, { key: 'c1' })).toMatchObject({ status: 'completed', output: 5 });
    expect(await axle.call('add', { a: 2, b: 3 }, { key: 'c1' })).toMatchObject({ status: 'completed', output: 5 });
    expect(await axle.runs()).toMatchObject([{ kind: 'call', subject: 'add' }]);
    const [listed] = await axle.runs();
    await expect(axle.run(listed?.runId ?? '').send('more')).rejects.toMatchObject({ code: 'run-ended' });
    const waiting = tool({
      name: 'wait',
      description: 'Waits.',
      risk: 'high',
      input: { type: 'object' },
      execute: async () => null,
    });
    await using other = await createAxle({ store: ':memory:', tools: [waiting] });
    const run = await other.startCall('wait', {});
    await expect(run.send('more')).rejects.toMatchObject({ code: 'usage-invalid' });
    expect(await axle.call('add', { a: 'two' })).toMatchObject({
      status: 'failed',
      failure: { code: 'arguments-invalid' },
    });
  });
});

describe('answering from another process (Y3)', () => {
  it('a client that answers and asks for the result does not get the rest from before its answer', async () => {
    const store = storePath();
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      risk: 'high',
      input: { type: 'object' },
      execute: async () => 'paid',
    });
    const payer = agent({
      name: 'payer',
      tools: ['pay'],
      model: scriptedBrain([{ calls: [{ name: 'pay', input: {} }] }, 'paid']),
    });
    await using driver = await createAxle({ store, tools: [pay], agents: [payer] });
    await using client = await createAxle({ store, role: 'client' });
    const run = await driver.start('payer', { input: 'pay' });
    await run.result();
    await client.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    expect(await client.run(run.id).result()).toMatchObject({ status: 'completed', output: 'paid' });
  });
});

describe('the events of a run (O1)', () => {
  it('come in order, and go on after an event id without a gap or a repetition', async () => {
    await using axle = await createAxle({ store: ':memory:', tools: [add], agents: [clerk] });
    const run = await axle.start('clerk', { input: 'add' });
    const all = [];
    for await (const event of run.events()) all.push(event);
    expect(all.map((event) => event.seq)).toEqual(all.map((_, index) => index + 1));
    expect(all.at(-1)?.entry.type).toBe('run-finished');
    for (const cut of all) {
      const rest = [];
      for await (const event of run.events({ after: cut.id })) rest.push(event.seq);
      expect(rest).toEqual(all.slice(cut.seq).map((event) => event.seq));
    }
  });
});

describe('closing (S1)', () => {
  it('lets the attempt in hand end, and leaves the rest to the next process', async () => {
    const store = storePath();
    const effects: string[] = [];
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      execute: async () => {
        effects.push('pay');
        started.resolve();
        await release.promise;
        return 'paid';
      },
    });
    const payer = agent({
      name: 'payer',
      tools: ['pay'],
      model: scriptedBrain([
        {
          calls: [
            { name: 'pay', input: { n: 1 } },
            { name: 'pay', input: { n: 2 } },
          ],
        },
        'paid both',
      ]),
    });
    const first = await createAxle({ store, tools: [pay], agents: [payer] });
    const run = await first.start('payer', { input: 'pay' });
    await started.promise;
    const closed = first.close();
    release.resolve();
    await closed;
    expect(effects).toHaveLength(1);
    await using second = await createAxle({ store, tools: [pay], agents: [payer] });
    expect(await second.run(run.id).result({ until: 'ended' })).toMatchObject({
      status: 'completed',
      output: 'paid both',
    });
    expect(effects).toHaveLength(2);
  });

  it('takes nothing new afterwards', async () => {
    const axle = await createAxle({ store: ':memory:', tools: [add], agents: [clerk] });
    await axle.close();
    await expect(axle.start('clerk', { input: 'x' })).rejects.toMatchObject({ code: 'closed' });
  });
});
