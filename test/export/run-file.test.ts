import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agent, createAxle, createMemoryStore, openSqliteStore, type Store, tool } from '../../src/axle.ts';
import { exportRun, importRun } from '../../src/export.ts';
import { runFileLines } from '../../src/export/run-file.ts';
import { type Append, formatVersion } from '../../src/journal/entry.ts';
import { readAppends } from '../../src/journal/read-appends.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { appendsOf as recordedAppends, readRecordings, type Recording } from '../replay/recording.ts';
import { coded } from '../journal/sample-entries.ts';
import { openTemporaryStore } from '../journal/temporary-store.ts';
import { runId as seededId } from '../trace/journal-writer.ts';
import { seededRun } from '../trace/seeded-run.ts';
import { storeWithRuns, textOf } from './runs.ts';

async function appendsOf(store: Store, runId: string): Promise<readonly Append[]> {
  const appends: Append[] = [];
  for await (const append of readAppends(store, runId)) appends.push(append);
  return appends;
}

async function storeWith(appends: readonly Append[]): Promise<Store> {
  const store = createMemoryStore();
  const copy = {
    runId: seededId,
    kind: 'agent',
    subject: 'travel',
    epoch: appends.at(-1)?.epoch ?? 1,
    steps: 1,
  } as const;
  await store.keepCopy?.({ ...copy, appends });
  return store;
}

function entriesIn(lines: readonly string[]): readonly unknown[] {
  return lines.flatMap((line) => (JSON.parse(line) as { entries?: unknown[] }).entries ?? []);
}

