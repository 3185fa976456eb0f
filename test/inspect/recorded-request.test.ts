import { describe, expect, test } from 'vitest';
import { type Brain, type BrainRequest, tool, type Contract } from '../../src/axle.ts';
import { recordedRequests, type RecordedRequest } from '../../src/inspect/context/recorded-request.ts';
import type { Store } from '../../src/journal/store.ts';
import { createMemoryStore, scriptedBrain, type ScriptedTurn } from '../../src/testing.ts';
import { openTemporaryStore } from '../journal/temporary-store.ts';
import { Ledger, ledgerTool, openWorld } from '../run/world.ts';

/** What a brain was really handed, as text at the moment when it was. */
function requestText({
  instructions,
  items,
  tools,
  settings,
}: Pick<BrainRequest, 'instructions' | 'items' | 'tools' | 'settings'>): string {
  return JSON.stringify({ instructions, items, tools, settings });
}

function recordedText({ instructions, items, tools, settings }: RecordedRequest): string {
  return JSON.stringify({ instructions, items, tools, settings });
}

/** A brain that keeps what it is handed. */
function watched(brain: Brain): { readonly brain: Brain; readonly seen: string[] } {
  const seen: string[] = [];
  const generate: Brain['generate'] = async (request) => {
    seen.push(requestText(request));
    return brain.generate(request);
  };
  return { brain: { id: brain.id, generate }, seen };
}

async function allRequests(store: Store, runId: string): Promise<readonly RecordedRequest[]> {
  const requests: RecordedRequest[] = [];
  for await (const request of recordedRequests(store, runId)) requests.push(request);
  return requests;
}

const ledger = new Ledger();
const weather = ledgerTool(ledger, 'get_weather', {
  effect: 'read',
  input: {
    type: 'object',
    properties: { b_city: { type: 'string' }, a_days: { type: 'integer' } },
    required: ['b_city'],
    additionalProperties: false,
  },
  // The order of its keys is that in which a model reads it.
  examples: [{ input: { b_city: 'Oslo', a_days: 2 } }],
  // Large values go apart; some are the same again.
  run: (input) => ({
    city: input,
    rows: 'x'.repeat(JSON.stringify(input).length % 7 === 0 ? 5_000 : 100),
    text: 'мороз ☃ 寒い',
  }),
});
const booking = ledgerTool(ledger, 'book', {
  effect: 'idempotent',
  run: () => {
    throw new Error('No seats.');
  },
});
const notes = Array.from({ length: 12 }, (_, index): Contract =>
  tool({
    name: `note_${index}`,
    description: `Keeps a note about topic number ${index}.`,
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    effect: 'read',
    execute: async () => ({ kept: index }),
  }),
);

const cutOff: ScriptedTurn = {
  status: 'answered',
  parts: [{ kind: 'text', text: 'cut off' }],
  finishReason: 'length',
  usage: {},
};

/** 200 turns: calls that fit, calls that do not, calls that fail, several at once, words, an unreadable answer, and the model itself failing. */
function longScript(turns: number): (request: BrainRequest, turn: number) => ScriptedTurn {
  let failures = 0;
  return (_request, turn) => {
    if (turn >= turns) return 'Done.';
    if (turn % 50 === 20 && failures < turn / 50) {
      failures += 1;
      const failure = {
        code: 'model-unavailable',
        class: 'retryable',
        message: 'Overloaded.',
        evidence: 'none',
      } as const;
      return { status: 'failed', failure };
    }
    if (turn % 40 === 30) return cutOff;
    const fits = { name: 'get_weather', input: { b_city: `city ${turn}` } };
    if (turn % 10 === 3) return { calls: [{ name: 'get_weather', input: { a_days: 3 } }, fits] };
    const book = { name: 'book', input: { seat: turn } };
    if (turn % 10 === 7) return { text: 'I book, then look.', calls: [book, fits, fits] };
    return { text: turn % 3 === 0 ? 'I look.' : '', calls: [fits] };
  };
}

describe('what a model was shown', () => {
  test.each<[string, () => { readonly store: Store; readonly remove: () => void }]>([
    ['in memory', () => ({ store: createMemoryStore(), remove: () => {} })],
    ['SQLite', () => openTemporaryStore()],
  ])('at each of 200 turns is made again byte for byte, its hash too (%s)', { timeout: 120_000 }, async (_, open) => {
    const { store, remove } = open();
    const { brain, seen } = watched(scriptedBrain(longScript(200)));
    const { axle, clock } = await openWorld({
      store,
      tools: [weather, booking],
      turns: [],
      agent: {
        model: brain,
        instructions: 'Help with “quotes”.',
        tools: ['*'],
        budget: { steps: 400, time: '10h' },
        modelAttempts: 5,
        settings: { temperature: 0.2 },
      },
    });
    const run = await axle.start('worker', { input: 'Look at 200 cities.' });
    await run.send('And be quick.');
    const ended = run.result({ until: 'ended' });
    // The model that failed is asked again after a back-off.
    while ((await run.summary()).status.state !== 'ended') await clock.advance(20_000);
    expect((await ended).status).toBe('completed');
    expect(seen.length).toBeGreaterThan(200);

    const requests = await allRequests(store, run.id);
    expect(requests).toHaveLength(seen.length);
    expect(requests.filter((request, index) => recordedText(request) !== seen[index]).map(({ step }) => step)).toEqual(
      [],
    );
    expect(requests.filter((request) => !request.verified)).toEqual([]);
    // The run has seen what makes reproducing hard: a repeated request, a note about an unreadable answer, results that were replaced, values kept apart.
    expect(requests.some((request) => request.attempt > 1)).toBe(true);
    const traits = ['"kind":"notice"', 'was called again later', 'xxxxx'.repeat(900), 'And be quick.'];
    expect(traits.filter((words) => seen.at(-1)?.includes(words) !== true)).toEqual([]);
    expect(requests.map((request) => request.tools?.length)).toEqual(seen.map(() => 2));
    await axle.close();
    remove();
  });

  test('of a part of its tools, when it searches for others, is made again as well', async () => {
    const store = createMemoryStore();
    const script: readonly ScriptedTurn[] = [
      { calls: [{ name: 'find_tools', input: { query: 'note about topic number 9' } }] },
      { calls: [{ name: 'note_9', input: { text: 'x' } }] },
      { calls: [{ name: 'note_9', input: { wrong: 1 } }] },
      'Done.',
    ];
    const { brain, seen } = watched(scriptedBrain(script));
    const { axle } = await openWorld({
      store,
      tools: notes,
      turns: [],
      agent: { model: brain, tools: ['*'], toolView: { most: 4, always: ['note_1'] } },
    });
    const run = await axle.start('worker', { input: 'note' });
    await run.result();
    const requests = await allRequests(store, run.id);
    expect(requests.map(recordedText)).toEqual(seen);
    const shown = requests.map((request) => request.tools?.map(({ name }) => name) ?? []);
    expect(shown[0]).not.toContain('note_9');
    expect(shown[1]).toContain('note_9');
    await axle.close();
  });
});
