/** Recordings of runs, as a store of their time held them: text, bodies and declarations, under the format that they were written in. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Append, Store } from '../../src/axle.ts';
import { decodeEntries, encodeEntries } from '../../src/journal/codec.ts';
import { formatVersion, lastSeqOf } from '../../src/journal/entry.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { createMemoryStore } from '../../src/testing.ts';

export interface Recording {
  /** The test that made it. */
  readonly name: string;
  readonly runId: string;
  /** The format of its entries. */
  readonly format: number;
  /** Entries that depend on functions of tools, which no recording holds. */
  readonly unchecked: number;
  readonly appends: readonly {
    readonly firstSeq: number;
    readonly epoch: number;
    readonly atMs: number;
    readonly entries: string;
  }[];
  readonly bodies: Readonly<Record<string, string>>;
  readonly declarations: Readonly<Record<string, string>>;
}

const folder = new URL('recordings/', import.meta.url);

export function readRecordings(): readonly Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name): Recording => JSON.parse(readFileSync(new URL(name, folder), 'utf8')));
}

export function appendsOf({ appends, bodies, format }: Recording): readonly Append[] {
  return appends.map(({ entries, ...append }) => ({
    ...append,
    entries: decodeEntries(entries, format, { lookup: (hash) => bodies[hash] }),
  }));
}

/** What a store holds of one run, to be read only. */
export function storeOf(
  { runId, declarations }: Pick<Recording, 'runId' | 'declarations'>,
  appends: readonly Append[],
): Store {
  return wrapStore(createMemoryStore(), {
    run: async () => ({
      runId,
      kind: 'agent',
      subject: '',
      createdAtMs: 0,
      updatedAtMs: 0,
      epoch: appends.at(-1)?.epoch ?? 0,
      seq: lastSeqOf(appends.at(-1) ?? { firstSeq: 1, entries: [] }),
      status: { state: 'ended', waitingOn: [], steps: 0 },
      hasPosts: false,
    }),
    snapshot: async () => undefined,
    read: async (_, { afterSeq = 0, limit = 1_000 } = {}) =>
      appends.filter((append) => lastSeqOf(append) > afterSeq).slice(0, limit),
    body: async (hash) => declarations[hash],
  });
}

/** A run as a recording of today. */
export async function record(
  store: Store,
  runId: string,
  about: Pick<Recording, 'name' | 'unchecked'>,
): Promise<Recording> {
  const bodies: Record<string, string> = {};
  const declarations: Record<string, string> = {};
  const stored = await store.read(runId);
  for (const entry of stored.flatMap(({ entries }) => entries)) {
    const pins = 'task' in entry ? entry.task.contracts : 'contract' in entry ? [entry.contract] : [];
    for (const { hash } of pins) {
      const text = await store.body(hash);
      if (text !== undefined) declarations[hash] = text;
    }
  }
  const appends = stored.map(({ firstSeq, epoch, atMs, entries }) => {
    const encoded = encodeEntries(entries);
    for (const body of encoded.bodies) bodies[body.hash] = body.text;
    return { firstSeq, epoch, atMs, entries: encoded.text };
  });
  return { ...about, runId, format: formatVersion, appends, bodies, declarations };
}
