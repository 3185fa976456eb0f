/** Axle as it is used: `createAxle` on a SQLite file, its default policy, a tool with a schema, a model object of the AI SDK. */
import { z } from 'zod';
import { agent, createAxle, type Observer, openSqliteStore, tool } from '../src/axle.ts';
import type { Load, TurnsSpec } from './sample-spec.ts';
import type { OpenSubject, SubjectOpener } from './subject.ts';
import { createModel, createPages, instructions, noteTool, pageTool, question } from './workload.ts';

export const openAxleSubject: SubjectOpener = (spec, load, path) => openAxle({ spec, load, path, observers: [] });

/** The same with observers. */
export async function openAxle(given: {
  readonly spec: TurnsSpec;
  readonly load: Load;
  readonly path: string;
  readonly observers: readonly Observer[];
}): Promise<OpenSubject> {
  const { spec, load, path, observers } = given;
  const store = openSqliteStore(path, { role: 'driver' });
  const readPage = createPages(load.turns * load.runs);
  const named = spec.effect === 'read' ? pageTool : noteTool;
  const declared = tool({
    ...named,
    effect: spec.effect,
    input: z.object({ page: z.number().int() }),
    execute: readPage,
  });
  const reader = agent({
    name: 'reader',
    model: createModel(load.turns, named.name),
    instructions,
    tools: [named.name],
    budget: { steps: load.turns + 1, time: '1h' },
  });
  const axle = await createAxle({ store, tools: [declared], agents: [reader], durability: spec.durability, observers });
  return {
    run: async () => {
      const run = await axle.start('reader', { input: question });
      const result = await run.result();
      return result.status === 'completed' ? result.output : result;
    },
    counters: () => ({ ...store.counters }),
    close: () => axle.close(),
  };
}
