/**
 * A store in memory, for tests and for runs that need not survive the process. It is also the reference that other stores are compared
 * with, so it is written to be read: every question is a walk over all runs.
 *
 * Appends are kept as text, as in every store, so that what is read is never the object that was written.
 */
import { AxleError } from '../../error/axle-error.ts';
import {
  checkNewRun,
  checkPost,
  checkUpstreamName,
  fenceProblem,
  inboxFull,
  keyReused,
  outdatedProblem,
  requestOf,
  runEnded,
  runIdTaken,
  supersedes,
  unknownRun,
} from '../checks.ts';
import { decodeEntries, encodeEntries } from '../codec.ts';
import { formatVersion, lastSeqOf, type Append } from '../entry.ts';
import { boundedLimit, defaultListedRuns, maxListedRuns, maxPosts, maxUnreadPosts, maxReadAppends } from '../limits.ts';
import type {
  AppendBatch,
  ClaimedRun,
  KeptUpstream,
  NewRun,
  Position,
  Post,
  PostedItem,
  ReadOptions,
  RunCopy,
  RunFilter,
  RunStatus,
  RunSummary,
  Snapshot,
  Store,
  StoredOrder,
  UpstreamRecord,
} from '../store.ts';
import { defined } from '../../util/defined.ts';
import { createMemoryCache } from './memory-cache.ts';
import { createMemoryDrifts } from './memory-drifts.ts';

interface StoredAppend {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly epoch: number;
  readonly atMs: number;
  readonly text: string;
}

interface StoredRun {
  readonly request: NewRun;
  summary: RunSummary;
  inboxCursor: number;
  snapshot: Snapshot | undefined;
  readonly appends: StoredAppend[];
  readonly inbox: PostedItem[];
}

