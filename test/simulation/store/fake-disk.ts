/**
 * The disk under the simulated store: an ordered list of committed changes of which a prefix is synced. The tables are the fold of that list, so losing the
 * end of it in a power cut is only folding less of it. Shares no code with the stores of `src/journal`, which it is there to be compared with.
 *
 * K1 A change is in the list whole or not at all.
 * K2 Ending processes takes nothing out of the list; a power cut takes a random part of what was not synced, always the end.
 */
import { AxleError } from '../../../src/error/axle-error.ts';
import type { Append } from '../../../src/journal/entry.ts';
import { isEntryType } from '../../../src/journal/entry-types.ts';
import type {
  AppendBatch,
  ClaimedRun,
  KeptUpstream,
  NewRun,
  Post,
  PostedItem,
  RunStatus,
  RunSummary,
  Snapshot,
  StoredOrder,
  UpstreamRecord,
} from '../../../src/journal/store.ts';

export type Change =
  | { readonly kind: 'create'; readonly run: Omit<NewRun, 'append'>; readonly row: Row; readonly summary: RunSummary }
  | { readonly kind: 'claim'; readonly runId: string }
  | { readonly kind: 'append'; readonly batch: Omit<AppendBatch, 'append'>; readonly row: Row; readonly atMs: number }
  | { readonly kind: 'post'; readonly item: PostedItem }
  | { readonly kind: 'keep'; readonly kept: KeptUpstream }
  | { readonly kind: 'order'; readonly name: string; readonly order: StoredOrder };

/** Hears what becomes of the list. */
export interface DiskObserver {
  committed(change: Change, position: number, by: string): void;
  synced(position: number): void;
  cut(position: number): void;
}

/** One append as it stands on the disk: its text, and what is read of it, made once. Whoever changed that would be found by the text. */
export interface Row {
  readonly lastSeq: number;
  readonly text: string;
  readonly append: Append;
}

interface RunRow {
  readonly run: Omit<NewRun, 'append'>;
  summary: RunSummary;
  cursor: number;
  snapshot: Snapshot | undefined;
  readonly rows: Row[];
  inbox: readonly PostedItem[];
}

/** Posts of a run that are not taken in, at most. */
const maxUnread = 1_000;

export class FakeDisk {
  /** Until when the store answers nothing, or takes no writes. */
  readsFailUntilMs = -Infinity;
  writesFailUntilMs = -Infinity;
  #changes: Change[] = [];
  #synced = 0;
  #runs = new Map<string, RunRow>();
  #lastInboxId = 0;
  #upstreams = new Map<string, UpstreamRecord>();
  readonly #observer: DiskObserver | undefined;

  constructor(observer?: DiskObserver) {
    this.#observer = observer;
  }

  // ---- changes

