/** Whether what a model saw in every turn can be made again from the store, and what that costs in bytes beside what was shown. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import { brainFromModel } from '../src/ai-sdk/brain-from-model.ts';
import { agent, type Brain, createAxle, openSqliteStore, tool } from '../src/axle.ts';
import { contextView } from '../src/inspect/context/context-view.ts';
import { recordedRequests } from '../src/inspect/context/recorded-request.ts';
import { sha256 } from '../src/util/hash.ts';
import { measure } from './measure.ts';
import type { Sample, SeenSpec } from './sample-spec.ts';
import { createModel, createPages, instructions, pageTool, question } from './workload.ts';

export async function sampleSeen({ turns, folder }: SeenSpec): Promise<Sample> {
  const twice = await seenRun(join(folder, 'twice.db'), 2 * turns);
  let once = twice;
  const { foreignCores } = await measure(async () => {
    once = await seenRun(join(folder, 'once.db'), turns);
  });
  const writtenATurn = { once: once.writtenBytes / turns, twice: twice.writtenBytes / (2 * turns) };
  return [{ foreignCores, values: { ...once, ...writtenATurn } }];
}

interface Seen {
  readonly requests: number;
  /** Requests that came out byte for byte, their hash too. */
  readonly madeAgain: number;
  readonly shownBytes: number;
  /** Of the file, once it is closed. */
  readonly storedBytes: number;
  /** Handed to SQLite: free of its pages, so that growth shows at once. */
  readonly writtenBytes: number;
  /** The view of the last call, compared with the one before. */
  readonly viewMs: number;
}

async function seenRun(path: string, turns: number): Promise<Seen & Readonly<Record<string, number>>> {
  const shown: { readonly hash: string; readonly bytes: number }[] = [];
  const brain = watched(brainFromModel(createModel(turns, pageTool.name)), (text) =>
    shown.push({ hash: sha256(text), bytes: Buffer.byteLength(text) }),
  );
  await openSqliteStore(path, { role: 'driver' }).close();
  const emptyBytes = statSync(path).size;
  const store = openSqliteStore(path, { role: 'driver' });
  const declared = tool({
    ...pageTool,
    effect: 'read',
    input: z.object({ page: z.number().int() }),
    execute: createPages(turns),
  });
  const reader = agent({
    name: 'reader',
    model: brain,
    instructions,
    tools: [pageTool.name],
    budget: { steps: turns + 1, time: '1h' },
  });
  const axle = await createAxle({ store, tools: [declared], agents: [reader] });
  const run = await axle.start('reader', { input: question });
  const { status } = await run.result();
  if (status !== 'completed') throw new Error(`The run is ${status}.`);

  let requests = 0;
  let madeAgain = 0;
  let lastSeq = 0;
  for await (const request of recordedRequests(store, run.id)) {
    if (request.verified && sha256(textOf(request)) === shown[requests]?.hash) madeAgain += 1;
    requests += 1;
    lastSeq = request.seq;
  }
  const startedMs = performance.now();
  await contextView(store, run.id, { seq: lastSeq });
  const viewMs = performance.now() - startedMs;
  const writtenBytes = store.counters.bytesWritten;
  await axle.close();
  if (requests !== shown.length) throw new Error(`${shown.length} requests were made, and ${requests} are recorded.`);
  const shownBytes = shown.reduce((sum, each) => sum + each.bytes, 0);
  return { requests, madeAgain, shownBytes, storedBytes: statSync(path).size - emptyBytes, writtenBytes, viewMs };
}

/** What a request comes to but its signal, which is no part of what the model sees. */
function textOf({
  instructions,
  items,
  tools,
  settings,
}: Readonly<Record<'instructions' | 'items' | 'tools' | 'settings', unknown>>): string {
  return JSON.stringify({ instructions, items, tools, settings });
}

function watched(brain: Brain, see: (text: string) => void): Brain {
  return {
    id: brain.id,
    generate: async (request) => {
      see(textOf(request));
      return brain.generate(request);
    },
  };
}
