import { describe, expect, it } from 'vitest';
import { type Contract, createAxle, ToolError } from '../../src/axle.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { describeResult } from '../../src/brain/outcome-text.ts';
import { coded } from '../journal/sample-entries.ts';
import { entriesOf, Ledger, ledgerTool, openWorld, typesOf } from './world.ts';

const call = (name: string, input: unknown = {}) => ({ name, input });
const once = { attempts: 1 };
const unreachable = (): never => {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
};
const notSent = (): never => {
  throw new ToolError({ message: 'The gateway is closed.', class: 'retryable', effect: 'none' });
};

const places = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'], additionalProperties: false };
const position = { type: 'object', properties: { lat: { type: 'number' } }, required: ['lat'] };

async function runOf(
  tools: readonly Contract[],
  calls: readonly { name: string; input: unknown }[],
  granted?: string[],
) {
  const seen: string[] = [];
  const shown: string[][] = [];
  const world = await openWorld({
    tools,
    turns: (request, turn) => {
      shown.push(request.tools.map(({ name }) => name));
      for (const item of request.items) {
        if (item.kind === 'results') seen.push(...item.results.map((result) => describeResult(result)).map(textOf));
      }
      return turn === 0 ? { calls } : 'done';
    },
    agent: { tools: granted ?? calls.map(({ name }) => name) },
  });
  const run = await world.axle.start('worker', { input: 'go' });
  const result = await run.result();
  return { ...world, run, result, seen, shown };
}

function textOf(told: ReturnType<typeof describeResult>): string {
  return told.kind === 'data' ? JSON.stringify(told.value) : told.text;
}

