/** A store that the release before has written, opened by this one: it is read, driven on, decided again and exported, and what is added stands beside what was there. */
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import type { Contract, Store } from '../../src/axle.ts';
import { exportRun, importRun } from '../../src/export.ts';
import { type Entry, formatVersion, lastSeqOf } from '../../src/journal/entry.ts';
import { openSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { createMemoryStore, type ScriptedTurn } from '../../src/testing.ts';
import { textOf } from '../export/runs.ts';
import { temporaryFolder } from '../journal/temporary-store.ts';
import { entriesOf, Ledger, ledgerTool, openWorld, type World } from '../run/world.ts';

/** What format 2 left out of every entry of a type. */
const leftOutByFormat2: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'model-started': { attempt: 1 },
  'model-finished': { finishReason: 'tool-calls' },
  'attempt-started': { attempt: 1 },
  'attempt-finished': { attempt: 1 },
};

function textInFormat2(entries: readonly Entry[]): string {
  return JSON.stringify(
    entries.map((entry) => {
      const usual = Object.entries(leftOutByFormat2[entry.type] ?? {});
      const isUsual = ([key, value]: [string, unknown]): boolean => usual.some(([k, v]) => k === key && v === value);
      return Object.fromEntries(Object.entries(entry).filter((field) => !isUsual(field)));
    }),
  );
}

/** Every append of a run as the release before has written it. */
async function rewriteInFormat2(path: string, runId: string): Promise<void> {
  const store = openSqliteStore(path, { role: 'driver' });
  const appends = await store.read(runId);
  await store.close();
  const database = new DatabaseSync(path);
  const update = database.prepare('UPDATE journal SET entries = ?, checksum = ?, format = 2 WHERE last_seq = ?');
  for (const append of appends) {
    const text = textInFormat2(append.entries);
    update.run(text, crc32(text), lastSeqOf(append));
  }
  database.close();
}

function formatsIn(path: string): readonly unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('SELECT format FROM journal ORDER BY last_seq').all();
  database.close();
  return rows.map(({ format }) => format);
}

it('a run of the release before goes on, replays byte by byte, and is exported whole', async () => {
  const { path, remove } = temporaryFolder();
  onTestFinished(remove);
  const ledger = new Ledger();
  const tools: readonly Contract[] = [
    ledgerTool(ledger, 'look', { effect: 'read' }),
    ledgerTool(ledger, 'pay', { risk: 'high' }),
  ];
  const turns: readonly ScriptedTurn[] = [
    { calls: [{ name: 'look', input: { at: 'it' } }] },
    { calls: [{ name: 'pay', input: { cents: 5 } }] },
    { calls: [{ name: 'look', input: { at: 'what was paid' } }] },
    'done',
  ];
  const open = async (): Promise<World & { readonly store: Store }> =>
    openWorld({ store: openSqliteStore(path, { role: 'driver' }), tools, turns });

  const before = await open();
  const { id } = await before.axle.start('worker', { input: 'look, then pay' });
  await before.axle.run(id).result();
  const written = await entriesOf(before.store, id);
  await before.axle.close();
  await rewriteInFormat2(path, id);
  const older = formatsIn(path);
  expect(new Set(older)).toEqual(new Set([2]));

  const { axle, store } = await open();
  expect(await entriesOf(store, id)).toEqual(written);
  expect(await axle.replay(id)).toMatchObject({ isSame: true });
  await axle.approvals.resolve(`${id}/2.0`, { decision: 'approve' });
  expect(await axle.run(id).result()).toMatchObject({ status: 'completed', output: 'done' });
  expect(ledger.effects.map(({ tool }) => tool)).toEqual(['look', 'pay', 'look']);
  expect(await axle.replay(id)).toMatchObject({ isSame: true, uncheckedCount: 0 });
  const whole = await entriesOf(store, id);
  const file = await textOf(exportRun(store, id));
  const copies = createMemoryStore();
  await importRun(copies, [file]);
  expect(await entriesOf(copies, id)).toEqual(whole);
  expect(await textOf(exportRun(copies, id))).toBe(file);
  await axle.close();

  // What was written stays as it was written.
  const formats = formatsIn(path);
  expect(formats.slice(0, older.length)).toEqual(older);
  expect(new Set(formats.slice(older.length))).toEqual(new Set([formatVersion]));
});
