/** Puts a run into a store as it would stand there: every append by its own epoch. */
import type { Append } from '../../src/journal/entry.ts';
import type { Store } from '../../src/journal/store.ts';

export async function storeRun(store: Store, appends: readonly Append[], runId: string): Promise<void> {
  const [first, ...rest] = appends.map((append) => renamed(append, runId));
  if (first === undefined) throw new Error('A run has at least one append.');
  await store.create({
    runId,
    kind: 'agent',
    subject: 'seeded',
    requestHash: runId,
    append: first,
    claim: first.epoch === 1,
  });
  let { epoch } = first;
  for (const append of rest) {
    while (epoch < append.epoch) epoch = (await store.claim(runId))?.epoch ?? append.epoch;
    const finished = append.entries.find((entry) => entry.type === 'run-finished');
    const status =
      finished?.type === 'run-finished'
        ? ({ state: 'ended', waitingOn: [], ending: finished.ending, steps: 1 } as const)
        : ({ state: 'held', waitingOn: [{ kind: 'held', reason: 'it is only looked at' }], steps: 1 } as const);
    await store.append({ runId, append, status });
  }
}

function renamed(append: Append, runId: string): Append {
  return {
    ...append,
    entries: append.entries.map((entry) => (entry.type === 'run-accepted' ? { ...entry, runId } : entry)),
  };
}