  create(run: NewRun, by: string): { readonly runId: string; readonly created: boolean; readonly position: number } {
    const { append, ...rest } = run;
    const epoch = run.claim === true ? 1 : 0;
    if (append.epoch !== epoch || append.firstSeq !== 1) {
      throw new AxleError('internal', 'A journal opens with its first entry.');
    }
    const first = [...this.#runs.values()].find((other) => run.key !== undefined && other.run.key === run.key);
    if (first !== undefined) {
      if (first.run.requestHash !== run.requestHash) {
        throw new AxleError('run-key-reused', `${run.key ?? ''} belongs to another request.`);
      }
      return { runId: first.run.runId, created: false, position: this.#changes.length };
    }
    if (this.#runs.has(run.runId)) throw new AxleError('internal', `${run.runId} is taken.`);
    return {
      runId: run.runId,
      created: true,
      position: this.#commit({ kind: 'create', run: rest, row: rowOf(append), summary: summaryOf(rest, append) }, by),
    };
  }

  claim(runId: string, by: string): ClaimedRun | undefined {
    if (!this.#runs.has(runId)) return undefined;
    this.#commit({ kind: 'claim', runId }, by);
    const row = this.#row(runId);
    return { epoch: row.summary.epoch, inboxCursor: row.cursor };
  }

  append(batch: AppendBatch, by: string): number {
    const { append, ...rest } = batch;
    const { summary } = this.#row(batch.runId);
    if (append.epoch !== summary.epoch || append.firstSeq !== summary.seq + 1) {
      throw new AxleError(
        'append-fenced',
        `${batch.runId} has epoch ${summary.epoch} and ends at ${summary.seq}, not ${append.epoch} and ${append.firstSeq - 1}.`,
      );
    }
    const lastPost = this.#row(batch.runId).inbox.at(-1)?.inboxId ?? 0;
    if (batch.status.state === 'ended' && lastPost > (batch.inboxCursor ?? 0)) {
      throw new AxleError('append-outdated', `${batch.runId} cannot end over post ${lastPost}.`);
    }
    return this.#commit(
      { kind: 'append', batch: { ...rest, status: copyOf(rest.status) }, row: rowOf(append), atMs: append.atMs },
      by,
    );
  }

  post(post: Post, by: string): { readonly inboxId: number; readonly accepted: boolean; readonly first?: PostedItem } {
    if (JSON.stringify(post.body).length > 4_194_304) throw new AxleError('limit-exceeded', 'The post is too large.');
    const row = this.#row(post.runId);
    const first = post.uniqueKey === undefined ? undefined : keyHolder(row, post.uniqueKey);
    if (first !== undefined) return { inboxId: first.inboxId, accepted: false, first };
    if (row.summary.status.state === 'ended') throw new AxleError('run-ended', `${post.runId} has ended.`);
    if (post.kind === 'message' && this.#unread(post.runId, row.cursor) >= maxUnread) {
      throw new AxleError('limit-exceeded', `${post.runId} has too many posts.`);
    }
    const item = { ...copyOf(post), inboxId: this.#lastInboxId + 1 };
    this.sync(this.#commit({ kind: 'post', item }, by));
    return { inboxId: item.inboxId, accepted: true };
  }

  keepUpstream(kept: KeptUpstream, by: string): number {
    return this.#commit({ kind: 'keep', kept: copyOf(kept) }, by);
  }

  orderUpstream(name: string, order: Omit<StoredOrder, 'number'>, by: string): number {
    if (name.length > 1_000) throw new AxleError('limit-exceeded', 'The name of the upstream is too long.');
    const number = 1 + Math.max(0, ...[...this.#upstreams.values()].map((record) => record.order?.number ?? 0));
    this.sync(this.#commit({ kind: 'order', name, order: { ...order, number } }, by));
    return number;
  }

  /** Up to a position, or all. */
  sync(position = Infinity): void {
    const reached = Math.min(position, this.#changes.length);
    if (reached <= this.#synced) return;
    this.#synced = reached;
    this.#observer?.synced(reached);
  }

  /** Loses a part of what is not synced: `kept` of 0 keeps nothing of it, 255 all. */
  powerCut(kept: number): void {
    const open = this.#changes.length - this.#synced;
    const length = this.#synced + Math.round((open * kept) / 255);
    if (length === this.#changes.length) return;
    this.#changes = this.#changes.slice(0, length);
    this.#runs = new Map();
    this.#lastInboxId = 0;
    this.#upstreams = new Map();
    for (const change of this.#changes) this.#apply(change);
    this.#observer?.cut(length);
  }

  // ---- questions

  read(runId: string, afterSeq: number, limit: number): readonly Append[] {
    const rows = this.#runs.get(runId)?.rows ?? [];
    const from = rows.findIndex((row) => row.lastSeq > afterSeq);
    return from === -1 ? [] : rows.slice(from, from + limit).map((row) => row.append);
  }

  /** The journal as it was written: the JSON text of all its appends. */
  text(runId: string): string {
    return `[${(this.#runs.get(runId)?.rows ?? []).map((row) => row.text).join(',')}]`;
  }

  hasSnapshot(runId: string): boolean {
    return this.#runs.get(runId)?.snapshot !== undefined;
  }

  snapshot(runId: string): Snapshot | undefined {
    const snapshot = this.#runs.get(runId)?.snapshot;
    return snapshot === undefined ? undefined : copyOf(snapshot);
  }

  summary(runId: string): RunSummary | undefined {
    return this.#runs.get(runId)?.summary;
  }

  /** In the order in which they were created. */
  summaries(): readonly RunSummary[] {
    return [...this.#runs.values()].map((row) => row.summary);
  }

  posts(runId: string, cursor: number): readonly PostedItem[] {
    return (this.#runs.get(runId)?.inbox ?? []).filter((item) => item.inboxId > cursor).slice(0, 100);
  }

  postWithKey(runId: string, uniqueKey: string): PostedItem | undefined {
    const row = this.#runs.get(runId);
    return row === undefined ? undefined : keyHolder(row, uniqueKey);
  }

  upstreams(): readonly UpstreamRecord[] {
    return copyOf([...this.#upstreams.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }

  /** When each run wants a driver: 0 for at once, infinity for not by itself. */
  wakeTimes(): readonly { readonly runId: string; readonly atMs: number }[] {
    return [...this.#runs.values()].map((row) => {
      const { state, wakeAtMs } = row.summary.status;
      const hasPosts = (row.inbox.at(-1)?.inboxId ?? 0) > row.cursor;
      if (state === 'ended') return { runId: row.run.runId, atMs: Infinity };
      if (state === 'active' || hasPosts) return { runId: row.run.runId, atMs: 0 };
      return { runId: row.run.runId, atMs: state === 'waiting' ? (wakeAtMs ?? Infinity) : Infinity };
    });
  }

  // ---- the fold

  #commit(change: Change, by: string): number {
    this.#changes.push(change);
    this.#apply(change);
    this.#observer?.committed(change, this.#changes.length, by);
    return this.#changes.length;
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'create': {
        const { run, summary, row } = change;
        this.#runs.set(run.runId, { run, summary, cursor: 0, snapshot: undefined, rows: [row], inbox: [] });
        return;
      }
      case 'claim': {
        const row = this.#row(change.runId);
        row.summary = { ...row.summary, epoch: row.summary.epoch + 1 };
        return;
      }
      case 'append':
        this.#applyAppend(change);
        return;
      case 'post': {
        const row = this.#row(change.item.runId);
        this.#lastInboxId = change.item.inboxId;
        row.inbox = [...row.inbox, change.item];
        row.summary = { ...row.summary, hasPosts: true };
        return;
      }
      case 'keep':
        this.#applyKept(change.kept);
        return;
      case 'order':
        this.#upstreams.set(change.name, {
          ...this.#upstreams.get(change.name),
          name: change.name,
          order: change.order,
        });
    }
  }

  #applyAppend({ batch, row: written, atMs }: Extract<Change, { kind: 'append' }>): void {
    const row = this.#row(batch.runId);
    row.rows.push(written);
    row.summary = { ...row.summary, seq: written.lastSeq, updatedAtMs: atMs, status: batch.status };
    row.cursor = Math.max(row.cursor, batch.inboxCursor ?? 0);
    row.summary = { ...row.summary, hasPosts: (row.inbox.at(-1)?.inboxId ?? 0) > row.cursor };
    if (batch.snapshot !== undefined) row.snapshot = batch.snapshot;
    for (const kept of batch.upstreams ?? []) this.#applyKept(kept);
    for (const refused of batch.refusedPosts ?? []) {
      row.inbox = row.inbox.map((item) => (item.inboxId === refused ? withoutKey(item) : item));
    }
  }

  #applyKept(kept: KeptUpstream): void {
    const before = this.#upstreams.get(kept.name);
    if (before?.kept?.writer === kept.writer && before.kept.version >= kept.version) return;
    this.#upstreams.set(kept.name, { ...before, name: kept.name, kept });
  }

  #unread(runId: string, cursor: number): number {
    const row = this.#row(runId);
    return row.inbox.filter((item) => item.inboxId > Math.max(cursor, row.cursor)).length;
  }

  #row(runId: string): RunRow {
    const row = this.#runs.get(runId);
    if (row === undefined) throw new AxleError('run-unknown', `There is no run ${runId}.`);
    return row;
  }
}

function summaryOf(run: Omit<NewRun, 'append'>, append: Append): RunSummary {
  const status: RunStatus = { state: 'active', waitingOn: [], steps: 0 };
  return {
    runId: run.runId,
    kind: run.kind,
    subject: run.subject,
    createdAtMs: append.atMs,
    updatedAtMs: append.atMs,
    epoch: append.epoch,
    seq: append.firstSeq + append.entries.length - 1,
    status,
    hasPosts: false,
    ...(run.key === undefined ? {} : { key: run.key }),
    ...(run.session === undefined ? {} : { session: run.session }),
  };
}

function keyHolder(row: RunRow, uniqueKey: string): PostedItem | undefined {
  return row.inbox.find((item) => item.uniqueKey === uniqueKey);
}

function withoutKey({ uniqueKey: _free, ...item }: PostedItem): PostedItem {
  return item;
}

function rowOf(append: Append): Row {
  return {
    lastSeq: append.firstSeq + append.entries.length - 1,
    text: textOf(append),
    append: copyOf(append),
  };
}

/** What is stored shares nothing with what was handed in, and is what its JSON text says. @throws AxleError for what is no JSON data */
function copyOf<T>(value: T): T {
  // A copy of JSON data has its form.
  return plain(value) as T;
}

function plain(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (!isPlainObject(value)) throw new AxleError('internal', `A ${typeof value} was handed to the store.`);
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const item = value[key];
    if (item !== undefined) copy[key] = plain(item);
  }
  return copy;
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function textOf(append: Append): string {
  const strange = append.entries.find((entry) => !isEntryType(entry.type));
  if (strange !== undefined) throw new AxleError('internal', 'There is no such entry type.');
  return JSON.stringify(append);
}
