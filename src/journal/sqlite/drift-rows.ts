/** Alerts about drift as rows. `note` runs inside a transaction of `GroupCommit`. */
import type { DatabaseSync } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import { type DriftNote, maxDrifts, type NotedDrift } from '../drift-book.ts';
import { shapeDifference } from '../entry-checks.ts';
import { jsonOf, numberOf, textOf, type Row } from './row-reader.ts';

export class DriftRows {
  readonly #upsert;
  readonly #deleteOldest;
  readonly #selectAll;

  constructor(database: DatabaseSync) {
    this.#upsert = database.prepare(`
      INSERT INTO drifts (tool, version, shape, count, first_at_ms, last_at_ms, run_id, call_id, facts)
      VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5, ?6, ?7)
      ON CONFLICT DO UPDATE SET count = count + 1, last_at_ms = ?4, run_id = ?5, call_id = ?6, facts = ?7
      RETURNING count`);
    this.#deleteOldest = database.prepare(`
      DELETE FROM drifts WHERE (tool, version, shape) IN
        (SELECT tool, version, shape FROM drifts ORDER BY last_at_ms DESC LIMIT -1 OFFSET ${maxDrifts})`);
    this.#selectAll = database.prepare('SELECT * FROM drifts ORDER BY last_at_ms DESC, tool, version, shape');
  }

  note({ tool, version, shape, difference, runId, callId, atMs }: DriftNote): number {
    const row = this.#upsert.get(tool, version, shape, atMs, runId, callId, JSON.stringify(difference));
    const count = numberOf(row ?? {}, 'count');
    if (count === 1) this.#deleteOldest.run();
    return count;
  }

  list(): readonly NotedDrift[] {
    return this.#selectAll.all().map(toDrift);
  }
}

function toDrift(row: Row): NotedDrift {
  const difference: unknown = jsonOf(row, 'facts');
  if (!shapeDifference(difference)) throw new AxleError('store-invalid', 'A drift in the store has no facts.');
  return {
    tool: textOf(row, 'tool'),
    version: numberOf(row, 'version'),
    shape: textOf(row, 'shape'),
    difference,
    count: numberOf(row, 'count'),
    firstAtMs: numberOf(row, 'first_at_ms'),
    lastAtMs: numberOf(row, 'last_at_ms'),
    runId: textOf(row, 'run_id'),
    callId: textOf(row, 'call_id'),
  };
}
