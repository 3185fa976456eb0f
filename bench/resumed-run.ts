/** The agent whose run is cut off and taken up again: the same declaration in both processes, as a resume demands. */
import { z } from 'zod';
import { agent, createAxle, openSqliteStore, type RunHandle, type Store, tool } from '../src/axle.ts';
import {
  createModel,
  createPages,
  type FakeModel,
  instructions,
  openingMessages,
  pageTool,
  question,
} from './workload.ts';

export interface Reader {
  readonly store: Store;
  readonly start: () => Promise<RunHandle>;
  readonly close: () => Promise<void>;
}

export interface ReaderOptions {
  readonly turns: number;
  /** Told when the model is asked for the turn after the last one, before it answers. */
  readonly onExtraTurn: () => void;
  /** Told when the store is open and the tools are declared, right before Axle is. */
  readonly onOpen?: () => void;
}

export async function openReader(path: string, { turns, onExtraTurn, onOpen }: ReaderOptions): Promise<Reader> {
  const store = openSqliteStore(path, { role: 'driver' });
  const fake = createModel(turns, pageTool.name);
  const model: FakeModel = {
    ...fake,
    doGenerate: (options) => {
      if (options.prompt.length >= openingMessages + 2 * turns) onExtraTurn();
      return fake.doGenerate(options);
    },
  };
  const reader = agent({
    name: 'reader',
    model,
    instructions,
    tools: [pageTool.name],
    budget: { steps: turns + 1, time: '1h' },
  });
  const declared = tool({
    ...pageTool,
    effect: 'read',
    input: z.object({ page: z.number().int() }),
    execute: createPages(turns),
  });
  onOpen?.();
  const axle = await createAxle({ store, tools: [declared], agents: [reader] });
  return { store, start: () => axle.start('reader', { input: question }), close: () => axle.close() };
}