describe('a fallback chain (T5)', () => {
  it('goes on with the next tool when the one before is down, with arguments and result made to fit', async () => {
    const ledger = new Ledger();
    const { store, run, seen, shown } = await runOf(
      [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: once,
          output: position,
          run: unreachable,
          fallback: [
            {
              tool: 'maps',
              input: ({ city }: { city: string }) => ({ q: city }),
              output: ({ at }: { at: number[] }) => ({ lat: at[0] }),
            },
          ],
        }),
        ledgerTool(ledger, 'maps', { effect: 'read', input: places, run: () => ({ at: [59.9, 10.7] }) }),
      ],
      [call('geo', { city: 'Oslo' })],
      ['geo'],
    );
    expect(ledger.effects.map(({ tool, input, attempt }) => ({ tool, input, attempt }))).toEqual([
      { tool: 'geo', input: { city: 'Oslo' }, attempt: 1 },
      { tool: 'maps', input: { q: 'Oslo' }, attempt: 2 },
    ]);
    expect(new Set(ledger.effects.map(({ key }) => key)).size).toBe(2);
    expect(seen).toEqual(['geo was down, so maps was asked in its place.\n{"lat":59.9}']);
    expect(shown[0]).toEqual(['geo']);
    expect(await typesOf(store, run.id)).toEqual([
      'run-accepted',
      'model-started',
      'model-finished',
      'call-bound',
      'call-decided',
      'attempt-started',
      'attempt-finished',
      'call-fell-back',
      'call-decided',
      'attempt-started',
      'attempt-finished',
      'call-settled',
      'model-started',
      'model-finished',
      'run-finished',
    ]);
    const entries = await entriesOf(store, run.id);
    expect(entries.find((entry) => entry.type === 'call-fell-back')).toMatchObject({
      callId: '1.0',
      link: 1,
      call: { tool: 'maps', input: { q: 'Oslo' } },
    });
    expect(entries.find((entry) => entry.type === 'call-settled')).toMatchObject({
      outcome: { output: { lat: 59.9 } },
    });
  });

  it('gives the next tool retries of its own', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: { attempts: 2, baseMs: 0 },
          run: unreachable,
          fallback: ['maps'],
        }),
        ledgerTool(ledger, 'maps', {
          effect: 'read',
          retry: { attempts: 2, baseMs: 0 },
          run: (_, { attempt }) => (attempt < 4 ? unreachable() : { ok: true }),
        }),
      ],
      turns: [{ calls: [call('geo')] }, 'done'],
      agent: { tools: ['geo'] },
    });
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    expect(ledger.effects.map(({ tool, attempt }) => `${tool} ${attempt}`)).toEqual([
      'geo 1',
      'geo 2',
      'maps 3',
      'maps 4',
    ]);
    // One key for each tool of the chain, whatever the attempt. (R8)
    expect(new Set(ledger.effects.map(({ tool, key }) => `${tool} ${key}`)).size).toBe(2);
  });

  it('has policy judge the next tool, and an approval bind its arguments', async () => {
    const ledger = new Ledger();
    const { axle, run, result, store } = await runOf(
      [
        ledgerTool(ledger, 'mail', {
          retry: once,
          run: notSent,
          fallback: [{ tool: 'letter', input: ({ to }: { to: string }) => ({ address: to }) }],
        }),
        ledgerTool(ledger, 'letter', { risk: 'high' }),
      ],
      [call('mail', { to: 'Ada' })],
    );
    expect(result).toMatchObject({ status: 'waiting', on: [{ kind: 'approval', callId: '1.0' }] });
    const [approval] = await axle.approvals.list(run.id);
    expect(approval).toMatchObject({ approvalId: `${run.id}/1.0~1`, tool: 'letter', input: { address: 'Ada' } });
    await axle.approvals.resolve(approval?.approvalId ?? '', { decision: 'approve', edit: { address: 'Ada L.' } });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.effects.at(-1)).toMatchObject({ tool: 'letter', input: { address: 'Ada L.' } });
    // History shows what the model sent, not what its stand-in got.
    const bound = (await entriesOf(store, run.id)).find((entry) => entry.type === 'call-bound');
    expect(bound).toMatchObject({ call: { tool: 'mail', input: { to: 'Ada' } } });
  });

  it('of a side effect goes on only with proof that nothing happened', async () => {
    const ledger = new Ledger();
    const busy = (): never => {
      throw Object.assign(new Error('Internal server error'), { status: 500 });
    };
    const chain = { retry: once, fallback: ['other'] };
    const other = ledgerTool(ledger, 'other', { effect: 'write' });
    const proved = await runOf([ledgerTool(ledger, 'pay', { ...chain, run: notSent }), other], [call('pay')]);
    expect(proved.result).toMatchObject({ status: 'completed' });
    expect(ledger.of('other')).toBe(1);

    const unanswered = await runOf([ledgerTool(ledger, 'pay', { ...chain, run: busy }), other], [call('pay')]);
    expect(unanswered.result).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    const again = await runOf(
      [ledgerTool(ledger, 'put', { ...chain, effect: 'idempotent', run: busy }), other],
      [call('put')],
    );
    expect(again.seen[0]).toContain('Its effect may have happened nevertheless');
    const silent = await runOf([ledgerTool(ledger, 'pay', { ...chain, run: unreachable }), other], [call('pay')]);
    expect(silent.seen[0]).toContain('Its effect may have happened nevertheless');
    expect(ledger.of('other')).toBe(1);
  });

  it('is not walked for invalid arguments, denials or faults that time does not mend', async () => {
    const ledger = new Ledger();
    const other = ledgerTool(ledger, 'other', { effect: 'read' });
    const tools = [
      ledgerTool(ledger, 'geo', { effect: 'read', input: places, fallback: ['other'] }),
      ledgerTool(ledger, 'rude', {
        effect: 'read',
        fallback: ['other'],
        run: () => {
          throw new Error('no such place');
        },
      }),
      ledgerTool(ledger, 'secret', { effect: 'read', risk: 'high', fallback: ['other'] }),
      other,
    ];
    const { axle, run } = await runOf(tools, [call('geo', { q: 5, z: 1 }), call('rude'), call('secret')]);
    const [approval] = await axle.approvals.list(run.id);
    await axle.approvals.resolve(approval?.approvalId ?? '', { decision: 'deny' });
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(ledger.of('other')).toBe(0);
  });

  it('can be walked for failures that the contract names', async () => {
    const ledger = new Ledger();
    const { seen } = await runOf(
      [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          output: position,
          run: () => ({ latitude: '59.9' }),
          fallback: [{ tool: 'maps', when: ['output-invalid'] }],
        }),
        ledgerTool(ledger, 'maps', { effect: 'read', run: () => ({ lat: 59.9 }) }),
      ],
      [call('geo')],
    );
    expect(seen[0]).toContain('{"lat":59.9}');
  });

  it('passes over a tool whose arguments cannot be made, and says so when none is left', async () => {
    const ledger = new Ledger();
    const broken = () => {
      throw new Error('no city');
    };
    const { store, run } = await runOf(
      [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: once,
          run: unreachable,
          fallback: [{ tool: 'maps', input: broken }, { tool: 'atlas' }, 'globe'],
        }),
        ledgerTool(ledger, 'maps', { effect: 'read' }),
        ledgerTool(ledger, 'atlas', { effect: 'read', input: places }),
        ledgerTool(ledger, 'globe', { effect: 'read', run: unreachable, retry: once }),
      ],
      [call('geo', { city: 'Oslo' })],
    );
    const fell = (await entriesOf(store, run.id)).filter((entry) => entry.type === 'call-fell-back');
    expect(fell).toMatchObject([
      {
        link: 3,
        call: { tool: 'globe' },
        skipped: [
          { tool: 'maps', reason: expect.stringContaining('no city') },
          { tool: 'atlas', reason: expect.stringContaining('q') },
        ],
      },
    ]);
    const none = await runOf(
      [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: once,
          run: unreachable,
          fallback: [{ tool: 'maps', input: broken }],
        }),
        ledgerTool(ledger, 'maps', { effect: 'read' }),
      ],
      [call('geo')],
    );
    expect(none.seen[0]).toContain('maps could not stand in');
    expect(none.seen[0]).toContain('no city');
  });

  it('gives the model nothing that the asked tool would not have given; what a stand-in did has happened', async () => {
    const ledger = new Ledger();
    const { seen, store, run } = await runOf(
      [
        ledgerTool(ledger, 'pay', { retry: once, run: notSent, output: position, fallback: ['other'] }),
        ledgerTool(ledger, 'other', { effect: 'write', run: () => ({ lat: 'north' }) }),
      ],
      [call('pay')],
    );
    expect(seen[0]).toContain('What other answered does not fit what pay declares: /lat');
    expect(seen[0]).toContain('Its effect may have happened nevertheless');
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'call-settled')).toMatchObject({
      outcome: { failure: { code: 'output-invalid' }, effectMayHaveHappened: true },
    });
  });

  it('puts no tool within the reach of a model that was not granted it', async () => {
    const ledger = new Ledger();
    const { seen } = await runOf(
      [
        ledgerTool(ledger, 'geo', { effect: 'read', fallback: ['maps'] }),
        ledgerTool(ledger, 'maps', { effect: 'read' }),
      ],
      [call('maps')],
      ['geo'],
    );
    expect(seen[0]).toContain('tool-unknown');
    expect(ledger.of('maps')).toBe(0);
  });

  it('does not wait for an upstream whose breaker is open', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: once,
          run: unreachable,
          breaker: { consecutiveFailures: 1, openFor: '10m' },
          fallback: ['maps'],
        }),
        ledgerTool(ledger, 'maps', { effect: 'read', run: () => 'here' }),
      ],
      turns: [],
    });
    for (let round = 0; round < 3; round += 1) expect(await axle.call('geo', {})).toMatchObject({ output: 'here' });
    expect(ledger.of('geo')).toBe(1);
    expect(ledger.of('maps')).toBe(3);
  });

  it('does not wait for an open breaker although it has tries left', async () => {
    const ledger = new Ledger();
    let isDown = true;
    const { axle } = await openWorld({
      tools: [
        ledgerTool(ledger, 'geo', {
          effect: 'read',
          retry: { attempts: 4, baseMs: 0 },
          run: () => (isDown ? unreachable() : 'there'),
          breaker: { consecutiveFailures: 2, openFor: '10m' },
          fallback: ['maps'],
        }),
        ledgerTool(ledger, 'maps', { effect: 'read', run: () => 'here' }),
      ],
      turns: [],
    });
    expect(await axle.call('geo', {})).toMatchObject({ output: 'here' });
    isDown = false;
    expect(await axle.call('geo', {})).toMatchObject({ output: 'here' });
    expect(ledger.of('geo')).toBe(2);
  });

  it('serves a single call as well', async () => {
    const ledger = new Ledger();
    const { axle } = await openWorld({
      tools: [
        ledgerTool(ledger, 'geo', { effect: 'read', retry: once, run: unreachable, fallback: ['maps'] }),
        ledgerTool(ledger, 'maps', { effect: 'read', run: () => 'here' }),
      ],
      turns: [],
    });
    expect(await axle.call('geo', {})).toMatchObject({ status: 'completed', output: 'here' });
  });

  it.each([
    ['an unknown tool', [{ fallback: ['map'] }, {}], 'the nearest name is maps'],
    ['the tool itself', [{ fallback: ['geo'] }, {}], 'occurs twice'],
    ['one tool twice', [{ fallback: ['maps', { tool: 'maps' }] }, {}], 'occurs twice'],
    ['an effect in place of a read', [{ fallback: ['maps'] }, { effect: 'write' }], 'only a read can stand in'],
  ] as const)('with %s is refused when Axle is opened', async (_, [geo, maps], message) => {
    const ledger = new Ledger();
    const tools = [
      ledgerTool(ledger, 'geo', { effect: 'read', ...geo }),
      ledgerTool(ledger, 'maps', { effect: 'read', ...maps }),
    ];
    const opened = createAxle({ store: createMemoryStore(), tools });
    await expect(opened).rejects.toMatchObject({
      code: 'fallback-invalid',
      message: expect.stringContaining(message),
    });
  });

  it('of more than eight tools, or of something else, is refused at the declaration', () => {
    const names = Array.from({ length: 9 }, (_, index) => `t${index}`);
    for (const fallback of [names, 'maps', [{ tool: 'maps', inputs: 1 }], [{ tool: 'maps', input: 'x' }]]) {
      expect(() => ledgerTool(new Ledger(), 'geo', { fallback } as never)).toThrow(coded('contract-invalid'));
    }
  });
});

