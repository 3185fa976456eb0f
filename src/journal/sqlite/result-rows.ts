/** Kept results as rows. `put` and `clear` run inside a transaction of `GroupCommit`. */
import type { DatabaseSync } from 'node:sqlite';
import { cacheLimits, type KeptResult } from '../result-cache.ts';
import { jsonOf, numberOf, textOf } from './row-reader.ts';

export class ResultRows {
  readonly #select;
  readonly #selectClearing;
  readonly #replace;
  readonly #measure;
  readonly #deleteExpired;
  readonly #deleteFirst;
  readonly #deleteOfTool;
  readonly #deleteAll;
  readonly #noteClearing;
  /** An upper bound of what is there, so that most puts need not measure. */
  #entries = Infinity;
  #length = Infinity;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('SELECT * FROM kept_results WHERE cache_key = ?');
    this.#selectClearing = database.prepare(
      "SELECT max(at_ms) AS at_ms FROM cleared_results WHERE tool IN (?, '*') HAVING max(at_ms) IS NOT NULL",
    );
    this.#replace = database.prepare(`
      INSERT OR REPLACE INTO kept_results (cache_key, tool, run_id, call_id, stored_at_ms, expires_at_ms, output)
      VALUES (?, ?, ?, ?, ?, ?, ?)`);
    this.#measure = database.prepare(
      'SELECT count(*) AS entries, coalesce(sum(length(output)), 0) AS length FROM kept_results',
    );
    this.#deleteExpired = database.prepare('DELETE FROM kept_results WHERE expires_at_ms <= ?');
    this.#deleteFirst = database.prepare(
      'DELETE FROM kept_results WHERE id IN (SELECT id FROM kept_results ORDER BY id LIMIT ?)',
    );
    this.#deleteOfTool = database.prepare('DELETE FROM kept_results WHERE tool = ?');
    this.#deleteAll = database.prepare('DELETE FROM kept_results');
    this.#noteClearing = database.prepare(
      'INSERT INTO cleared_results (tool, at_ms) VALUES (?, ?) ON CONFLICT DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)',
    );
  }

  get(key: string): KeptResult | undefined {
    const row = this.#select.get(key);
    if (row === undefined) return undefined;
    return {
      key,
      tool: textOf(row, 'tool'),
      output: jsonOf(row, 'output'),
      runId: textOf(row, 'run_id'),
      callId: textOf(row, 'call_id'),
      storedAtMs: numberOf(row, 'stored_at_ms'),
      expiresAtMs: numberOf(row, 'expires_at_ms'),
    };
  }

  put({ key, tool, runId, callId, storedAtMs, expiresAtMs }: KeptResult, text: string): void {
    const clearing = this.#selectClearing.get(tool);
    if (clearing !== undefined && storedAtMs <= numberOf(clearing, 'at_ms')) return;
    this.#replace.run(key, tool, runId, callId, storedAtMs, expiresAtMs, text);
    this.#entries += 1;
    this.#length += text.length;
    if (!this.#isFull()) return;
    this.#deleteExpired.run(storedAtMs);
    this.#remeasure();
    while (this.#isFull()) {
      this.#deleteFirst.run(Math.ceil(this.#entries / 10));
      this.#remeasure();
    }
  }

  clear(tool: string | undefined, atMs: number): number {
    this.#noteClearing.run(tool ?? '*', atMs);
    return Number((tool === undefined ? this.#deleteAll.run() : this.#deleteOfTool.run(tool)).changes);
  }

  #isFull(): boolean {
    return this.#entries > cacheLimits.entries || this.#length > cacheLimits.length;
  }

  #remeasure(): void {
    const row = this.#measure.get() ?? {};
    this.#entries = numberOf(row, 'entries');
    this.#length = numberOf(row, 'length');
  }
}
