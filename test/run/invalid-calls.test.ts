import { describe, expect, it } from 'vitest';
import type { BrainRequest } from '../../src/brain/brain.ts';
import { describeOutcome } from '../../src/brain/outcome-text.ts';
import { tool, type Contract } from '../../src/axle.ts';
import { createMemoryStore, type ScriptedTurn } from '../../src/testing.ts';
import { cutOffStore, entriesOf, openWorld, type WorldOptions } from './world.ts';

const booking = (declared: { readonly maxInvalidCalls?: number } = {}): Contract =>
  tool({
    name: 'book',
    description: 'Books a room.',
    effect: 'write',
    input: {
      type: 'object',
      properties: { room: { enum: ['red', 'blue'] }, nights: { type: 'integer', minimum: 1 } },
      required: ['room', 'nights'],
      additionalProperties: false,
    },
    examples: [{ input: { room: 'red', nights: 2 } }, { input: { room: 'blue', nights: 1 } }],
    execute: () => ({ booked: true }),
    ...declared,
  });
const listing = tool({
  name: 'list_rooms',
  description: 'Lists the rooms.',
  effect: 'read',
  input: { type: 'object', properties: {} },
  execute: () => ['red', 'blue'],
});

const book = (input: unknown, times = 1): ScriptedTurn => ({
  calls: Array.from({ length: times }, () => ({ name: 'book', input })),
});
const fits = book({ room: 'blue', nights: 1 });
const wrong = book({ room: 'green', nights: 1 });

interface Shown {
  readonly tools: readonly string[];
  /** What is said of each call, in order. */
  readonly said: readonly string[];
}

function shownIn({ tools, items }: BrainRequest): Shown {
  const results = items.flatMap((item) => (item.kind === 'results' ? item.results : []));
  return {
    tools: tools.map(({ name }) => name),
    said: results.map(({ outcome }) => {
      const described = describeOutcome(outcome);
      return described.kind === 'data' ? JSON.stringify(described.value) : described.text;
    }),
  };
}

/** Runs a script and gives back what the model was shown before each of its turns. */
async function play(turns: readonly ScriptedTurn[], options: Partial<WorldOptions> = {}) {
  const shown: Shown[] = [];
  const { axle, store } = await openWorld({
    tools: [booking(), listing],
    turns: (request, turn) => {
      shown.push(shownIn(request));
      return turns[turn] ?? 'done';
    },
    ...options,
  });
  const run = await axle.start('worker', { input: 'Book me a room.' });
  return { result: await run.result(), shown, entries: await entriesOf(store, run.id) };
}

