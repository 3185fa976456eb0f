/** Runs as rows: accepting, taking over, listing, waking. `create` and `claim` run inside a transaction of `GroupCommit` and decide before they write (W2). */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { keyReused, requestOf, runIdTaken } from '../checks.ts';
import type { EncodedEntries } from '../codec.ts';
import { lastSeqOf } from '../entry.ts';
import { boundedLimit, defaultListedRuns, maxListedRuns } from '../limits.ts';
import type { ClaimedRun, NewRun, RunCopy, RunFilter, RunSummary } from '../store.ts';
import type { JournalRows } from './journal-rows.ts';
import type { OwnerCache } from './owner-cache.ts';
import { numberOf, optionalNumberOf, textOf, type Row } from './row-reader.ts';
import { toSummary } from './run-summary.ts';

const summaryOf = `
  SELECT runs.*, journal.last_seq, journal.at_ms, journal.steps FROM runs
  JOIN journal ON journal.id = (SELECT id FROM journal WHERE journal.run_key = runs.run_key ORDER BY last_seq DESC LIMIT 1)`;

export class RunRows {
  readonly #database: DatabaseSync;
  readonly #journal: JournalRows;
  readonly #owners: OwnerCache;
  readonly #selectByKey;
  readonly #selectById;
  readonly #insertRun;
  readonly #insertCopy;
  readonly #raiseEpoch;
  readonly #selectSummary;
  readonly #selectDue;
  readonly #selectNextWake;
  /** One statement for each combination of filters: there are a few dozen. */
  readonly #listings = new Map<string, StatementSync>();

  constructor(database: DatabaseSync, parts: { readonly journal: JournalRows; readonly owners: OwnerCache }) {
    this.#database = database;
    this.#journal = parts.journal;
    this.#owners = parts.owners;
    this.#selectByKey = database.prepare('SELECT run_id, request_hash FROM runs WHERE request_key = ?');
    this.#selectById = database.prepare('SELECT run_key FROM runs WHERE run_id = ?');
    this.#insertRun = database.prepare(`
      INSERT INTO runs (run_id, kind, subject, session, request_key, request_hash, created_at_ms, epoch, state)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'active') ON CONFLICT (run_id) DO NOTHING`);
    this.#insertCopy = database.prepare(`
      INSERT INTO runs (run_id, kind, subject, session, request_hash, created_at_ms, epoch, state, ending)
      VALUES (?, ?, ?, ?, ?, ?, ?, 'ended', ?)`);
    this.#raiseEpoch = database.prepare(
      'UPDATE runs SET epoch = epoch + 1 WHERE run_id = ? RETURNING epoch, inbox_cursor',
    );
    this.#selectSummary = database.prepare(`${summaryOf} WHERE runs.run_id = ?`);
    this.#selectDue = database.prepare(
      'SELECT run_id FROM runs WHERE due_at_ms <= ? ORDER BY due_at_ms, run_key LIMIT ?',
    );
    this.#selectNextWake = database.prepare('SELECT min(due_at_ms) AS wake_at_ms FROM runs WHERE due_at_ms > 0');
  }

  /** @throws AxleError `run-key-reused` */
  create(run: NewRun, encoded: EncodedEntries): { readonly runId: string; readonly created: boolean } {
    const first = run.key === undefined ? undefined : this.#selectByKey.get(run.key);
    if (first !== undefined) {
      const runId = textOf(first, 'run_id');
      if (textOf(first, 'request_hash') !== run.requestHash) throw keyReused(run.key ?? '', runId);
      return { runId, created: false };
    }
    /* @crashpoint sqlite-create-before */
    const { append } = run;
    const inserted = this.#insertRun.run(
      run.runId,
      run.kind,
      run.subject,
      run.session ?? null,
      run.key ?? null,
      run.requestHash,
      append.atMs,
      append.epoch,
    );
    if (inserted.changes === 0) throw runIdTaken(run.runId);
    const runKey = Number(inserted.lastInsertRowid);
    this.#journal.writeAppend(runKey, append, { encoded, steps: 0 });
    this.#owners.set(run.runId, {
      runKey,
      epoch: append.epoch,
      seq: lastSeqOf(append),
      lastPostId: 0,
      inboxCursor: 0,
      isSimplyActive: true,
    });
    /* @crashpoint sqlite-create-after */
    return { runId: run.runId, created: true };
  }

  /** False when a run has the id already. */
  keepCopy(copy: RunCopy, encoded: readonly EncodedEntries[]): boolean {
    const { append, ...request } = requestOf(copy);
    if (this.#selectById.get(copy.runId) !== undefined) return false;
    const inserted = this.#insertCopy.run(
      request.runId,
      request.kind,
      request.subject,
      request.session ?? null,
      request.requestHash,
      append.atMs,
      copy.epoch,
      copy.ending ?? null,
    );
    const runKey = Number(inserted.lastInsertRowid);
    for (const [index, each] of copy.appends.entries()) {
      const entries = encoded[index];
      if (entries !== undefined) this.#journal.writeAppend(runKey, each, { encoded: entries, steps: copy.steps });
    }
    return true;
  }

  claim(runId: string): ClaimedRun | undefined {
    /* @crashpoint sqlite-claim-before */
    this.#owners.forget(runId);
    const row = this.#raiseEpoch.get(runId);
    /* @crashpoint sqlite-claim-after */
    if (row === undefined) return undefined;
    return { epoch: numberOf(row, 'epoch'), inboxCursor: numberOf(row, 'inbox_cursor') };
  }

  run(runId: string): RunSummary | undefined {
    const row = this.#selectSummary.get(runId);
    return row === undefined ? undefined : toSummary(row);
  }

  runs(filter: RunFilter): readonly RunSummary[] {
    const conditions: string[] = [];
    const values: string[] = [];
    const add = (condition: string, ...more: readonly string[]): void => {
      conditions.push(condition);
      values.push(...more);
    };
    if (filter.states !== undefined) {
      const states = [...new Set(filter.states)];
      // With several states the order of the runs is worth more than the index: it would have all of them sorted.
      const state = states.length > 1 ? '+runs.state' : 'runs.state';
      add(`${state} IN (${states.map(() => '?').join(', ')})`, ...states);
    }
    if (filter.subject !== undefined) add('runs.subject = ?', filter.subject);
    if (filter.session !== undefined) add('runs.session = ?', filter.session);
    if (filter.keepsLocks !== undefined) conditions.push('runs.kept_locks IS NOT NULL');
    if (filter.beforeRunId !== undefined) {
      add('runs.run_key < (SELECT run_key FROM runs WHERE run_id = ?)', filter.beforeRunId);
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const listing = this.#listing(`${summaryOf} ${where} ORDER BY runs.run_key DESC LIMIT ?`);
    return listing.all(...values, boundedLimit(filter.limit, defaultListedRuns, maxListedRuns)).map(toSummary);
  }

  due(nowMs: number, limit: number): readonly string[] {
    return this.#selectDue
      .all(nowMs, boundedLimit(limit, maxListedRuns, maxListedRuns))
      .map((row: Row) => textOf(row, 'run_id'));
  }

  nextWakeAtMs(): number | undefined {
    const row = this.#selectNextWake.get();
    return row === undefined ? undefined : optionalNumberOf(row, 'wake_at_ms');
  }

  #listing(sql: string): StatementSync {
    const known = this.#listings.get(sql);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(sql);
    this.#listings.set(sql, prepared);
    return prepared;
  }
}
