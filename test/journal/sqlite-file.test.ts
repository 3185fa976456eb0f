import { openSync, closeSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AxleError } from '../../src/error/axle-error.ts';
import { assertSqliteVersion } from '../../src/journal/sqlite/schema.ts';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../src/journal/sqlite/sqlite-store.ts';
import { runToEnd } from './child.ts';
import { attemptFinished, batch, endedStatus, messages, newRun, post } from './sample-entries.ts';
import { temporaryFolder, type TemporaryFolder } from './temporary-store.ts';

const coded = (code: string): unknown => expect.objectContaining({ code });

let folder: TemporaryFolder;
let opened: SqliteStore[];
beforeEach(() => {
  folder = temporaryFolder();
  opened = [];
});
afterEach(async () => {
  for (const store of opened) await store.close();
  folder.remove();
});

function open(options: Partial<SqliteStoreOptions> = {}): SqliteStore {
  const store = openSqliteStore(folder.path, { role: 'driver', ...options });
  opened.push(store);
  return store;
}

/** Changes the closed store from outside. */
function tamper(sql: string): void {
  const database = new DatabaseSync(folder.path);
  database.exec(sql);
  database.close();
}

async function storeWithOneRun(): Promise<void> {
  const store = open();
  await store.create(newRun('run_1', { claim: true }));
  await store.append(batch('run_1', { ...messages(1, ['a']), entries: [attemptFinished('x'.repeat(50_000))] }));
  await store.close();
}

describe('what a driver remembers of a run between appends (O1)', () => {
  test('is forgotten when another process has written: a post is not passed over', async () => {
    const driver = open();
    const client = open({ role: 'client' });
    await driver.create(newRun('run_1', { claim: true }));
    await driver.append(batch('run_1', messages(1, ['a'])));
    const { inboxId } = await client.post(post('run_1'));
    const ending = { status: endedStatus };
    await expect(driver.append(batch('run_1', messages(2, ['end']), ending))).rejects.toThrow(coded('append-outdated'));
    await driver.append(batch('run_1', messages(2, ['end']), { ...ending, inboxCursor: inboxId }));
    expect(await driver.run('run_1')).toMatchObject({ status: { state: 'ended' } });
  });

  test('is forgotten when the run is taken: the append of the owner before is refused', async () => {
    const driver = open();
    await driver.create(newRun('run_1', { claim: true }));
    await driver.append(batch('run_1', messages(1, ['a'])));
    await driver.claim('run_1');
    await expect(driver.append(batch('run_1', messages(2, ['b'])))).rejects.toThrow(coded('append-fenced'));
  });
});

describe('opening a file', () => {
  test('a store keeps its identity and its runs', async () => {
    const first = open();
    await first.create(newRun('run_1'));
    await first.close();
    const second = open();
    expect(second.storeId).toBe(first.storeId);
    expect(second.storeId).toMatch(/^store_/);
    expect(await second.runs()).toHaveLength(1);
  });

  test('its files are for their owner only', async () => {
    const store = open();
    await store.create(newRun('run_1'));
    const names = readdirSync(dirname(folder.path));
    expect(names.toSorted()).toEqual(['axle.db', 'axle.db-shm', 'axle.db-wal', 'axle.db.lock']);
    for (const name of names) expect(statSync(join(dirname(folder.path), name)).mode & 0o777).toBe(0o600);
  });

  test.each(['garbage that is no database at all, and long enough to be read as a header of one '.repeat(3), ''])(
    'a file that is no store is refused and left as it is',
    (content) => {
      writeFileSync(folder.path, content);
      for (const role of ['driver', 'client'] as const) expect(() => open({ role })).toThrow(coded('store-invalid'));
      expect(statSync(folder.path).size).toBe(content.length);
    },
  );

  test("another program's database is refused", () => {
    tamper('CREATE TABLE runs (id)');
    expect(() => open()).toThrow(coded('store-invalid'));
    tamper('PRAGMA application_id = 77');
    expect(() => open()).toThrow(/another program's database/);
  });

  test('a newer schema is refused in words and not touched', async () => {
    await storeWithOneRun();
    tamper('PRAGMA user_version = 99');
    for (const role of ['driver', 'client'] as const) {
      expect(() => open({ role })).toThrow(coded('store-too-new'));
      expect(() => open({ role })).toThrow(/schema 99/);
    }
    const database = new DatabaseSync(folder.path);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 99 });
    database.close();
  });

  test('a client of a missing store is told so instead of seeing no runs', () => {
    expect(() => open({ role: 'client' })).toThrow(coded('store-invalid'));
    expect(readdirSync(dirname(folder.path))).toEqual([]);
  });

  test('a store in a folder that does not exist is refused', () => {
    expect(() => openSqliteStore(join(dirname(folder.path), 'no', 'axle.db'), { role: 'driver' })).toThrow(
      coded('store-unusable'),
    );
  });

  test('what a process left that was killed while it made the store is cleared away', () => {
    writeFileSync(`${folder.path}.new`, 'half a store');
    open();
    expect(readdirSync(dirname(folder.path))).not.toContain('axle.db.new');
  });

  test('two names of one file have one lock', () => {
    open();
    const link = join(dirname(folder.path), 'link.db');
    symlinkSync(folder.path, link);
    expect(() => openSqliteStore(link, { role: 'driver' })).toThrow(coded('store-locked'));
  });

  test.each(['3.51.2', '3.50.9', '2.99.99', undefined])('SQLite %s is too old', (version) => {
    expect(() => assertSqliteVersion(version)).toThrow(coded('sqlite-too-old'));
  });
  test.each(['3.51.3', '3.52.0', '4.0.0'])('SQLite %s is new enough', (version) => {
    expect(() => assertSqliteVersion(version)).not.toThrow();
  });
});

