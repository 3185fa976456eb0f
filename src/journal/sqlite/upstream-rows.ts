/** Upstreams as rows. `keep` and `order` run inside a transaction of `GroupCommit` and decide before they write (W2). */
import type { DatabaseSync } from 'node:sqlite';
import { defined } from '../../util/defined.ts';
import { checkUpstreamName } from '../checks.ts';
import { type KeptUpstream, type StoredOrder, upstreamActions, type UpstreamRecord } from '../store.ts';
import { jsonOf, numberOf, optionalTextOf, type Row, textOf, wordOf } from './row-reader.ts';

export class UpstreamRows {
  readonly #keep;
  readonly #order;
  readonly #select;

  constructor(database: DatabaseSync) {
    this.#keep = database.prepare(`
      INSERT INTO upstreams (name, writer, version, state) VALUES (?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET writer = excluded.writer, version = excluded.version, state = excluded.state
      WHERE upstreams.writer IS NOT excluded.writer OR upstreams.version < excluded.version`);
    this.#order = database.prepare(`
      INSERT INTO upstreams (name, order_number, order_action, order_by, order_reason, order_at_ms)
      VALUES (?, (SELECT coalesce(max(order_number), 0) + 1 FROM upstreams), ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET order_number = excluded.order_number, order_action = excluded.order_action,
        order_by = excluded.order_by, order_reason = excluded.order_reason, order_at_ms = excluded.order_at_ms
      RETURNING order_number`);
    this.#select = database.prepare('SELECT * FROM upstreams ORDER BY name');
  }

  /** @throws AxleError `limit-exceeded` */
  keep({ name, writer, version, state }: KeptUpstream): void {
    checkUpstreamName(name);
    this.#keep.run(name, writer, version, JSON.stringify(state));
  }

  /** @throws AxleError `limit-exceeded` */
  order(name: string, { action, by, reason, atMs }: Omit<StoredOrder, 'number'>): number {
    checkUpstreamName(name);
    const row = this.#order.get(name, action, by ?? null, reason ?? null, atMs);
    return numberOf(row ?? {}, 'order_number');
  }

  all(): readonly UpstreamRecord[] {
    return this.#select.all().map(toRecord);
  }
}

function toRecord(row: Row): UpstreamRecord {
  const name = textOf(row, 'name');
  const writer = optionalTextOf(row, 'writer');
  return {
    name,
    ...(writer === undefined
      ? {}
      : { kept: { name, writer, version: numberOf(row, 'version'), state: jsonOf(row, 'state') } }),
    ...(row['order_number'] === null ? {} : { order: toOrder(row) }),
  };
}

function toOrder(row: Row): StoredOrder {
  return {
    number: numberOf(row, 'order_number'),
    action: wordOf(row, 'order_action', upstreamActions),
    ...defined({ by: optionalTextOf(row, 'order_by'), reason: optionalTextOf(row, 'order_reason') }),
    atMs: numberOf(row, 'order_at_ms'),
  };
}
