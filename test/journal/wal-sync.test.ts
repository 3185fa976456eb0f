import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { AxleError } from '../../src/error/axle-error.ts';
import { SyncPace } from '../../src/journal/sqlite/sync-pace.ts';
import { WalSync } from '../../src/journal/sqlite/wal-sync.ts';

const folder = mkdtempSync(join(tmpdir(), 'axle-wal-'));
const walPath = join(folder, 'axle.db-wal');

afterEach(() => rmSync(walPath, { force: true }));

/** Which of `count` syncs are made here when each takes as long as `msOf` says. */
function madeHere(pace: SyncPace, count: number, msOf: (sync: number) => number): readonly number[] {
  const here: number[] = [];
  for (let sync = 1; sync <= count; sync += 1) {
    if (!pace.isHere()) continue;
    here.push(sync);
    pace.tookHere(msOf(sync));
  }
  return here;
}

describe('where a sync is made', () => {
  test('on a slow disk one is made here in the beginning, and others ever more seldom (P1)', () => {
    expect(madeHere(new SyncPace(), 100_000, () => 2)).toEqual([1, 10, 43, 172, 685, 2_734, 10_927, 43_696]);
  });

  test('where it is quicker than a hand-over all are, until one takes its time', () => {
    expect(madeHere(new SyncPace(), 1_000, () => 0.002)).toHaveLength(1_000);
    const stalled = madeHere(new SyncPace(), 1_000, (sync) => (sync === 500 ? 30 : 0.002));
    expect(stalled).toHaveLength(1_000 - 8);
    expect(stalled.slice(498, 502)).toEqual([499, 500, 509, 510]);
  });
});

describe.each([
  ['made here', () => new SyncPace(Infinity)],
  ['handed over', handingOver],
])('a sync that is %s', (_, paceOf) => {
  function open(): { readonly sync: WalSync; readonly told: string[]; commit: () => number } {
    let committed = 0;
    const told: string[] = [];
    const sync = new WalSync({
      walPath,
      committed: () => committed,
      dataVersion: () => 1,
      onSynced: () => told.push('synced'),
      onFatal: (error: AxleError) => told.push(error.code),
      pace: paceOf(),
    });
    return { sync, told, commit: () => (committed += 1) };
  }

  test('covers everyone who waited when it began, and every later one asks anew (Y1, Y2)', async () => {
    writeFileSync(walPath, 'log');
    const { sync, told, commit } = open();
    const first = commit();
    const second = commit();
    await Promise.all([sync.synced(first), sync.synced(second)]);
    await sync.synced(second);
    expect(told).toEqual(['synced']);
    await sync.synced(commit());
    expect(told).toEqual(['synced', 'synced']);
    await sync.close();
  });

  test('follows the log to a new file', async () => {
    writeFileSync(walPath, 'log');
    const { sync, told, commit } = open();
    await sync.synced(commit());
    rmSync(walPath);
    writeFileSync(walPath, 'another log');
    await sync.synced(commit());
    expect(told).toEqual(['synced', 'synced']);
    await sync.close();
  });

  test('is fatal when it fails, for all that comes after it too (Y3)', async () => {
    const { sync, told, commit } = open();
    const position = commit();
    await expect(sync.synced(position)).rejects.toMatchObject({ code: 'store-failed' });
    writeFileSync(walPath, 'log');
    await expect(sync.synced(position)).rejects.toMatchObject({ code: 'store-failed' });
    expect(told).toEqual(['store-failed']);
    await sync.close();
  });
});

/** Long enough after a slow one. */
function handingOver(): SyncPace {
  const pace = new SyncPace(0);
  pace.isHere();
  pace.tookHere(1);
  return pace;
}
