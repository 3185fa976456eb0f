import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { fixturePath, nodeOptions, runFixture, RunningFixture, runToEnd } from './child.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-store.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

const lastAcked = (driver: RunningFixture): number =>
  Number(driver.lines.findLast((line) => line.startsWith('acked '))?.split(' ')[1] ?? 1);

describe('several processes on one file', () => {
  test('a client reads, posts and starts runs while a driver appends, and the driver sees the post', async () => {
    const driver = new RunningFixture('appending-driver', folder.path);
    await driver.said('acked');
    const client = await runFixture('posting-client', folder.path, 'from outside');
    expect(client.stderr).toBe('');
    expect(JSON.parse(client.stdout)).toMatchObject({
      canDrive: false,
      appends: 5,
      started: true,
      posted: { accepted: true },
    });
    await driver.said('posted {"text":"from outside"}');
    await driver.kill();
    const store = openSqliteStore(folder.path, { role: 'driver' });
    expect((await store.runs()).map((run) => run.runId)).toEqual(['run_2', 'run_1']);
    await store.close();
  });

  test('a second driver is refused at once with the id of the first, and a killed driver holds nothing', async () => {
    const driver = new RunningFixture('appending-driver', folder.path);
    await driver.said('driving');
    const pid = Number(driver.lines[0]?.split(' ')[1]);
    const open = (): unknown => openSqliteStore(folder.path, { role: 'driver' });
    expect(open).toThrow(expect.objectContaining({ code: 'store-locked', details: { pid } }));
    await driver.kill();
    const store = openSqliteStore(folder.path, { role: 'driver' });
    expect(open).toThrow(expect.objectContaining({ code: 'store-locked', details: { pid: process.pid } }));
    // The refused attempt in this process must not have dropped this process's lock.
    const other = await runFixture('vanished-log', folder.path);
    expect(other.stderr).toContain(`driven by process ${process.pid}`);
    await store.close();
  });

  test('twenty kills in the middle of appends lose nothing acknowledged and leave no half append (S1, S3)', async () => {
    let acked = 1;
    for (let kill = 0; kill < 20; kill += 1) {
      const driver = new RunningFixture('appending-driver', folder.path);
      await driver.said('acked');
      // Where in its work the kill falls is left to chance; what must hold does not depend on it.
      await sleep(Math.random() * 30);
      await driver.kill();
      acked = lastAcked(driver);
      const store = openSqliteStore(folder.path, { role: 'driver' });
      const run = await store.run('run_1');
      const appends = await store.read('run_1', { afterSeq: acked - 30 });
      await store.close();
      expect(run?.seq).toBeGreaterThanOrEqual(acked);
      expect(((run?.seq ?? 0) - 1) % 3).toBe(0);
      expect(run?.epoch).toBe(kill + 1);
      for (const append of appends.filter((one) => one.firstSeq > 1)) expect(append.entries).toHaveLength(3);
      expect(appends.at(-1)?.firstSeq).toBe((run?.seq ?? 0) - 2);
    }
    const store = openSqliteStore(folder.path, { role: 'driver' });
    let next = 1;
    for (
      let page = await store.read('run_1');
      page.length > 0;
      page = await store.read('run_1', { afterSeq: next - 1 })
    ) {
      for (const append of page) {
        expect(append.firstSeq).toBe(next);
        next += append.entries.length;
      }
    }
    expect(await store.snapshot('run_1')).toEqual({ seq: next - 1, state: { seq: next - 1 } });
    await store.close();
  }, 60_000);

  test('a sync that fails ends the process at once, with words and exit code 70', async () => {
    const ended = await runFixture('vanished-log', folder.path);
    expect(ended.status).toBe(70);
    expect(ended.stdout).toBe('');
    expect(ended.stderr).toContain('store-failed');
  });
});

/** Whether this machine lets a process have a small file system of its own. */
const canMount = await runToEnd('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).then(
  (ended) => ended.status === 0,
  () => false,
);

describe('a disk without room', () => {
  test.skipIf(!canMount)(
    'refuses the append, keeps what was written and goes on when there is room (needs unshare and a tmpfs of its own)',
    async () => {
      const disk = join(dirname(folder.path), 'disk');
      mkdirSync(disk);
      const script = 'mount -t tmpfs -o size=3m tmpfs "$1" && exec "$2" "$3" "$4" "$1"';
      const ended = await runToEnd('unshare', [
        '-Urm',
        'sh',
        '-c',
        script,
        'sh',
        disk,
        process.execPath,
        ...nodeOptions,
        fixturePath('full-disk'),
      ]);
      expect(ended.stderr).toBe('');
      const told: unknown = JSON.parse(ended.stdout);
      expect(told).toMatchObject({ whenFull: 'store-unavailable', again: 'store-unavailable', afterwards: 'written' });
      // The fixture prints these as numbers; what they must be is asserted below.
      const { seq, seqWhenFull, last, appends } = told as Readonly<Record<string, number>>;
      expect(seqWhenFull).toBe((seq ?? 0) - 2);
      expect(last).toBe((seq ?? 0) - 1);
      expect(appends).toBe(((seq ?? 0) - 1) / 2 + 1);
    },
  );
});