describe('a run file', () => {
  test('gives the same journal and the same bytes again, from memory to SQLite and back', async () => {
    const { store, runId } = await storeWithRuns();
    const text = await textOf(exportRun(store, runId));
    const { store: sqlite, remove } = openTemporaryStore();
    onTestFinished(async () => {
      await sqlite.close();
      remove();
    });
    expect(await importRun(sqlite, [text])).toEqual({ runId, created: true, entries: expect.any(Number), ended: true });
    expect(await appendsOf(sqlite, runId)).toEqual(await appendsOf(store, runId));
    expect(await textOf(exportRun(sqlite, runId))).toBe(text);
    const back = createMemoryStore();
    await importRun(back, [text]);
    expect(await textOf(exportRun(back, runId))).toBe(text);
    // The request key belongs to the store that it was used in: asked again there, another run would start.
    expect(await sqlite.run(runId)).toMatchObject({
      subject: 'clerk',
      session: 'chat-1',
      status: { state: 'ended', ending: 'completed', waitingOn: [], steps: 4 },
    });
    expect((await sqlite.run(runId))?.key).toBeUndefined();
  });

  test.each([1, 2, 3, 4, 5])('carries a run with crashes, doubts and hostile texts (seed %i)', async (seed) => {
    const appends = seededRun({
      seed,
      spans: 300,
      isHostile: true,
      bodyLength: 50_000,
      isUnfinished: seed > 3,
      crashes: 0.2,
    });
    const text = await textOf(runFileLines(await storeWith(appends), seededId));
    const store = createMemoryStore();
    expect(await importRun(store, [text])).toMatchObject({ created: true, ended: seed <= 3 });
    expect(await appendsOf(store, seededId)).toEqual(appends);
    expect(await textOf(runFileLines(store, seededId))).toBe(text);
  });

  test('is a copy where it is taken in, and its own store alone takes back what it did', async () => {
    const { store, runId } = await storeWithRuns();
    const text = await textOf(exportRun(store, runId));
    const { store: sqlite, remove } = openTemporaryStore();
    onTestFinished(remove);
    for (const other of [createMemoryStore(), sqlite]) {
      await importRun(other, [text]);
      await using axle = await createAxle({ store: other });
      expect((await axle.run(runId).summary()).isCopy).toBe(true);
      await expect(axle.undo(runId)).rejects.toMatchObject({ code: 'usage-invalid' });
    }
    expect((await store.run(runId))?.isCopy).toBeUndefined();
  });

  test('is read in pieces of any size, cut inside characters too', async () => {
    const { store, runId } = await storeWithRuns();
    const bytes = Buffer.from(await textOf(exportRun(store, runId)));
    for (const size of [1, 7, 4_096]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(await importRun(createMemoryStore(), pieces)).toMatchObject({ runId, created: true });
    }
  });

  test('of a run that had not ended makes a copy that nobody drives and nobody can post to', async () => {
    const appends = seededRun({ seed: 7, spans: 60, isUnfinished: true });
    const text = await textOf(runFileLines(await storeWith(appends), seededId));
    const { store, path, remove } = openTemporaryStore();
    onTestFinished(remove);
    await importRun(store, [text]);
    expect(await store.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    expect(await store.nextWakeAtMs()).toBeUndefined();
    const post = { runId: seededId, kind: 'message', body: { text: 'go' }, atMs: 1 } as const;
    await expect(store.post(post)).rejects.toEqual(coded('run-ended'));
    await store.close();
    const again = openSqliteStore(path, { role: 'driver' });
    expect(await again.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
    expect((await again.run(seededId))?.status).toMatchObject({ state: 'ended', waitingOn: [] });
    await again.close();
  });

  test('taken in twice changes nothing; another journal of the same run is refused', async () => {
    const { store, runId } = await storeWithRuns();
    const text = await textOf(exportRun(store, runId));
    expect(await importRun(store, [text])).toMatchObject({ created: false });
    const appends = seededRun({ seed: 1, spans: 60 });
    const half = await storeWith(appends.slice(0, appends.length - 2));
    const whole = await textOf(runFileLines(await storeWith(appends), seededId));
    await expect(importRun(half, [whole])).rejects.toEqual(coded('run-exists'));
    expect(await appendsOf(half, seededId)).toHaveLength(appends.length - 2);
  });
});

describe('a run file of an older release', () => {
  /** The file that the release of a recording gave. */
  function fileOf({ runId, format, appends, bodies, declarations }: Recording): string {
    const lines = [
      JSON.stringify({ kind: 'run-file', version: 1, format, runId }),
      ...Object.entries(bodies).map(([hash, text]) => `{"kind":"body","hash":"${hash}","value":${text}}`),
      ...appends.map(
        ({ firstSeq, epoch, atMs, entries }) =>
          `{"kind":"append","firstSeq":${firstSeq},"epoch":${epoch},"atMs":${atMs},"entries":${entries}}`,
      ),
      ...Object.entries(declarations).map(([hash, text]) => JSON.stringify({ kind: 'declaration', hash, text })),
    ];
    const text = `${lines.join('\n')}\n`;
    const entries = entriesIn(lines).length;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return `${text}${JSON.stringify({ kind: 'end', entries, sha256 })}\n`;
  }

  test('is taken in, once though twice, and given on in the form of this one', async () => {
    const recordings = readRecordings().filter(({ format }) => format < formatVersion);
    expect(new Set(recordings.map(({ format }) => format))).toEqual(new Set([1, 2]));
    for (const recording of recordings) {
      const { runId } = recording;
      const file = fileOf(recording);
      const store = createMemoryStore();
      expect(await importRun(store, [file])).toMatchObject({ runId, created: true });
      expect(await importRun(store, [file])).toMatchObject({ runId, created: false });
      expect(await appendsOf(store, runId)).toEqual(recordedAppends(recording));
      const given = await textOf(exportRun(store, runId));
      expect(given).toContain(`"format":${formatVersion},`);
      const other = createMemoryStore();
      await importRun(other, [given]);
      expect(await appendsOf(other, runId)).toEqual(recordedAppends(recording));
      expect(await textOf(exportRun(other, runId))).toBe(given);
    }
  });
});

describe('a run file is refused, and nothing of it taken in,', () => {
  async function refused(text: string, code = 'run-file-invalid'): Promise<void> {
    const target = createMemoryStore();
    await expect(importRun(target, [text])).rejects.toEqual(coded(code));
    expect(await target.runs()).toEqual([]);
  }
  const good = async (): Promise<string> => {
    const { store, runId } = await storeWithRuns();
    return textOf(exportRun(store, runId));
  };

  const sealed = (changed: readonly string[]): string => {
    const text = `${changed.join('\n')}\n`;
    const entries = entriesIn(changed).length;
    const sha256 = createHash('sha256').update(text).digest('hex');
    return `${text}${JSON.stringify({ kind: 'end', entries, sha256 })}\n`;
  };

  test.each([
    ['that is empty', ''],
    ['that is something else', '{"schema_version":"ATIF-v1.7"}\n'],
    ['that is no JSON', 'PK\u0003\u0004\n'],
    ['whose head is a list', '[]\n'],
  ])('%s', async (_, text) => refused(text));

  test('of a newer form, or with entries of a newer release', async () => {
    await refused((await good()).replace('"version":1', '"version":2'), 'run-file-too-new');
    await refused((await good()).replace(/"format":\d+/u, '"format":99'), 'entry-too-new');
  });

  test('when any line of it was changed, left out, doubled or moved, or it breaks off anywhere', async () => {
    const lines = (await good()).trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(8);
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      const place = Math.floor(line.length / 2);
      const changed = `${line.slice(0, place)}${line[place] === 'x' ? 'y' : 'x'}${line.slice(place + 1)}`;
      await refused(`${lines.with(index, changed).join('\n')}\n`);
      await refused(`${lines.toSpliced(index, 1).join('\n')}\n`);
      await refused(`${lines.toSpliced(index, 0, line).join('\n')}\n`);
      await refused(`${lines.slice(0, index).join('\n')}\n`);
    }
  });

  test('when an entry was changed and the checksum with it, but no run could have written it', async () => {
    const lines = (await good()).trimEnd().split('\n').slice(0, -1);
    expect(await importRun(createMemoryStore(), [sealed(lines)])).toMatchObject({ created: true });
    await refused(sealed(lines.map((line) => line.replace('"attempt-started"', '"attempt-wished"'))));
    await refused(sealed(lines.map((line) => line.replace(/"epoch":1\b/u, '"epoch":-1'))));
    await refused(sealed(lines.with(0, (lines[0] ?? '').replace('"run_', '"ruin_'))));
    await refused(sealed(lines.filter((line) => !line.includes('"kind":"body"'))));
    await refused(sealed(lines.map((line) => line.replace(/"firstSeq":3\b/u, '"firstSeq":4'))));
  });

  test('when its lines are deeper than any value, its times are none, or its run has a name that is no id', async () => {
    const lines = (await good()).trimEnd().split('\n').slice(0, -1);
    const deep = `{"kind":"body","hash":"x","value":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    await refused(sealed([lines[0] ?? '', deep, ...lines.slice(1)]));
    await refused(sealed(lines.map((line) => line.replace(/"atMs":\d+,"entries"/u, '"atMs":1e308,"entries"'))));
    const [runId = ''] = /run_\w+/u.exec(lines[0] ?? '') ?? [];
    for (const name of [
      '',
      '../../etc/passwd',
      String.raw`x\u001b]0;title\u0007`,
      String.raw`\u202e1`,
      '-x',
      'x'.repeat(300),
    ]) {
      await refused(sealed(lines.map((line) => line.replaceAll(runId, name))));
    }
  });

  test('when it is larger than the limit', async () => {
    const piece = 'x'.repeat(1024 * 1024);
    const pieces = function* (): Generator<string> {
      for (let count = 0; count <= 200; count += 1) yield piece;
    };
    await expect(importRun(createMemoryStore(), pieces())).rejects.toEqual(coded('limit-exceeded'));
  });
});

test('a run file is made of a few appends at a time, however long the run is', async () => {
  const store = createMemoryStore();
  const talker = agent({
    name: 'talker',
    budget: { steps: 70 },
    tools: ['look'],
    model: scriptedBrain((_, turn) => (turn < 60 ? { calls: [{ name: 'look', input: { turn } }] } : 'done')),
  });
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => 1,
  });
  const axle = await createAxle({ store, tools: [look], agents: [talker] });
  const run = await axle.start('talker', { input: 'Look.' });
  await run.result();
  const pages: number[] = [];
  const watched = wrapStore(store, {
    read: async (...asked) => {
      const page = await store.read(...asked);
      pages.push(page.length);
      return page;
    },
  });
  expect(await importRun(createMemoryStore(), exportRun(watched, run.id))).toMatchObject({
    created: true,
    ended: true,
  });
  expect(pages.length).toBeGreaterThan(3);
  expect(Math.max(...pages)).toBeLessThanOrEqual(20);
  await axle.close();
});

test('a run that does not exist cannot be exported', async () => {
  await expect(textOf(exportRun(createMemoryStore(), 'run_x'))).rejects.toEqual(coded('run-unknown'));
});
