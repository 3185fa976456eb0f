/** SQLite stores in a folder of their own, removed when the test is over. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore, type SqliteStore, type SqliteStoreOptions } from '../../src/journal/sqlite/sqlite-store.ts';

export interface TemporaryFolder {
  /** Where a store may be made. */
  readonly path: string;
  readonly remove: () => void;
}

export function temporaryFolder(): TemporaryFolder {
  const folder = mkdtempSync(join(tmpdir(), 'axle-store-'));
  return { path: join(folder, 'axle.db'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface TemporaryStore extends TemporaryFolder {
  readonly store: SqliteStore;
}

export function openTemporaryStore(options: Partial<SqliteStoreOptions> = {}): TemporaryStore {
  const folder = temporaryFolder();
  return { ...folder, store: openSqliteStore(folder.path, { role: 'driver', ...options }) };
}