describe('damage', () => {
  test.each([
    ['an entry of another form', `UPDATE journal SET entries = '[{"type":"run-claimed"}]'`, 'entry-invalid'],
    ['an append that lost an entry', `UPDATE journal SET entry_count = 2`, 'entry-invalid'],
    ['an append cut short', `UPDATE journal SET entries = substr(entries, 1, 20)`, 'entry-invalid'],
    ['a body that is gone', `DELETE FROM bodies`, 'entry-invalid'],
    ['a body with another content', `UPDATE bodies SET body = '"other"'`, 'entry-invalid'],
    ['an entry of a newer release', `UPDATE journal SET format = 9`, 'entry-too-new'],
  ])('%s is told with a code when it is read', async (_, sql, code) => {
    await storeWithOneRun();
    tamper(sql);
    await expect(open().read('run_1')).rejects.toThrow(coded(code));
  });

  test.each([
    ['no JSON', '{'],
    ['no list of reasons', '[{"kind":"approval"}]'],
  ])('what a run waits for that is %s is told with a code', async (_, value) => {
    await storeWithOneRun();
    tamper(`UPDATE runs SET waiting_on = '${value}'`);
    await expect(open().run('run_1')).rejects.toThrow(coded('store-invalid'));
  });

  test('pages that were overwritten are told with a code', async () => {
    await storeWithOneRun();
    const descriptor = openSync(folder.path, 'r+');
    const { size } = statSync(folder.path);
    for (let at = 8_192; at < size; at += 8_192) writeSync(descriptor, Buffer.alloc(4_096, 0x5a), 0, 4_096, at);
    closeSync(descriptor);
    expect(() => open()).toThrow(coded('store-invalid'));
  });
});

describe('clients', () => {
  test('start runs and post, and never append or take over', async () => {
    const driver = open();
    const client = open({ role: 'client' });
    expect([driver.canDrive, client.canDrive]).toEqual([true, false]);
    expect(client.storeId).toBe(driver.storeId);
    const { position } = await client.create(newRun('run_1'));
    await client.synced(position);
    expect((await client.post(post('run_1'))).accepted).toBe(true);
    await expect(client.append(batch('run_1', messages(1, ['a'], { epoch: 0 })))).rejects.toThrow(
      coded('store-locked'),
    );
    await expect(client.claim('run_1')).rejects.toThrow(coded('store-locked'));
    await expect(client.create(newRun('run_2', { claim: true }))).rejects.toThrow(coded('store-locked'));
    expect(await driver.claim('run_1')).toMatchObject({ epoch: 1 });
    expect(await driver.due(0, 10)).toEqual(['run_1']);
  });

  test('work without any driver', async () => {
    await open().close();
    const client = open({ role: 'client' });
    await client.create(newRun('run_1'));
    await client.close();
    expect(await open().due(0, 10)).toEqual(['run_1']);
  });

  test('are noticed by the driver', async () => {
    const driver = open({ noticeEveryMs: 5 });
    const client = open({ role: 'client' });
    const notice = Promise.withResolvers<void>();
    driver.onNotice(() => notice.resolve());
    await client.create(newRun('run_1'));
    await notice.promise;
    expect(await driver.due(0, 10)).toEqual(['run_1']);
  });
});

