/** Real runs for the tests of exports: an agent that reads, writes, repairs, is refused and told so. */
import { agent, createAxle, createMemoryStore, tool, ToolError, type Store } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';

const weather = tool({
  name: 'get_weather',
  description: 'The weather of a city.',
  whenToUse: 'Before a trip.',
  effect: 'read',
  input: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] },
  examples: [{ input: { city: 'Oslo' } }],
  execute: ({ city }: { city: string }) => ({ city, sky: 'grey', table: 'x'.repeat(4_000) }),
});

const book = tool({
  name: 'book.hotel',
  description: 'Books a room.',
  effect: 'idempotent',
  input: { type: 'object', properties: { room: { type: 'integer' } }, required: ['room'] },
  execute: ({ room }: { room: number }) => {
    if (room > 9) {
      throw new ToolError({ message: 'There is no such room.', code: 'no-room', class: 'fatal', effect: 'none' });
    }
    return { booking: room };
  },
});

const turns = [
  { text: 'Let me look.', calls: [{ name: 'get_weather', input: { city: 'Oslo', days: '3' } }] },
  {
    calls: [
      { name: 'book.hotel', input: { room: 12 } },
      { name: 'book.hotel', input: '{"room": "five"}' },
    ],
  },
  { calls: [{ name: 'book.hotel', input: { room: 3 } }] },
  'Booked. 🧥',
];

/** A store with a run of the agent, and one of a single call. */
export async function storeWithRuns(): Promise<{
  readonly store: Store;
  readonly runId: string;
  readonly callId: string;
}> {
  const store = createMemoryStore();
  const clerk = agent({
    name: 'clerk',
    instructions: 'Help with trips.',
    model: scriptedBrain(turns),
    tools: ['get_weather', 'book.hotel'],
  });
  const axle = await createAxle({ store, tools: [weather, book], agents: [clerk] });
  const run = await axle.start('clerk', { input: 'A week in Oslo?', session: 'chat-1', key: 'first' });
  await run.result();
  const call = await axle.call('get_weather', { city: 'Rome' });
  // The Axle would close the store with itself.
  return { store, runId: run.id, callId: call.runId };
}

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
