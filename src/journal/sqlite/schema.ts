/**
 * The form of the file: what makes it an Axle store, which version it has, and how it is brought forward.
 *
 * - `application_id` of the file is Axle's; a database without it belongs to someone else and is not touched.
 * - `user_version` is the number of the last schema module that was applied. A newer one is refused in words.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import { journalSchema } from './schema/0001-journal.sql.ts';
import { upstreamsSchema } from './schema/0002-upstreams.sql.ts';
import { resultsSchema } from './schema/0003-results.sql.ts';
import { keptLocksSchema } from './schema/0004-kept-locks.sql.ts';
import { numberOf, textOf } from './row-reader.ts';

/** "AXLE" in ASCII. */
export const applicationId = 0x41_58_4c_45;

const modules: readonly string[] = [journalSchema, upstreamsSchema, resultsSchema, keptLocksSchema];
/** The schema that this release writes. */
export const schemaVersion = modules.length;

const oldestSqlite = [3, 51, 3] as const;

/**
 * Older ones can corrupt a file in WAL mode that has two connections.
 * @throws AxleError `sqlite-too-old`
 */
export function assertSqliteVersion(version: string | undefined): void {
  const parts = (version ?? '0').split('.').map(Number);
  for (const [index, floor] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0;
    if (part > floor) return;
    if (part < floor || Number.isNaN(part)) {
      throw new AxleError(
        'sqlite-too-old',
        `This Node carries SQLite ${version ?? 'in no version'}; Axle needs ${oldestSqlite.join('.')} or newer.`,
      );
    }
  }
}

/** Makes an empty file a store of the current schema, with an identity of its own. */
export function createSchema(database: DatabaseSync): void {
  // Whoever calls syncs the file when it is whole and only then gives it its name: nothing is lost by not doing so in between.
  database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF');
  database.exec(`PRAGMA page_size = 8192; PRAGMA application_id = ${applicationId};`);
  bringForward(database, 0);
  database.prepare('INSERT INTO meta (name, value) VALUES (?, ?)').run('store-id', `store_${randomUUID()}`);
  database.exec('PRAGMA journal_mode = WAL');
}

/**
 * Looks at an opened file, brings an older one forward when `mayMigrate`, and returns the identity of the store.
 * @throws AxleError `store-invalid`, `store-too-new`; `store-unavailable` for an older file that only a driver may bring forward.
 */
export function checkSchema(database: DatabaseSync, path: string, mayMigrate: boolean): string {
  const found = pragma(database, 'application_id');
  if (found !== applicationId) {
    throw new AxleError(
      'store-invalid',
      `${path} is ${found === 0 ? 'empty or no Axle store' : "another program's database"}; nothing was written to it.`,
    );
  }
  const version = pragma(database, 'user_version');
  if (version > schemaVersion) {
    throw new AxleError(
      'store-too-new',
      `${path} has schema ${version}, written by a newer release; this one knows schemas up to ${schemaVersion}.`,
      {
        details: { schema: version, known: schemaVersion },
      },
    );
  }
  if (version < schemaVersion) {
    if (!mayMigrate) {
      throw new AxleError(
        'store-unavailable',
        `${path} has schema ${version}; it is brought to ${schemaVersion} when a driver opens it.`,
      );
    }
    bringForward(database, version);
  }
  const row = database.prepare("SELECT value FROM meta WHERE name = 'store-id'").get();
  if (row === undefined) throw new AxleError('store-invalid', `${path} carries no identity of a store.`);
  return textOf(row, 'value');
}

/** Applies the modules after `version`, each with its number in one transaction. */
function bringForward(database: DatabaseSync, version: number): void {
  for (const [index, sql] of modules.entries()) {
    if (index < version) continue;
    database.exec(`BEGIN IMMEDIATE; ${sql} PRAGMA user_version = ${index + 1}; COMMIT;`);
  }
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  const row = database.prepare(`PRAGMA ${name}`).get();
  return row === undefined ? 0 : numberOf(row, name);
}