describe('committing and syncing', () => {
  test('appends of many runs share commits, and one sync covers those that wait', async () => {
    const store = open();
    await Promise.all(Array.from({ length: 60 }, (_, index) => store.create(newRun(`run_${index}`, { claim: true }))));
    const before = store.counters;
    const positions = await Promise.all(
      Array.from({ length: 60 }, (_, index) => store.append(batch(`run_${index}`, messages(1, ['a', 'b'])))),
    );
    await Promise.all(positions.map((position) => store.synced(position)));
    const after = store.counters;
    expect(after.appends - before.appends).toBe(60);
    expect(after.rows - before.rows).toBe(120);
    expect(after.commits - before.commits).toBe(2);
    expect(after.syncs - before.syncs).toBe(1);
    await Promise.all(positions.map((position) => store.synced(position)));
    expect(store.counters.syncs).toBe(after.syncs);
  });

  test('what another process has committed is synced before its answer is passed on', async () => {
    const driver = open();
    await driver.create(newRun('run_1', { key: 'k', requestHash: 'h' }));
    const client = open({ role: 'client' });
    const found = await client.create(newRun('run_2', { key: 'k', requestHash: 'h' }));
    expect(found).toMatchObject({ runId: 'run_1', created: false });
    await client.synced(found.position);
    expect([driver.counters.syncs, client.counters.syncs]).toEqual([0, 1]);
  });

  test('without a position, all that is committed now is synced, once', async () => {
    const store = open();
    await store.create(newRun('run_1', { claim: true }));
    await store.append(batch('run_1', messages(1, ['a'])));
    await store.synced();
    await store.synced();
    expect(store.counters.syncs).toBe(1);
    await store.append(batch('run_1', messages(2, ['b'])));
    // A position that is not reached yet asks for the same.
    await store.synced(Infinity);
    expect(store.counters.syncs).toBe(2);
  });

  test('without a position, what others have committed is synced too, also what was there at the start', async () => {
    const driver = open();
    await driver.create(newRun('run_1', { claim: true }));
    const client = open({ role: 'client' });
    await client.synced();
    expect(client.counters.syncs).toBe(1);
    await client.synced();
    expect(client.counters.syncs).toBe(1);
    await driver.append(batch('run_1', messages(1, ['a'])));
    await client.synced();
    expect([driver.counters.syncs, client.counters.syncs]).toEqual([0, 2]);
  });

  test('a log that was made anew is opened anew, and a sync that fails is fatal (R34)', async () => {
    const fatal: AxleError[] = [];
    const store = open({ onFatal: (error) => void fatal.push(error) });
    await store.create(newRun('run_1', { claim: true }));
    await store.synced(await store.append(batch('run_1', messages(1, ['a']))));
    const position = await store.append(batch('run_1', messages(2, ['b'])));
    // A pipe under the log's name: opening it works, syncing it does not.
    const pipe = `${folder.path}.pipe`;
    expect((await runToEnd('mkfifo', [pipe])).status).toBe(0);
    renameSync(pipe, `${folder.path}-wal`);
    const answers = await Promise.allSettled([store.synced(position), store.synced(position)]);
    expect(answers.map((answer) => answer.status)).toEqual(['rejected', 'rejected']);
    expect(fatal).toEqual([coded('store-failed')]);
    await expect(store.append(batch('run_1', messages(3, ['c'])))).rejects.toThrow(coded('store-failed'));
    await expect(store.synced(position)).rejects.toThrow(coded('store-failed'));
  });

  test('a file that another connection holds is waited for', async () => {
    const store = open();
    await store.create(newRun('run_1', { claim: true }));
    const other = new DatabaseSync(folder.path);
    other.exec('BEGIN IMMEDIATE');
    const append = store.append(batch('run_1', messages(1, ['a'])));
    await sleep(40);
    other.exec('COMMIT');
    other.close();
    await append;
    expect(await store.run('run_1')).toMatchObject({ seq: 2 });
  });

  test('a file that stays held is told as unavailable, and works again afterwards', async () => {
    const store = open({ busyForMs: 30 });
    await store.create(newRun('run_1', { claim: true }));
    const other = new DatabaseSync(folder.path);
    other.exec('BEGIN IMMEDIATE');
    const outcomes = await Promise.allSettled([
      store.append(batch('run_1', messages(1, ['a']))),
      store.append(batch('run_1', messages(2, ['b']))),
    ]);
    expect(outcomes).toEqual([
      { status: 'rejected', reason: coded('store-unavailable') },
      { status: 'rejected', reason: coded('store-unavailable') },
    ]);
    other.exec('ROLLBACK');
    other.close();
    await store.append(batch('run_1', messages(1, ['a'])));
    expect(await store.run('run_1')).toMatchObject({ seq: 2 });
  });

  test('the log stays bounded while much is appended, and nothing of it is lost', async () => {
    const megabyte = 1024 * 1024;
    const store = open({ checkpointBytes: megabyte });
    await store.create(newRun('run_1', { claim: true }));
    let largest = 0;
    for (let seq = 1; seq <= 400; seq += 1) {
      await store.append(
        batch('run_1', { ...messages(seq, []), entries: [attemptFinished(`${seq} `.repeat(25_000))] }),
      );
      largest = Math.max(largest, statSync(`${folder.path}-wal`).size);
    }
    expect(store.counters.bytesWritten).toBeGreaterThan(30 * megabyte);
    expect(store.counters.checkpoints).toBeGreaterThan(2);
    expect(largest).toBeLessThan(5 * megabyte);
    const page = await store.read('run_1', { afterSeq: 398 });
    expect(page.map((append) => append.entries)).toEqual(
      [399, 400, 401].map((seq) => [attemptFinished(`${seq - 1} `.repeat(25_000))]),
    );
  });
});