/** A store that lives as long as the process. */
export function createMemoryStore(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly canDrive = true;
  readonly storeId = 'store-in-memory';
  readonly results = createMemoryCache();
  readonly drifts = createMemoryDrifts();
  /** In the order in which they were created. */
  readonly #stored = new Map<string, StoredRun>();
  readonly #runIdByKey = new Map<string, string>();
  readonly #bodies = new Map<string, string>();
  readonly #upstreams = new Map<string, UpstreamRecord>();
  readonly #listeners = new Set<(runId?: string) => void>();
  #position: Position = 0;
  #lastInboxId = 0;
  #lastOrder = 0;
  #isClosed = false;

  async create(run: NewRun): Promise<{ runId: string; created: boolean; position: Position }> {
    this.#assertOpen();
    checkNewRun(run);
    const first = this.#firstRunOf(run);
    if (first !== undefined) return { runId: first, created: false, position: this.#position };
    if (this.#stored.has(run.runId)) throw runIdTaken(run.runId);
    const append = this.#keep(run.append);
    this.#stored.set(run.runId, {
      request: run,
      summary: newSummary(run, append.lastSeq),
      inboxCursor: 0,
      snapshot: undefined,
      appends: [append],
      inbox: [],
    });
    if (run.key !== undefined) this.#runIdByKey.set(run.key, run.runId);
    this.#position += 1;
    if (run.claim !== true) this.#announce(run.runId);
    return { runId: run.runId, created: true, position: this.#position };
  }

  async claim(runId: string): Promise<ClaimedRun | undefined> {
    this.#assertOpen();
    const run = this.#stored.get(runId);
    if (run === undefined) return undefined;
    run.summary = { ...run.summary, epoch: run.summary.epoch + 1 };
    this.#position += 1;
    return { epoch: run.summary.epoch, inboxCursor: run.inboxCursor };
  }

  async append(batch: AppendBatch): Promise<Position> {
    this.#assertOpen();
    const run = this.#runOf(batch.runId);
    const problem = fenceProblem(batch.append, run.summary);
    if (problem !== undefined) throw problem;
    const outdated = outdatedProblem(batch, run.inbox.at(-1)?.inboxId ?? 0);
    if (outdated !== undefined) throw outdated;
    const append = this.#keep(batch.append);
    run.appends.push(append);
    run.summary = {
      ...run.summary,
      seq: append.lastSeq,
      updatedAtMs: append.atMs,
      status: structuredClone(batch.status),
    };
    run.inboxCursor = Math.max(run.inboxCursor, batch.inboxCursor ?? 0);
    if (batch.snapshot !== undefined) run.snapshot = structuredClone(batch.snapshot);
    for (const inboxId of batch.refusedPosts ?? []) freeKey(run, inboxId);
    for (const kept of batch.upstreams ?? []) this.#keepUpstream(kept);
    this.#position += 1;
    return this.#position;
  }

  async synced(_position?: Position): Promise<void> {
    this.#assertOpen();
  }

  async read(runId: string, options: ReadOptions = {}): Promise<readonly Append[]> {
    this.#assertOpen();
    const lookup = (hash: string): string | undefined => this.#bodies.get(hash);
    const sizeOf = (hash: string): number | undefined => {
      const text = lookup(hash);
      return text === undefined ? undefined : Buffer.byteLength(text);
    };
    const named = options.bodies === 'reference' ? { sizeOf } : {};
    const appends = this.#stored.get(runId)?.appends ?? [];
    const start = firstAfter(appends, options.afterSeq ?? 0);
    return appends
      .slice(start, start + boundedLimit(options.limit, maxReadAppends, maxReadAppends))
      .map(({ firstSeq, epoch, atMs, text }) => ({
        firstSeq,
        epoch,
        atMs,
        entries: decodeEntries(text, formatVersion, { lookup, ...named }),
      }));
  }

  async snapshot(runId: string): Promise<Snapshot | undefined> {
    this.#assertOpen();
    return structuredClone(this.#stored.get(runId)?.snapshot);
  }

  async run(runId: string): Promise<RunSummary | undefined> {
    this.#assertOpen();
    const run = this.#stored.get(runId);
    return run === undefined ? undefined : summaryOf(run);
  }

  async runs(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    this.#assertOpen();
    const newestFirst = [...this.#stored.values()].map(summaryOf).toReversed();
    const before =
      filter.beforeRunId === undefined ? -1 : newestFirst.findIndex((run) => run.runId === filter.beforeRunId);
    if (filter.beforeRunId !== undefined && before === -1) return [];
    return newestFirst
      .slice(before + 1)
      .filter((run) => filter.states === undefined || filter.states.includes(run.status.state))
      .filter((run) => filter.subject === undefined || run.subject === filter.subject)
      .filter((run) => filter.session === undefined || run.session === filter.session)
      .filter((run) => filter.keepsLocks === undefined || run.status.keptLocks !== undefined)
      .slice(0, boundedLimit(filter.limit, defaultListedRuns, maxListedRuns));
  }

  async post(post: Post): Promise<{ inboxId: number; accepted: boolean; first?: PostedItem }> {
    this.#assertOpen();
    checkPost(post);
    const run = this.#runOf(post.runId);
    const first = post.uniqueKey === undefined ? undefined : keyHolder(run, post.uniqueKey);
    if (first !== undefined) return { inboxId: first.inboxId, accepted: false, first };
    if (run.summary.status.state === 'ended') throw runEnded(post.runId);
    const unread = run.inbox.filter((item) => item.inboxId > run.inboxCursor).length;
    if (post.kind === 'message' && unread >= maxUnreadPosts) throw inboxFull(post.runId);
    this.#lastInboxId += 1;
    const item: PostedItem = { ...structuredClone(post), inboxId: this.#lastInboxId };
    run.inbox.push(item);
    this.#position += 1;
    this.#announce(post.runId);
    return { inboxId: item.inboxId, accepted: true };
  }

  async posts(runId: string, cursor: number): Promise<readonly PostedItem[]> {
    this.#assertOpen();
    const inbox = this.#stored.get(runId)?.inbox ?? [];
    return inbox.filter((item) => item.inboxId > cursor).slice(0, maxPosts);
  }

  async postWithKey(runId: string, uniqueKey: string): Promise<PostedItem | undefined> {
    this.#assertOpen();
    const run = this.#stored.get(runId);
    return run === undefined ? undefined : keyHolder(run, uniqueKey);
  }

  async due(nowMs: number, limit: number): Promise<readonly string[]> {
    this.#assertOpen();
    return (
      [...this.#stored.values()]
        .map((run) => ({ runId: run.summary.runId, dueAtMs: dueAtMs(run) }))
        .filter((run) => run.dueAtMs <= nowMs)
        // The sort is stable: runs that are due since the same time stay in the order of their creation.
        .toSorted((a, b) => a.dueAtMs - b.dueAtMs)
        .slice(0, boundedLimit(limit, maxListedRuns, maxListedRuns))
        .map((run) => run.runId)
    );
  }

  async nextWakeAtMs(): Promise<number | undefined> {
    this.#assertOpen();
    const times = [...this.#stored.values()].map(dueAtMs).filter((time) => time > 0 && Number.isFinite(time));
    return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
  }

  onNotice(listener: (runId?: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async keepDeclarations(declarations: readonly { readonly hash: string; readonly text: string }[]): Promise<void> {
    this.#assertOpen();
    for (const { hash, text } of declarations) this.#bodies.set(hash, text);
  }

  async keepCopy(copy: RunCopy): Promise<boolean> {
    this.#assertOpen();
    const request = requestOf(copy);
    if (this.#stored.has(copy.runId)) return false;
    const appends = copy.appends.map((append) => this.#keep(append));
    const last = appends.at(-1);
    this.#stored.set(copy.runId, {
      request,
      summary: {
        ...newSummary(request, last?.lastSeq ?? 0),
        updatedAtMs: last?.atMs ?? 0,
        epoch: copy.epoch,
        status: { state: 'ended', waitingOn: [], ...defined({ ending: copy.ending }), steps: copy.steps },
        isCopy: true,
      },
      inboxCursor: 0,
      snapshot: undefined,
      appends,
      inbox: [],
    });
    this.#position += 1;
    return true;
  }

  async body(hash: string): Promise<string | undefined> {
    this.#assertOpen();
    return this.#bodies.get(hash);
  }

  async upstreams(): Promise<readonly UpstreamRecord[]> {
    this.#assertOpen();
    return structuredClone([...this.#upstreams.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  }

  async keepUpstream(kept: KeptUpstream): Promise<Position> {
    this.#assertOpen();
    this.#keepUpstream(kept);
    this.#position += 1;
    return this.#position;
  }

  async orderUpstream(name: string, order: Omit<StoredOrder, 'number'>): Promise<number> {
    this.#assertOpen();
    checkUpstreamName(name);
    this.#lastOrder += 1;
    const number = this.#lastOrder;
    this.#upstreams.set(name, { ...this.#upstreams.get(name), name, order: { ...order, number } });
    this.#position += 1;
    this.#announce();
    return number;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
  }

  #runOf(runId: string): StoredRun {
    const run = this.#stored.get(runId);
    if (run === undefined) throw unknownRun(runId);
    return run;
  }

  /** The first run under the key of a request; undefined when the key is new or absent. */
  #firstRunOf(run: NewRun): string | undefined {
    if (run.key === undefined) return undefined;
    const first = this.#stored.get(this.#runIdByKey.get(run.key) ?? '')?.request;
    if (first !== undefined && first.requestHash !== run.requestHash) throw keyReused(run.key, first.runId);
    return first?.runId;
  }

  #keep(append: Append): StoredAppend {
    const encoded = encodeEntries(append.entries);
    for (const body of encoded.bodies) this.#bodies.set(body.hash, body.text);
    const { firstSeq, epoch, atMs } = append;
    return { firstSeq, lastSeq: lastSeqOf(append), epoch, atMs, text: encoded.text };
  }

  #keepUpstream(kept: KeptUpstream): void {
    checkUpstreamName(kept.name);
    const before = this.#upstreams.get(kept.name);
    if (!supersedes(kept, before?.kept)) return;
    this.#upstreams.set(kept.name, { ...before, name: kept.name, kept: structuredClone(kept) });
  }

  #announce(runId?: string): void {
    for (const listener of this.#listeners) listener(runId);
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new AxleError('store-closed', 'The store was used after it was closed.');
  }
}

/** A run as lists show it. */
function summaryOf(run: StoredRun): RunSummary {
  return { ...run.summary, hasPosts: hasPosts(run) };
}

function hasPosts(run: StoredRun): boolean {
  return (run.inbox.at(-1)?.inboxId ?? 0) > run.inboxCursor;
}

function keyHolder(run: StoredRun, uniqueKey: string): PostedItem | undefined {
  return run.inbox.find((item) => item.uniqueKey === uniqueKey);
}

/** A refused post stays in the inbox, without its key. */
function freeKey(run: StoredRun, inboxId: number): void {
  const index = run.inbox.findIndex((item) => item.inboxId === inboxId);
  const item = run.inbox[index];
  if (item === undefined) return;
  const { uniqueKey: _free, ...rest } = item;
  run.inbox[index] = rest;
}

/** Since when a run wants a driver: 0 for at once, infinity for not at all. */
function dueAtMs(run: StoredRun): number {
  const { state, wakeAtMs } = run.summary.status;
  if (state === 'ended') return Infinity;
  if (state === 'active' || hasPosts(run)) return 0;
  return state === 'waiting' ? (wakeAtMs ?? Infinity) : Infinity;
}

function newSummary(run: NewRun, seq: number): RunSummary {
  const status: RunStatus = { state: 'active', waitingOn: [], steps: 0 };
  return {
    runId: run.runId,
    kind: run.kind,
    subject: run.subject,
    ...defined({ key: run.key, session: run.session }),
    createdAtMs: run.append.atMs,
    updatedAtMs: run.append.atMs,
    epoch: run.claim === true ? 1 : 0,
    seq,
    status,
    hasPosts: false,
  };
}

/** The place of the first append that ends after an entry. They stand in order, and a long journal is read page by page. */
function firstAfter(appends: readonly { readonly lastSeq: number }[], seq: number): number {
  let low = 0;
  let high = appends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((appends[middle]?.lastSeq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}
