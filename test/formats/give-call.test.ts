import { afterEach, describe, expect, test } from 'vitest';
import { type Axle, createAxle, tool, ToolError } from '../../src/axle.ts';
import { type FormatCall, type FormatResult, giveCall } from '../../src/formats.ts';

let opened: Axle | undefined;
afterEach(() => opened?.close());

const paid: unknown[] = [];
async function openShop(): Promise<Axle> {
  paid.length = 0;
  opened = await createAxle({
    store: ':memory:',
    log: () => {},
    tools: [
      tool({
        name: 'shop.pay',
        description: 'Pays.',
        input: {
          type: 'object',
          properties: { cents: { type: 'integer' } },
          required: ['cents'],
          additionalProperties: false,
        },
        execute: (input) => {
          paid.push(input);
          if (input['cents'] === 13) {
            throw new ToolError({ message: 'The card was declined.', effect: 'none', class: 'recoverable' });
          }
          return { receipt: paid.length };
        },
      }),
      tool({ name: 'erase', description: 'Erases.', risk: 'high', input: { type: 'object' }, execute: () => null }),
    ],
  });
  return opened;
}

const pay = (argumentsText: string, more: Partial<FormatCall> = {}): FormatCall => ({
  toolCallId: 'c1',
  toolName: 'shop.pay',
  argumentsText,
  ...more,
});

describe('a call of a loop of its own, given to an Axle', () => {
  test('runs, and its result is what a model is told', async () => {
    const result: FormatResult = await giveCall(await openShop(), pay('{"cents":5}'));
    expect(result).toEqual({ toolCallId: 'c1', text: '{"receipt":1}', isError: false });
    expect(paid).toEqual([{ cents: 5 }]);
  });

  test('is read and repaired as in every run', async () => {
    const axle = await openShop();
    expect((await giveCall(axle, pay("{'cents': '5',}"))).isError).toBe(false);
    expect(paid).toEqual([{ cents: 5 }]);
    const refused = await giveCall(axle, pay('{"cents":"many"}'));
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('arguments-invalid') as string });
    const long = await giveCall(axle, pay('{"cents":12345678901234567890}'));
    expect(long.isError).toBe(true);
    expect(paid).toHaveLength(1);
  });

  test('that is given again in its conversation runs once', async () => {
    const axle = await openShop();
    const first = await giveCall(axle, pay('{"cents":5}'), { conversation: 'user-42' });
    expect(await giveCall(axle, pay('{"cents":5}'), { conversation: 'user-42' })).toEqual(first);
    expect(paid).toHaveLength(1);
    await giveCall(axle, pay('{"cents":5}', { toolCallId: 'c2' }), { conversation: 'user-42' });
    expect(paid).toHaveLength(2);
  });

  test('that failed says whether anything happened', async () => {
    const axle = await openShop();
    const declined = await giveCall(axle, pay('{"cents":13}'));
    expect(declined).toMatchObject({ isError: true, text: expect.stringContaining('It changed nothing.') as string });
  });

  test('of a tool that is not there is answered with those that are', async () => {
    const result = await giveCall(await openShop(), pay('{}', { toolName: 'shop.steal' }));
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('shop.pay') as string });
  });

  test('that was cut off is not made', async () => {
    const result = await giveCall(await openShop(), pay('{"cents":5}', { truncated: true }));
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('arguments-truncated') as string });
    expect(paid).toEqual([]);
  });

  test('that waits for a person says so, and later what became of it', async () => {
    const axle = await openShop();
    const call = pay('{}', { toolName: 'erase' });
    const waiting = await giveCall(axle, call, { conversation: 'user-42' });
    expect(waiting).toMatchObject({ isError: true, text: expect.stringContaining('waits for a person') as string });
    const [approval] = await axle.approvals.list();
    await axle.approvals.resolve(approval?.approvalId ?? '', { decision: 'deny', note: 'Never.' });
    const denied = await giveCall(axle, call, { conversation: 'user-42' });
    expect(denied).toMatchObject({ isError: true, text: expect.stringContaining('denied') as string });
  });
});

describe('the definitions of tools', () => {
  test('are those of all tools, or of the patterns', async () => {
    const axle = await openShop();
    expect(axle.tools.definitions().map(({ name }) => name)).toEqual(['shop.pay', 'erase']);
    expect(axle.tools.definitions(['shop.*'])).toMatchObject([{ name: 'shop.pay', description: 'Pays.' }]);
    expect(() => axle.tools.definitions(['no.*'])).toThrow('No registered tool');
  });
});
