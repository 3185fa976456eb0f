import { describe, expect, it } from 'vitest';
import { type Contract, createAxle, type Policy, ToolError } from '../../src/axle.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { coded } from '../journal/sample-entries.ts';
import { entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const call = (name: string, input: unknown = {}) => ({ name, input });

/** A tool with an effect whose undo is noted in the ledger under its own name. */
function undoable(ledger: Ledger, name: string, declared: object = {}, undo: object = {}): Contract {
  let count = 0;
  return ledgerTool(ledger, name, {
    run: () => {
      count += 1;
      return { id: `${name}-${count}` };
    },
    undo: {
      execute: (input: unknown, output: unknown, context: never) => {
        ledger.note(`un${name}`, { input, output }, context);
      },
      ...undo,
    },
    ...declared,
  });
}

const failing = (error: Error) => ({
  execute: () => {
    throw error;
  },
});

async function worldOf(tools: readonly Contract[], calls: readonly unknown[], more: { policy?: Policy } = {}) {
  const world = await openWorld({
    tools,
    turns: [...calls.map((one) => ({ calls: [one] })), 'done'] as never,
    ...more,
  });
  const run = await world.axle.start('worker', { input: 'go' });
  return { ...world, run, result: await run.result() };
}

function undone(ledger: Ledger): readonly string[] {
  return ledger.effects
    .filter(({ tool }) => tool.startsWith('un'))
    .map(({ tool, input }) => `${tool} ${(input as { output: { id: string } }).output.id}`);
}

describe('taking back what a run did (T20)', () => {
  it('undoes effects in reverse order of success, each with its input and output, and leaves reads alone', async () => {
    const ledger = new Ledger();
    const { axle, run, store } = await worldOf(
      [undoable(ledger, 'book'), undoable(ledger, 'pay'), ledgerTool(ledger, 'look', { effect: 'read' })],
      [call('book', { room: 1 }), call('look'), call('pay', { cents: 5 }), call('book', { room: 2 })],
    );
    const undo = await axle.undo(run.id);
    expect(await undo.result()).toMatchObject({
      status: 'completed',
      output: {
        of: run.id,
        undone: [
          { callId: '4.0', tool: 'book' },
          { callId: '3.0', tool: 'pay' },
          { callId: '1.0', tool: 'book' },
        ],
        failed: [],
        unable: [],
        left: [],
      },
    });
    expect(undone(ledger)).toEqual(['unbook book-2', 'unpay pay-1', 'unbook book-1']);
    expect(ledger.effects.at(-1)).toMatchObject({ input: { input: { room: 1 }, output: { id: 'book-1' } } });
    expect(await undo.summary()).toMatchObject({ kind: 'undo', subject: run.id });
    // Each is a call like any other: decided, announced, recorded.
    expect(await typesOf(store, undo.id)).toEqual([
      'run-accepted',
      ...Array.from({ length: 3 }, () => [
        'call-bound',
        'call-decided',
        'attempt-started',
        'attempt-finished',
        'call-settled',
      ]).flat(),
      'run-finished',
    ]);
  });

  it('asked twice is the same run, and undoes once', async () => {
    const ledger = new Ledger();
    const { axle, run } = await worldOf([undoable(ledger, 'book')], [call('book')]);
    const [first, second] = await Promise.all([axle.undo(run.id), axle.undo(run.id)]);
    expect(second.id).toBe(first.id);
    await first.result();
    expect((await axle.undo(run.id)).id).toBe(first.id);
    expect(undone(ledger)).toEqual(['unbook book-1']);
  });

  it('undoes only the calls that are asked for, and later only what is left', async () => {
    const ledger = new Ledger();
    const { axle, run } = await worldOf([undoable(ledger, 'book')], [call('book', { a: 1 }), call('book', { a: 2 })]);
    await (await axle.undo(run.id, { calls: ['1.0'] })).result();
    expect(undone(ledger)).toEqual(['unbook book-1']);
    const rest = await (await axle.undo(run.id)).result();
    expect(rest).toMatchObject({ status: 'completed', output: { undone: [{ callId: '2.0' }] } });
    expect(undone(ledger)).toEqual(['unbook book-1', 'unbook book-2']);
    await expect(axle.undo(run.id, { calls: ['9.0'] })).rejects.toMatchObject({
      code: 'usage-invalid',
      message: expect.stringContaining('1.0'),
    });
  });

  it('judges each undo by policy, with the risk of the tool unless it has its own', async () => {
    const ledger = new Ledger();
    const policy: Policy = ({ call: { tool, terms } }) =>
      tool.endsWith('~undo') && terms.risk === 'high'
        ? { kind: 'ask', rule: 'careful', reason: 'It was high.', expiresAfterMs: 60_000 }
        : { kind: 'allow', rule: 'open' };
    const { axle, run } = await worldOf([undoable(ledger, 'pay', { risk: 'high' })], [call('pay')], { policy });
    const undo = await axle.undo(run.id);
    expect(await undo.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'approval' }] });
    const [approval] = await axle.approvals.list(undo.id);
    expect(approval).toMatchObject({ tool: 'pay~undo', input: { output: { id: 'pay-1' } } });
    await axle.approvals.resolve(approval?.approvalId ?? '', { decision: 'approve' });
    expect(await undo.result()).toMatchObject({ status: 'completed' });
    const own = await worldOf([undoable(ledger, 'pay', { risk: 'high' }, { risk: 'low' })], [call('pay')], { policy });
    expect(await (await own.axle.undo(own.run.id)).result()).toMatchObject({ status: 'completed' });
  });

  it('stops at a call that cannot be taken back, or passes over it when told to', async () => {
    const ledger = new Ledger();
    const tools = [undoable(ledger, 'book'), ledgerTool(ledger, 'mail')];
    const calls = [call('book', { a: 1 }), call('mail'), call('book', { a: 2 })];
    const stops = await worldOf(tools, calls);
    expect(await (await stops.axle.undo(stops.run.id)).result()).toMatchObject({
      status: 'stopped',
      failure: { code: 'undo-incomplete' },
      output: {
        undone: [{ callId: '3.0' }],
        unable: [{ callId: '2.0', tool: 'mail', reason: 'no-undo' }],
        left: [{ callId: '1.0', tool: 'book' }],
      },
    });
    const skips = await worldOf(tools, calls);
    expect(await (await skips.axle.undo(skips.run.id, { onProblem: 'skip' })).result()).toMatchObject({
      status: 'completed',
      output: { undone: [{ callId: '3.0' }, { callId: '1.0' }], unable: [{ callId: '2.0' }], left: [] },
    });
  });

  it('stops when an undo fails; asked again it goes on with what is left, and never with what may have been undone', async () => {
    const ledger = new Ledger();
    let isDown = true;
    const proof = () => {
      if (isDown) throw new ToolError({ message: 'Closed.', class: 'recoverable', effect: 'none' });
    };
    const tools = [
      undoable(ledger, 'book'),
      undoable(ledger, 'pay', {}, { execute: proof }),
      undoable(ledger, 'send', {}, failing(new Error('Who knows.'))),
    ];
    const world = await worldOf(tools, [call('book'), call('pay'), call('send')]);
    const { axle, run } = world;
    const first = await axle.undo(run.id);
    expect(await first.result()).toMatchObject({
      status: 'failed',
      output: { failed: [{ callId: '3.0', mayHaveHappened: true }], left: [{ callId: '2.0' }, { callId: '1.0' }] },
    });
    expect((await axle.undo(run.id)).id).toBe(first.id);
    const second = await (await axle.undo(run.id, { again: true, onProblem: 'skip' })).result();
    expect(second).toMatchObject({
      status: 'failed',
      output: {
        undone: [{ callId: '1.0' }],
        failed: [{ callId: '2.0', mayHaveHappened: false }],
        unable: [{ callId: '3.0', reason: 'undo-may-have-happened' }],
      },
    });
    isDown = false;
    expect(await (await axle.undo(run.id, { again: true, onProblem: 'skip' })).result()).toMatchObject({
      status: 'completed',
      output: { undone: [{ callId: '2.0' }], unable: [{ callId: '3.0' }] },
    });
  });

  it('puts an undo that nobody answers in doubt, like every write, and waits for a person', async () => {
    const ledger = new Ledger();
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const { axle, run } = await worldOf(
      [undoable(ledger, 'book'), undoable(ledger, 'pay', {}, failing(reset))],
      [call('book'), call('pay')],
    );
    const undo = await axle.undo(run.id);
    expect(await undo.result()).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt', callId: '1.0' }] });
    expect(undone(ledger)).toEqual([]);
    await expect(axle.undo(run.id, { again: true })).rejects.toEqual(coded('undo-under-way'));
    await axle.calls.resolve(`${undo.id}/1.0`, { happened: true });
    expect(await undo.result()).toMatchObject({ status: 'completed' });
    expect(undone(ledger)).toEqual(['unbook book-1']);
  });

  it('names a call whose effect is not known for certain instead of guessing', async () => {
    const ledger = new Ledger();
    const output = { type: 'object', properties: { no: { type: 'number' } }, required: ['no'] };
    const { axle, run } = await worldOf([undoable(ledger, 'pay', { output })], [call('pay')]);
    expect(await (await axle.undo(run.id)).result()).toMatchObject({
      status: 'stopped',
      output: { unable: [{ callId: '1.0', reason: 'may-have-happened' }] },
    });
  });

  it('takes a stand-in back with what the stand-in was handed and answered', async () => {
    const ledger = new Ledger();
    const { axle, run } = await worldOf(
      [
        ledgerTool(ledger, 'mail', {
          retry: { attempts: 1 },
          run: () => {
            throw new ToolError({ message: 'Closed.', class: 'retryable', effect: 'none' });
          },
          fallback: [{ tool: 'letter', input: () => ({ by: 'hand' }), output: () => 'sent' }],
        }),
        undoable(ledger, 'letter'),
      ],
      [call('mail', { to: 'Ada' })],
    );
    await (await axle.undo(run.id)).result();
    expect(ledger.effects.at(-1)).toMatchObject({
      tool: 'unletter',
      input: { input: { by: 'hand' }, output: { id: 'letter-1' } },
    });
  });

  it('is refused for a run that may still do something, unless that is cancelled first', async () => {
    const ledger = new Ledger();
    const { axle, run, result } = await worldOf(
      [undoable(ledger, 'book'), undoable(ledger, 'pay', { risk: 'high' })],
      [call('book'), call('pay')],
    );
    expect(result).toMatchObject({ status: 'waiting' });
    await expect(axle.undo(run.id)).rejects.toEqual(coded('run-not-ended'));
    expect(await (await axle.undo(run.id, { cancel: true })).result()).toMatchObject({
      status: 'completed',
      output: { undone: [{ callId: '1.0' }] },
    });
    expect(await run.result()).toMatchObject({ status: 'cancelled' });
    await expect(axle.undo('run_0')).rejects.toEqual(coded('run-unknown'));
  });

  it('can itself be cancelled, and is no run to be undone', async () => {
    const ledger = new Ledger();
    const policy: Policy = ({ call: { tool } }) =>
      tool === 'pay~undo'
        ? { kind: 'ask', rule: 'careful', reason: 'Money.', expiresAfterMs: 60_000 }
        : { kind: 'allow', rule: 'open' };
    const { axle, run } = await worldOf(
      [undoable(ledger, 'book'), undoable(ledger, 'pay')],
      [call('book'), call('pay')],
      {
        policy,
      },
    );
    const undo = await axle.undo(run.id);
    await undo.result();
    await undo.cancel('stop');
    expect(await undo.result()).toMatchObject({ status: 'cancelled', output: { left: [{ callId: '1.0' }] } });
    await expect(axle.undo(undo.id)).rejects.toEqual(coded('usage-invalid'));
    expect(undone(ledger)).toEqual([]);
  });

  it('of a run without effects has nothing to do', async () => {
    const { axle, run } = await worldOf([ledgerTool(new Ledger(), 'look', { effect: 'read' })], [call('look')]);
    expect(await (await axle.undo(run.id)).result()).toMatchObject({ status: 'completed', output: { undone: [] } });
  });

  it('is held when the tool is gone after it was accepted, and names the tool when it was gone before', async () => {
    const ledger = new Ledger();
    const store = createMemoryStore();
    const book = undoable(ledger, 'book');
    const world = await openWorld({ tools: [book], turns: [{ calls: [call('book')] }, 'done'], store });
    const run = await world.axle.start('worker', { input: 'go' });
    await run.result();
    world.axle.tools.remove('book');
    expect(await (await world.axle.undo(run.id)).result()).toMatchObject({
      status: 'stopped',
      output: { unable: [{ callId: '1.0', reason: 'tool-missing' }] },
    });
    world.axle.tools.replace(book);
    expect(await (await world.axle.undo(run.id, { again: true })).result()).toMatchObject({ status: 'completed' });
    expect(undone(ledger)).toEqual(['unbook book-1']);
    expect((await entriesOf(store, run.id)).at(-1)?.type).toBe('run-finished');
  });

  it.each([
    ['a name of its own', { name: 'x~undo' }],
    ['a read', { effect: 'read', undo: () => {} }],
    ['an irreversible tool', { irreversible: true, undo: () => {} }],
    ['something that is no function', { undo: 'pay back' }],
    ['a field that it does not have', { undo: { execute: () => {}, timeuot: 5 } }],
    ['an undo that is a read', { undo: { execute: () => {}, effect: 'read' } }],
  ])('of %s is refused at the declaration', (_, declared) => {
    expect(() => ledgerTool(new Ledger(), 'x', declared as never)).toThrow(coded('contract-invalid'));
  });

  it('is out of reach for models and callers', async () => {
    const ledger = new Ledger();
    const { axle, run, store } = await worldOf(
      [undoable(ledger, 'book')],
      [call('book~undo', { input: 1, output: 2 })],
    );
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'call-refused')).toMatchObject({
      failure: { code: 'tool-unknown' },
    });
    await expect(axle.call('book~undo', { input: 1, output: 2 })).rejects.toEqual(coded('tool-unknown'));
    await expect(createAxle({ store: ':memory:', tools: [] }).then((empty) => empty.undo('x'))).rejects.toEqual(
      coded('run-unknown'),
    );
  });
});
