/** The data bus of a run (S8), and the needs of calls (T15). */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { contextKey, type Contract, tool } from '../../src/axle.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { loadRun } from '../../src/run/load-run.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { cutOffStore, entriesOf, Ledger, ledgerTool, openWorld } from './world.ts';

const login = (ledger: Ledger, declared: Parameters<typeof ledgerTool>[2] = {}): Contract =>
  ledgerTool(ledger, 'login', {
    effect: 'read',
    publishes: { 'user.id': { at: '/id', schema: { type: 'string' } } },
    run: () => ({ id: 'u-42', name: 'Ada' }),
    ...declared,
  });

const pay = (ledger: Ledger, declared: Parameters<typeof ledgerTool>[2] = {}): Contract =>
  ledgerTool(ledger, 'pay', {
    input: {
      type: 'object',
      properties: { userId: { type: 'string' }, cents: { type: 'integer' } },
      required: ['userId', 'cents'],
      additionalProperties: false,
    },
    inputs: { userId: 'user.id' },
    ...declared,
  });

const call = (name: string, input: object = {}) => ({ name, input });

describe('a call whose needs are not there yet (T15)', () => {
  it('is refused before it starts, with what is missing and who would bring it', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({
      tools: [login(ledger), pay(ledger, { requires: ['tool:login', 'context:order.id'] })],
      turns: [{ calls: [call('pay', { cents: 5 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result({ until: 'ended' });
    expect(ledger.effects).toEqual([]);
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'call-refused')).toMatchObject({
      failure: {
        code: 'requirements-missing',
        class: 'recoverable',
        message:
          'pay was not run: it needs tool:login, which login brings; context:order.id, which none of your tools brings; context:user.id, which login brings.',
        details: {
          missing: [
            { need: 'tool:login', providers: ['login'] },
            { need: 'context:order.id', providers: [] },
            { need: 'context:user.id', providers: ['login'] },
          ],
        },
      },
    });
  });

  it('waits for a call of the same turn that brings them', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [login(ledger), pay(ledger)],
      turns: [{ calls: [call('login'), call('pay', { cents: 5 })] }, 'done'],
    });
    await (await axle.start('worker', { input: 'pay' })).result({ until: 'ended' });
    expect(ledger.effects).toMatchObject([{ tool: 'login' }, { tool: 'pay', input: { userId: 'u-42', cents: 5 } }]);
  });

  it('is refused when the call that was to bring them failed', async () => {
    const ledger = new Ledger();
    const failing = login(ledger, {
      run: () => {
        throw new Error('no such user');
      },
    });
    const { axle, store } = await openWorld({
      tools: [failing, pay(ledger)],
      turns: [{ calls: [call('login'), call('pay', { cents: 5 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result({ until: 'ended' });
    expect(ledger.of('pay')).toBe(0);
    const refused = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-refused');
    expect(refused).toMatchObject({ failure: { code: 'requirements-missing' } });
  });
});

describe('the context of a run (S8)', () => {
  it('hides an argument that it fills from the model, also after a program has called the same tool and may write it', async () => {
    const ledger = new Ledger();
    const shown: string[] = [];
    const { axle } = await openWorld({
      tools: [pay(ledger)],
      turns: (request) => {
        shown.push(JSON.stringify(request.tools));
        return 'done';
      },
    });
    await axle.call('pay', { cents: 5, userId: 'u-1' });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result({ until: 'ended' });
    expect(shown.join()).toContain('cents');
    expect(shown.join()).not.toContain('userId');
  });

  it('fills arguments that the model is not shown, and says in the entry of the call where they came from', async () => {
    const ledger = new Ledger();
    const shown: unknown[] = [];
    const { axle, store } = await openWorld({
      tools: [login(ledger), pay(ledger)],
      turns: ({ tools, items }, turn) => {
        shown.push(tools.find(({ name }) => name === 'pay')?.inputSchema, items);
        return [{ calls: [call('login')] }, { calls: [call('pay', { cents: 5 })] }, 'done'][turn] ?? 'done';
      },
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result({ until: 'ended' });
    expect(shown[0]).toMatchObject({ required: ['cents'], properties: { cents: { type: 'integer' } } });
    expect(JSON.stringify(shown[0])).not.toContain('userId');
    expect(JSON.stringify(shown.at(-1))).not.toContain('userId');
    expect(ledger.effects.at(-1)).toMatchObject({ input: { userId: 'u-42', cents: 5 } });
    const bound = (await entriesOf(store, run.id)).filter((entry) => entry.type === 'call-bound').at(-1);
    expect(bound).toMatchObject({ call: { filled: [{ path: '/userId', from: 'context:user.id', by: '1.0' }] } });
    const text = renderWaterfall(traceOf(await store.read(run.id)), { ascii: true });
    expect(text).toContain('published user.id = u-42');
    expect(text).toContain('filled in /userId from context:user.id (call 1.0)');
  });

  it('refuses an argument that the model writes although it is filled', async () => {
    const ledger = new Ledger();
    const open = pay(ledger, {
      input: {
        type: 'object',
        properties: { userId: { type: 'string' }, cents: { type: 'integer' } },
        required: ['userId', 'cents'],
        additionalProperties: true,
      },
    });
    const { axle, store } = await openWorld({
      tools: [login(ledger), open],
      turns: [{ calls: [call('login')] }, { calls: [call('pay', { userId: 'u-1', cents: 5 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result({ until: 'ended' });
    expect(ledger.of('pay')).toBe(0);
    const refused = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-refused');
    expect(refused?.failure.message).toContain('userId is filled in from context:user.id');
  });

  it('gives the output of a tool by its name, or by its step, down to a place in it', async () => {
    const ledger = new Ledger();
    const search = ledgerTool(ledger, 'search', { effect: 'read', run: (input) => ({ hits: [input] }) });
    const open = ledgerTool(ledger, 'open', {
      input: { type: 'object', properties: { newest: {}, first: {} }, additionalProperties: false },
      inputs: { newest: 'tool:search#/hits/0/q', first: 'step:1/search#/hits/0/q' },
    });
    const { axle } = await openWorld({
      tools: [search, open],
      turns: [
        { calls: [call('search', { q: 'a' })] },
        { calls: [call('search', { q: 'b' })] },
        { calls: [call('open')] },
        'done',
      ],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    expect(ledger.effects.at(-1)).toMatchObject({ tool: 'open', input: { newest: 'b', first: 'a' } });
    expect(await run.context.get('step:2/search#/hits')).toEqual([{ q: 'b' }]);
  });

  it('takes values of keys that somebody declares when a run is started, and refuses others', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [login(ledger), pay(ledger)],
      turns: [{ calls: [call('pay', { cents: 5 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'pay', context: { 'user.id': 'u-7' } });
    await run.result({ until: 'ended' });
    expect(ledger.effects).toMatchObject([{ input: { userId: 'u-7', cents: 5 } }]);
    expect(await run.context.history('user.id')).toMatchObject([{ value: 'u-7', by: 'start' }]);
    const start = (context: Record<string, unknown>) => axle.start('worker', { input: 'pay', context });
    await expect(start({ 'user.idd': 'u-7' })).rejects.toThrow(/The nearest is user.id/u);
    await expect(start({ 'user.id': 7 })).rejects.toMatchObject({ code: 'context-invalid' });
    expect(await axle.call('pay', { cents: 1 }, { context: { 'user.id': 'u-8' } })).toMatchObject({
      status: 'completed',
    });
    expect(await axle.call('pay', { userId: 'u-9', cents: 1 })).toMatchObject({ status: 'completed' });
    expect(await axle.call('pay', { cents: 1 })).toMatchObject({ failure: { code: 'requirements-missing' } });
  });

  it('keeps its history with producers, and tells subscribers of each change once, also after a restart', async () => {
    const ledger = new Ledger();
    let count = 0;
    const counting = login(ledger, { run: () => ({ id: `u-${(count += 1)}` }) });
    const turns = [{ calls: [call('login', { n: 1 })] }, { calls: [call('login', { n: 2 })] }, 'done'] as const;
    const { axle, store } = await openWorld({ tools: [counting], turns });
    const run = await axle.start('worker', { input: 'go' });
    const heard: unknown[] = [];
    for await (const { value, by, tool: from } of run.context.subscribe('user.id')) heard.push([value, by, from]);
    expect(heard).toEqual([
      ['u-1', '1.0', 'login'],
      ['u-2', '2.0', 'login'],
    ]);
    const history = await run.context.history();
    expect(history.map(({ value, version }) => [value, version])).toEqual([
      ['u-1', 1],
      ['u-2', 1],
    ]);
    const later: unknown[] = [];
    for await (const change of run.context.subscribe('user.id', { after: history[0]?.id ?? '' })) {
      later.push(change.value);
    }
    expect(later).toEqual(['u-2']);
    const fromStart = await loadRun(wrapStore(store, { snapshot: async () => undefined }), run.id);
    expect(fromStart?.state.bus?.values['user.id']).toMatchObject({ value: 'u-2', writes: 2, by: '2.0' });
  });

  it('refuses an output that does not have what is published of it, or whose value does not fit its key', async () => {
    const ledger = new Ledger();
    const answers = [{ name: 'nobody' }, { id: 7 }];
    const wrong = login(ledger, { run: () => answers.shift() });
    const { axle, store } = await openWorld({
      tools: [wrong],
      turns: [{ calls: [call('login', { n: 1 })] }, { calls: [call('login', { n: 2 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    const failures = (await entriesOf(store, run.id)).flatMap((entry) =>
      entry.type === 'attempt-finished' && entry.result.status === 'failed' ? [entry.result.failure] : [],
    );
    expect(failures.map(({ code }) => code)).toEqual(['output-invalid', 'output-invalid']);
    expect(failures[0]?.message).toContain('without /id, which is published as user.id');
    expect(await run.context.get('user.id')).toBeUndefined();
  });

  it('is bounded: a value that is too large is not kept, and whoever needs it is told so', async () => {
    const ledger = new Ledger();
    const large = login(ledger, { run: () => ({ id: 'x'.repeat(70_000) }) });
    const { axle, store } = await openWorld({
      tools: [large, pay(ledger)],
      turns: [{ calls: [call('login')] }, { calls: [call('pay', { cents: 5 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    const refused = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-refused');
    expect(refused).toMatchObject({ failure: { code: 'context-full' } });
    await expect(
      axle.start('worker', { input: 'go', context: { 'user.id': 'x'.repeat(70_000) } }),
    ).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('costs a run that uses none of it nothing', async () => {
    const ledger = new Ledger();
    const { axle, store } = await openWorld({ tools: [ledgerTool(ledger, 'look')], turns: ['done'] });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    expect((await loadRun(store, run.id))?.state.bus).toBeUndefined();
  });
});

describe('a context key with a schema of its own', () => {
  const first = contextKey('user', z.object({ id: z.string() }));
  const second = contextKey('user', z.object({ id: z.string(), vip: z.boolean() }), {
    version: 2,
    migrate: { 1: (old: { id: string }) => ({ ...old, vip: false }) },
  });

  it('types what is read, and is published under its version', async () => {
    const ledger = new Ledger();
    const lookUp = login(ledger, { publishes: first.at(), run: () => ({ id: 'u-1' }) });
    const { axle } = await openWorld({ tools: [lookUp], turns: [{ calls: [call('login')] }, 'done'] });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    const id: string | undefined = (await run.context.get(first))?.id;
    expect(id).toBe('u-1');
    // A later version of the key reads what an earlier one has written.
    const vip: boolean | undefined = (await run.context.get(second))?.vip;
    expect(vip).toBe(false);
  });

  it('brings a value to the version that a tool wants, and writes down what came of it', async () => {
    const ledger = new Ledger();
    const lookUp = login(ledger, { publishes: first.at(), run: () => ({ id: 'u-1' }) });
    const greet = ledgerTool(ledger, 'greet', {
      input: { type: 'object', properties: { user: { type: 'object' } }, required: ['user'] },
      inputs: { user: second },
    });
    const { axle, store } = await openWorld({
      tools: [lookUp, greet],
      turns: [{ calls: [call('login')] }, { calls: [call('greet')] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result({ until: 'ended' });
    expect(ledger.effects.at(-1)).toMatchObject({ input: { user: { id: 'u-1', vip: false } } });
    const bound = (await entriesOf(store, run.id)).filter((entry) => entry.type === 'call-bound').at(-1);
    expect(bound).toMatchObject({ call: { input: { user: { vip: false } } } });
  });

  it('has one schema for each version', async () => {
    const ledger = new Ledger();
    const other = contextKey('user', z.object({ name: z.string() }));
    const world = openWorld({
      tools: [login(ledger, { publishes: first.at() }), login(ledger, { version: 2, publishes: other.at() })],
      turns: ['done'],
      agent: { tools: ['login'] },
    });
    await expect(world).rejects.toMatchObject({ code: 'context-invalid' });
  });
});

describe('a tool that migrates while its results are on the bus (T13)', () => {
  it('has them brought to its new form, once', async () => {
    const ledger = new Ledger();
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const turns = [{ calls: [call('login')] }, { calls: [call('pay', { cents: 5 })] }, 'done'] as const;
    const asking = pay(ledger, { risk: 'high', inputs: { userId: 'user.id' } });
    const first = await openWorld({ tools: [login(ledger), asking], store: old.store, turns });
    const run = await first.axle.start('worker', { input: 'go' });
    await run.result();
    old.cutOff();
    let migrations = 0;
    const second = login(ledger, {
      version: 2,
      publishes: { 'user.id': '/user/key' },
      migrate: {
        1: {
          output: ({ id }: { id: string }) => {
            migrations += 1;
            return { user: { key: `key of ${id}` } };
          },
        },
      },
    });
    const { axle } = await openWorld({ tools: [second, asking], store, clock: first.clock, turns });
    await axle.approvals.resolve(`${run.id}/2.0`, { decision: 'deny' });
    await axle.run(run.id).result({ until: 'ended' });
    const { context } = axle.run(run.id);
    expect(await context.get('user.id')).toBe('key of u-42');
    expect(await context.get('tool:login#/user/key')).toBe('key of u-42');
    expect((await context.history('user.id')).map(({ value }) => value)).toEqual(['u-42', 'key of u-42']);
    expect(migrations).toBe(1);
  });
});

describe('a declaration about the context', () => {
  it.each([
    [{ inputs: { nothing: 'user.id' } }, /nothing is none of them/u],
    [{ inputs: { a: 'tool:' } }, /a context key, or a selector/u],
    [{ publishes: { 'user.id': 'id' } }, /a JSON Pointer/u],
    [{ publishes: { 'no key': '/id' } }, /keys are letters/u],
    [{ requires: 'tool:login' }, /a list of at most 32 selectors/u],
  ])('is refused where it cannot be kept: %j', (declared, message) => {
    const declare = () =>
      tool({
        name: 'x',
        description: 'x',
        input: { type: 'object', properties: { a: {} } },
        execute: () => null,
        ...declared,
      } as Parameters<typeof tool>[0]);
    expect(declare).toThrow(message);
  });
});

describe('a key with a name that every object inherits', () => {
  it.each(['toString', 'hasOwnProperty', '__defineGetter__'])('%s is a key like any other', async (key) => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [
        login(ledger, { publishes: { [key]: '/id' } }),
        pay(ledger, { inputs: { userId: key } }),
        login(ledger, { name: 'flood', publishes: { [key]: '/text' }, run: () => ({ text: 'x'.repeat(70_000) }) }),
      ],
      turns: [{ calls: [call('flood')] }, { calls: [call('login')] }, { calls: [call('pay', { cents: 5 })] }, 'done'],
    });
    const run = await axle.start('worker', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects.at(-1)).toMatchObject({ tool: 'pay', input: { userId: 'u-42', cents: 5 } });
  });
});

describe('an argument that must be unchanged (S8)', () => {
  const setting = (ledger: Ledger) =>
    ledgerTool(ledger, 'login', {
      effect: 'read',
      publishes: { 'user.id': '/id' },
      run: () => ({ id: `u-${ledger.of('login')}` }),
    });
  const twice = [
    { calls: [call('login')] },
    { calls: [call('login'), call('pay', { cents: 5 })] },
    { calls: [call('pay', { cents: 5 })] },
    'done',
  ];

  it('keeps its call from beginning when another call has set the key anew, and is filled anew when asked again', async () => {
    const ledger = new Ledger();
    const tools = [setting(ledger), pay(ledger, { inputs: { userId: { from: 'user.id', unchanged: true } } })];
    const { axle, store } = await openWorld({ tools, turns: twice });
    const run = await axle.start('worker', { input: 'pay' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects.filter(({ tool: name }) => name === 'pay').map(({ input }) => input)).toEqual([
      { cents: 5, userId: 'u-2' },
    ]);
    const settled = (await entriesOf(store, run.id)).find(
      (entry) => entry.type === 'call-settled' && entry.callId === '2.1',
    );
    expect(settled).toMatchObject({
      outcome: {
        failure: {
          code: 'context-changed',
          message: 'pay was not run: 2.0 has set context:user.id anew since userId was filled in from it.',
        },
        effectMayHaveHappened: false,
      },
    });
  });

  it('is not asked for: a call runs with what it was filled with, which is what a person has seen', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({ tools: [setting(ledger), pay(ledger)], turns: twice });
    await (await axle.start('worker', { input: 'pay' })).result();
    expect(ledger.effects.filter(({ tool: name }) => name === 'pay').map(({ input }) => input)).toEqual([
      { cents: 5, userId: 'u-1' },
      { cents: 5, userId: 'u-2' },
    ]);
  });

  it('is refused with a word that is not known', () => {
    const declared = { inputs: { userId: { from: 'user.id', fresh: true } } };
    expect(() => pay(new Ledger(), declared as never)).toThrow('inputs.userId: there is no field fresh');
  });
});
