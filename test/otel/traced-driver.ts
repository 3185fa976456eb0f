/**
 * A driver that is killed: it exports the traces of one run to the collector that it is told of. With `stall` the third call begins and never ends, after the spans before
 * the second call were sent and those since then were not; without it the run goes on to its end, and the process with it.
 */
import process from 'node:process';
import { agent, createAxle, tool } from '../../src/axle.ts';
import { createTraces } from '../../src/otel.ts';
import { scriptedBrain } from '../../src/testing.ts';

const [storePath = '', url = '', mode = ''] = process.argv.slice(2);
// Nothing is sent by itself, so that it is known what a kill takes along.
const traces = createTraces({ url, sendEveryMs: 600_000 });

const nothing = { type: 'object', properties: {} } as const;
const read = { description: 'Reads.', effect: 'read', input: nothing } as const;
const tools = [
  tool({ ...read, name: 'first', execute: () => 'one' }),
  tool({
    ...read,
    name: 'second',
    execute: async () => {
      if (mode === 'stall') await traces.flush();
      return 'two';
    },
  }),
  tool({
    ...read,
    name: 'third',
    execute: async () => {
      if (mode !== 'stall') return 'three';
      process.stdout.write('in hand\n');
      return new Promise<never>(() => {});
    },
  }),
];
const turns = [...tools.map(({ name }) => ({ calls: [{ name, input: {} }] })), 'Done.'];
const clerk = agent({ name: 'clerk', model: scriptedBrain(turns), tools: tools.map(({ name }) => name) });
const axle = await createAxle({ store: storePath, tools, agents: [clerk], observers: [traces] });
const run = await axle.start('clerk', { input: 'go', key: 'only', session: 'user-42' });
const result = await run.result({ until: 'ended' });
await axle.close();
await traces.close();
process.stdout.write(`${result.status} ${traces.dropped}\n`);