describe('a tool whose arguments the model gets wrong again and again (T8, T10)', () => {
  it('is first answered with field, value, what is allowed, a near miss and an example', async () => {
    const { shown } = await play([book({ room: 'blu', nights: 0 })]);
    const [said = ''] = shown[1]?.said ?? [];
    expect(said).toContain('room is "blu" and must be one of "red", "blue"; did you mean "blue"?');
    expect(said).toContain('nights is 0 and must be a whole number, at least 1');
    expect(said).toContain('Example of arguments that fit: {"room":"red","nights":2}');
    expect(said).not.toContain('The schema of the arguments');
  });

  it('shows only what was wrong with the last call, so that older messages do not contradict it', async () => {
    const { shown, result } = await play([book({ room: 'green', nights: 1 }), book({ room: 'red' }), fits]);
    expect(shown[1]?.said[0]).toContain('room is "green"');
    expect(shown[2]?.said[0]).not.toContain('green');
    expect(shown[2]?.said[0]).toContain('only what is said there counts');
    expect(shown[2]?.said[1]).toContain('nights is missing');
    // After a call that fits nothing of it is left, and the journal still has all of it.
    expect(shown[3]?.said.join()).not.toMatch(/nights is missing|room is/);
    expect(result.status).toBe('completed');
  });

  it('brings the whole schema and every example with the third, and says to choose another way', async () => {
    const { shown } = await play([wrong, wrong, wrong]);
    expect(shown[2]?.said[1]).not.toContain('The schema of the arguments');
    const third = shown[3]?.said[2] ?? '';
    expect(third).toContain('The schema of the arguments of book: {"additionalProperties":false');
    expect(third).toContain('Arguments that fit: {"room":"blue","nights":1}');
    expect(third).toContain('use another tool, or answer without it');
    expect(shown[3]?.tools).toEqual(['book', 'list_rooms']);
  });

  it('is withdrawn after the fourth, and the model goes on without it', async () => {
    const { shown, result, entries } = await play([
      wrong,
      wrong,
      wrong,
      wrong,
      { calls: [{ name: 'list_rooms', input: {} }] },
    ]);
    expect(shown[4]?.tools).toEqual(['list_rooms']);
    expect(shown[4]?.said[3]).toContain('it is withdrawn');
    expect(shown[5]?.tools).toEqual(['list_rooms']);
    expect(result).toMatchObject({ status: 'completed', output: 'done' });
    // What was shown is in the journal, and not said twice.
    const started = entries.filter((entry) => entry.type === 'model-started');
    expect(started.map((entry) => entry.tools)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      ['list_rooms'],
      undefined,
    ]);
  });

  it('ends the run with a reason after the fifth', async () => {
    const { result, entries } = await play(Array.from({ length: 9 }, () => wrong));
    expect(result).toMatchObject({
      status: 'stopped',
      steps: 5,
      failure: { code: 'regenerations-exhausted', message: expect.stringContaining('called book 5 times in a row') },
    });
    expect(entries.filter((entry) => entry.type === 'call-refused')).toHaveLength(5);
  });

  it('is counted by turns: calls that the model wrote beside each other had no answer yet', async () => {
    const { shown, result } = await play([book({ room: 'green' }, 6), fits]);
    expect(shown[1]?.said).toHaveLength(6);
    expect(shown[1]?.said.join()).not.toContain('The schema of the arguments');
    expect(result.status).toBe('completed');
  });

  it('begins anew after a call that fits, which is taken also when the tool was withdrawn', async () => {
    const { shown, result } = await play([wrong, wrong, wrong, wrong, fits, wrong, wrong]);
    expect(shown[4]?.tools).toEqual(['list_rooms']);
    expect(shown[5]?.tools).toEqual(['book', 'list_rooms']);
    expect(shown[5]?.said[4]).toBe('{"booked":true}');
    expect(shown[7]?.said.join()).not.toContain('The schema of the arguments');
    expect(result.status).toBe('completed');
  });

  it('begins anew after a message of the user', async () => {
    const shown: Shown[] = [];
    const { axle } = await openWorld({
      tools: [booking(), listing],
      turns: (request, turn) => {
        shown.push(shownIn(request));
        return [wrong, wrong, 'Which room?', wrong][turn] ?? 'done';
      },
      agent: { onAnswer: 'wait' },
    });
    const run = await axle.start('worker', { input: 'Book me a room.' });
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    await run.send('The green one.');
    await expect.poll(() => shown.length).toBe(5);
    expect(shown[4]?.said.at(-1)).toContain('room is "green"');
    expect(shown[4]?.said.at(-1)).not.toContain('The schema of the arguments');
  });

  it('stands in the list while it is the only one, since providers refuse calls without tools', async () => {
    const { shown } = await play([wrong, wrong, wrong, wrong], { tools: [booking()] });
    expect(shown[4]?.tools).toEqual(['book']);
    expect(shown[4]?.said[3]).toContain('it is withdrawn');
  });

  it('takes the limit that its contract declares', async () => {
    const once = await play([wrong, wrong, wrong, wrong], { tools: [booking({ maxInvalidCalls: 1 }), listing] });
    expect(once.shown[1]?.said[0]).toContain('The schema of the arguments');
    expect(once.shown[2]?.tools).toEqual(['list_rooms']);
    expect(once.result).toMatchObject({ steps: 3, failure: { code: 'regenerations-exhausted' } });
    const often = await play(
      Array.from({ length: 9 }, () => wrong),
      {
        tools: [booking({ maxInvalidCalls: 6 }), listing],
      },
    );
    expect(often.result).toMatchObject({ steps: 8, failure: { code: 'regenerations-exhausted' } });
  });

  it('is counted across a restart of the process', async () => {
    const erasing = tool({
      name: 'erase',
      description: 'Erases a booking.',
      irreversible: true,
      input: { type: 'object' },
      execute: () => null,
    });
    const store = createMemoryStore();
    const old = cutOffStore(store);
    const shown: Shown[] = [];
    const script = {
      tools: [booking(), listing, erasing],
      turns: (request: BrainRequest, turn: number): ScriptedTurn => {
        shown.push(shownIn(request));
        return [wrong, wrong, { calls: [{ name: 'erase', input: {} }] }, wrong][turn] ?? 'done';
      },
    };
    const first = await openWorld({ ...script, store: old.store });
    const run = await first.axle.start('worker', { input: 'Book me a room.' });
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    old.cutOff();
    const second = await openWorld({ ...script, store, clock: first.clock });
    await second.axle.approvals.resolve(`${run.id}/3.0`, { decision: 'approve' });
    expect(await second.axle.run(run.id).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(shown.at(-1)?.said[3]).toContain('The schema of the arguments');
    expect(shown.at(-1)?.said[0]).toContain('only what is said there counts');
  });
});