describe('a stand-in that uses the context of its run (Y6)', () => {
  const worldOf = (ledger: Ledger, calls: readonly { name: string; input: unknown }[]) =>
    runOf(
      [
        ledgerTool(ledger, 'login', { effect: 'read', publishes: { 'user.id': '/id' }, run: () => ({ id: 'ada' }) }),
        ledgerTool(ledger, 'pay', { retry: once, run: notSent, fallback: ['transfer'] }),
        ledgerTool(ledger, 'transfer', {
          input: {
            type: 'object',
            properties: { from: { type: 'string' }, cents: { type: 'integer' } },
            required: ['from', 'cents'],
            additionalProperties: false,
          },
          inputs: { from: 'user.id' },
          requires: ['tool:login'],
        }),
      ],
      calls,
      ['login', 'pay'],
    );

  it('does not have the call while what it requires is not there', async () => {
    const ledger = new Ledger();
    const { seen } = await worldOf(ledger, [call('pay', { cents: 5, from: 'eve' })]);
    expect(ledger.of('transfer')).toBe(0);
    expect(seen[0]).toContain('transfer could not stand in: transfer was not run: it needs tool:login');
  });

  it('is filled from there, whatever the model wrote in the place of it', async () => {
    const ledger = new Ledger();
    const { store, run } = await worldOf(ledger, [call('login'), call('pay', { cents: 5, from: 'eve' })]);
    expect(ledger.effects.at(-1)).toMatchObject({ tool: 'transfer', input: { cents: 5, from: 'ada' } });
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'call-fell-back')).toMatchObject({
      call: { filled: [{ path: '/from', from: 'context:user.id', by: '1.0' }] },
    });
  });
});
