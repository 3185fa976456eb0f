import { describe, expect, it } from 'vitest';
import { agent, createAxle, tool } from '../../src/axle.ts';
import { createMemoryStore, scriptedBrain } from '../../src/testing.ts';

const model = scriptedBrain([]);
const coded = (code: string, ...words: readonly string[]) =>
  expect.objectContaining({ code, message: expect.stringMatching(new RegExp(words.join('.*'), 'su')) });

describe('what programs without types hand in is refused with a code, the value and the remedy', () => {
  it.each([
    ['no object', undefined, ['createAxle']],
    ['no store', {}, ['store', 'missing']],
    ['a number as store', { store: 3 }, ['store', '3']],
    ['an option that does not exist', { store: ':memory:', tols: [] }, ['tols', 'tools']],
    ['tools that are no list', { store: ':memory:', tools: {} }, ['tools', 'an object']],
    ['a tool that tool() did not make', { store: ':memory:', tools: [{ name: 'x' }] }, ['tools\\[0\\]']],
    ['an agent that agent() did not make', { store: ':memory:', agents: [{ name: 'x' }] }, ['agents\\[0\\]']],
    ['a client of a store in memory', { store: ':memory:', role: 'client' }, ['role']],
    ['a role beside a store object', { store: createMemoryStore(), role: 'auto' }, ['role']],
    ['a log that is no function', { store: ':memory:', log: 'warn' }, ['log', 'warn']],
    ['too many runs in memory', { store: ':memory:', maxActiveRuns: 0 }, ['maxActiveRuns', '0']],
  ])('createAxle: %s', async (_, options, words) => {
    // @ts-expect-error -- what the compiler would refuse.
    await expect(createAxle(options)).rejects.toEqual(coded('configuration-invalid', ...words));
  });

  it('createAxle: a policy file, which nothing enforces yet', async () => {
    // @ts-expect-error -- what the compiler would refuse.
    await expect(createAxle({ store: ':memory:', policy: './policy.yaml' })).rejects.toEqual(
      coded('contract-field-not-enforced'),
    );
  });

  it.each([
    ['no name', { model }, ['name', 'missing']],
    ['a name with a space', { name: 'a b', model }, ['name', 'a b']],
    ['no model', { name: 'a' }, ['model', 'missing']],
    ['tools that are one text', { name: 'a', model, tools: 'pay' }, ['tools', 'pay']],
    ['a misspelt budget', { name: 'a', model, budget: { step: 3 } }, ['step', 'steps']],
    ['a negative budget', { name: 'a', model, budget: { steps: -1 } }, ['steps', '-1']],
    ['a misspelt setting', { name: 'a', model, settings: { temp: 1 } }, ['temp']],
    ['a duration that is none', { name: 'a', model, modelTimeout: 'soon' }, ['modelTimeout', 'soon']],
  ])('agent: %s', (_, declaration, words) => {
    // @ts-expect-error -- what the compiler would refuse.
    expect(() => agent(declaration)).toThrow(coded('agent-invalid', ...words));
  });

  it('agent: a budget that is not enforced yet', () => {
    // @ts-expect-error -- what the compiler would refuse.
    expect(() => agent({ name: 'a', model, budget: { usd: 1 } })).toThrow(coded('contract-field-not-enforced', 'usd'));
  });

  it('start and call: a misspelt key would make a second run, so it is refused', async () => {
    const note = tool({ name: 'note', description: 'Notes.', input: { type: 'object' }, execute: async () => null });
    await using axle = await createAxle({ store: ':memory:', tools: [note], agents: [agent({ name: 'a', model })] });
    // @ts-expect-error -- what the compiler would refuse.
    await expect(axle.call('note', {}, { kay: 'k' })).rejects.toEqual(coded('usage-invalid', 'kay', 'key'));
    // @ts-expect-error -- what the compiler would refuse.
    await expect(axle.start('a', { input: 'x', id: 'k' })).rejects.toEqual(coded('usage-invalid', 'id'));
    // @ts-expect-error -- what the compiler would refuse.
    await expect(axle.start('a')).rejects.toEqual(coded('usage-invalid'));
    expect(await axle.runs()).toEqual([]);
  });
});
