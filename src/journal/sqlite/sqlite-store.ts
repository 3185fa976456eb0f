/**
 * The store on one SQLite file, with Node's own SQLite.
 *
 * Commits happen in this thread, grouped (`group-commit.ts`), with `synchronous=NORMAL`: a killed process loses none of them. What must outlive
 * a power cut waits for `synced` (`wal-sync.ts`). One process drives (`driver-lock.ts`); others are clients.
 */
import { writeSync } from 'node:fs';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import { checkNewRun, checkPost } from '../checks.ts';
import { encodeEntries } from '../codec.ts';
import type { Append } from '../entry.ts';
import { boundedLimit, maxReadAppends } from '../limits.ts';
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
  RunSummary,
  Snapshot,
  Store,
  StoredOrder,
  UpstreamRecord,
} from '../store.ts';
import type { DriftBook } from '../drift-book.ts';
import { Checkpointer } from './checkpointer.ts';
import { takeDriverLock, type DriverLock } from './driver-lock.ts';
import { DriftRows } from './drift-rows.ts';
import { GroupCommit } from './group-commit.ts';
import { cacheLimits, type ResultCache } from '../result-cache.ts';
import { InboxRows, type Posted } from './inbox-rows.ts';
import { JournalRows } from './journal-rows.ts';
import { Notices } from './notices.ts';
import { assertUsable, canonicalPath, createStoreFile, openDatabase, storeExists } from './open-database.ts';
import { numberOf } from './row-reader.ts';
import { OwnerCache } from './owner-cache.ts';
import { ResultRows } from './result-rows.ts';
import { RunRows } from './run-rows.ts';
import { assertSqliteVersion } from './schema.ts';
import { toStoreError } from './sqlite-fault.ts';
import { UpstreamRows } from './upstream-rows.ts';
import { WalSync } from './wal-sync.ts';

export interface SqliteStoreOptions {
  /** `driver`: the one process that appends. `client`: starts runs, posts and reads. */
  readonly role: 'driver' | 'client';
  /** How often writes of other processes are looked for while somebody listens. @defaultValue 100 */
  readonly noticeEveryMs?: number;
  /** How long a write waits for a file that another process holds. @defaultValue 5,000 */
  readonly busyForMs?: number;
  /** Size of the write-ahead log at which it is copied into the database. @defaultValue 16 MiB */
  readonly checkpointBytes?: number;
  /**
   * Called when a sync has failed, so that what is on the disk is not certain any more. Whoever opens the store anew goes on from what is.
   * @defaultValue writes the error to standard error and ends the process with exit code 70
   */
  readonly onFatal?: (error: AxleError) => void;
}

/** What has been done since the store was opened: figures that no noise of a machine touches. */
export interface StoreCounters {
  readonly commits: number;
  /** Syncs of the log that this store asked for by itself. */
  readonly syncs: number;
  readonly appends: number;
  /** Entries. */
  readonly rows: number;
  /** Characters of entries, bodies and posts handed to SQLite. */
  readonly bytesWritten: number;
  readonly checkpoints: number;
}

export interface SqliteStore extends Store {
  readonly counters: StoreCounters;
}

/**
 * Opens a store; a driver makes it when it is not there.
 * @throws AxleError `store-locked`, `store-invalid`, `store-too-new`, `store-unusable`, `store-unavailable`, `sqlite-too-old`
 */
export function openSqliteStore(path: string, options: SqliteStoreOptions): SqliteStore {
  assertSqliteVersion(process.versions['sqlite']);
  const name = canonicalPath(path);
  assertUsable(name);
  const isDriver = options.role === 'driver';
  const lock = isDriver ? takeDriverLock(name) : undefined;
  try {
    if (isDriver && !storeExists(name)) createStoreFile(name);
    // A driver waits for others without holding its loop up (group-commit.ts); a client has nothing else to do.
    const opened = openDatabase(name, {
      mayMigrate: isDriver,
      busyMs: isDriver ? 20 : (options.busyForMs ?? defaultBusyForMs),
    });
    return new OpenSqliteStore({ ...opened, path: name, lock, options });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

const defaultBusyForMs = 5_000;
const defaultCheckpointBytes = 16 * 1024 * 1024;
const defaultNoticeEveryMs = 100;

interface Opened {
  readonly database: DatabaseSync;
  readonly storeId: string;
  readonly path: string;
  /** Held by a driver. */
  readonly lock: DriverLock | undefined;
  readonly options: SqliteStoreOptions;
}

class OpenSqliteStore implements SqliteStore {
  readonly storeId: string;
  readonly canDrive: boolean;
  readonly results: ResultCache;
  readonly drifts: DriftBook;
  readonly #opened: Opened;
  readonly #database: DatabaseSync;
  readonly #journal: JournalRows;
  readonly #runRows: RunRows;
  readonly #inbox: InboxRows;
  readonly #upstreamRows: UpstreamRows;
  readonly #writes: GroupCommit;
  readonly #sync: WalSync;
  readonly #checkpointer: Checkpointer;
  readonly #notices: Notices;
  readonly #counted = { commits: 0, syncs: 0, appends: 0, rows: 0, bytesWritten: 0, checkpoints: 0 };
  #closing: Promise<void> | undefined;

  constructor(opened: Opened) {
    const { database, path, options } = opened;
    this.#opened = opened;
    this.#database = database;
    this.storeId = opened.storeId;
    this.canDrive = opened.lock !== undefined;
    const dataVersion = createVersionMeter(database);
    const owners = new OwnerCache(dataVersion);
    this.#upstreamRows = new UpstreamRows(database);
    this.#journal = new JournalRows(database, { owners, upstreams: this.#upstreamRows });
    this.#runRows = new RunRows(database, { journal: this.#journal, owners });
    this.#inbox = new InboxRows(database, owners);
    const drifts = new DriftRows(database);
    this.drifts = {
      note: async (note) => {
        this.#assertOpen();
        return (await this.#writes.write(0, () => drifts.note(note))).value;
      },
      list: async () => this.#look(() => drifts.list()),
    };
    const kept = new ResultRows(database);
    this.results = {
      get: async (key) => this.#look(() => kept.get(key)),
      put: async (result) => {
        this.#assertOpen();
        const text = JSON.stringify(result.output);
        if (text.length > cacheLimits.resultLength) return;
        await this.#writes.write(text.length, () => kept.put(result, text));
      },
      clear: async ({ tool, atMs }) => {
        this.#assertOpen();
        return (await this.#writes.write(0, () => kept.clear(tool, atMs))).value;
      },
    };
    const onFatal = (error: AxleError): void => this.#fail(error);
    this.#writes = new GroupCommit({
      database,
      busyForMs: options.busyForMs ?? defaultBusyForMs,
      onBegin: () => owners.begin(),
      onRollBack: () => owners.clear(),
      onCommit: (size) => {
        this.#counted.commits += 1;
        this.#checkpointer.afterCommit(size);
      },
      onFatal,
    });
    this.#sync = new WalSync({
      walPath: `${path}-wal`,
      committed: () => this.#writes.committed,
      dataVersion,
      onSynced: () => (this.#counted.syncs += 1),
      onFatal,
    });
    this.#checkpointer = new Checkpointer({
      path,
      limitBytes: options.checkpointBytes ?? defaultCheckpointBytes,
      logBytes: createLogMeter(database),
      pauseWriters: () => this.#writes.pause(),
      resumeWriters: () => this.#writes.resume(),
      onCheckpoint: () => (this.#counted.checkpoints += 1),
      onFatal,
    });
    this.#notices = new Notices({
      dataVersion,
      everyMs: options.noticeEveryMs ?? defaultNoticeEveryMs,
    });
  }

  get counters(): StoreCounters {
    return { ...this.#counted };
  }

  async create(
    run: NewRun,
  ): Promise<{ readonly runId: string; readonly created: boolean; readonly position: Position }> {
    this.#assertOpen();
    checkNewRun(run);
    if (run.claim === true) this.#assertDriver();
    const encoded = encodeEntries(run.append.entries);
    const size = sizeOf(encoded);
    const { value, position } = await this.#writes.write(size, () => this.#runRows.create(run, encoded));
    if (value.created) {
      this.#countAppend(run.append, size);
      if (run.claim !== true) this.#notices.announce(run.runId);
    }
    return { ...value, position };
  }

  async claim(runId: string): Promise<ClaimedRun | undefined> {
    this.#assertOpen();
    this.#assertDriver();
    const { value } = await this.#writes.write(0, () => this.#runRows.claim(runId));
    return value;
  }

  async append(batch: AppendBatch): Promise<Position> {
    this.#assertOpen();
    this.#assertDriver();
    const encoded = encodeEntries(batch.append.entries);
    const size = sizeOf(encoded);
    const { position } = await this.#writes.write(size, () => this.#journal.append(batch, encoded));
    this.#countAppend(batch.append, size);
    return position;
  }

  async synced(position?: Position): Promise<void> {
    this.#assertOpen();
    await this.#sync.synced(position);
  }

  async read(runId: string, options: ReadOptions = {}): Promise<readonly Append[]> {
    const { afterSeq = 0, bodies = 'inline' } = options;
    const limit = boundedLimit(options.limit, maxReadAppends, maxReadAppends);
    return this.#look(() => this.#journal.read(runId, { afterSeq, limit, bodies }));
  }

  async snapshot(runId: string): Promise<Snapshot | undefined> {
    return this.#look(() => this.#journal.snapshot(runId));
  }

  async run(runId: string): Promise<RunSummary | undefined> {
    return this.#look(() => this.#runRows.run(runId));
  }

  async runs(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    return this.#look(() => this.#runRows.runs(filter));
  }

  async post(post: Post): Promise<Posted> {
    this.#assertOpen();
    checkPost(post);
    const body = JSON.stringify(post.body);
    const { value, position } = await this.#writes.write(body.length, () => this.#inbox.post(post, body));
    // Whether it was this post or an earlier one: what the answer speaks of has to last.
    await this.#sync.synced(position);
    if (value.accepted) {
      this.#counted.bytesWritten += body.length;
      this.#notices.announce(post.runId);
    }
    return value;
  }

  async posts(runId: string, cursor: number): Promise<readonly PostedItem[]> {
    return this.#look(() => this.#inbox.posts(runId, cursor));
  }

  async postWithKey(runId: string, uniqueKey: string): Promise<PostedItem | undefined> {
    return this.#look(() => this.#inbox.postWithKey(runId, uniqueKey));
  }

  async due(nowMs: number, limit: number): Promise<readonly string[]> {
    return this.#look(() => this.#runRows.due(nowMs, limit));
  }

  async nextWakeAtMs(): Promise<number | undefined> {
    return this.#look(() => this.#runRows.nextWakeAtMs());
  }

  onNotice(listener: (runId?: string) => void): () => void {
    this.#assertOpen();
    return this.#notices.listen(listener);
  }

  async keepDeclarations(declarations: readonly { readonly hash: string; readonly text: string }[]): Promise<void> {
    const missing = declarations.filter(({ hash }) => this.#look(() => this.#journal.body(hash)) === undefined);
    // Asked for at once, they are committed in groups.
    await Promise.all(
      missing.map(({ hash, text }) => this.#writes.write(text.length, () => this.#journal.keepBody(hash, text))),
    );
  }

  async keepCopy(copy: RunCopy): Promise<boolean> {
    this.#assertOpen();
    const encoded = copy.appends.map(({ entries }) => encodeEntries(entries));
    const size = encoded.reduce((sum, each) => sum + sizeOf(each), 0);
    const { value, position } = await this.#writes.write(size, () => this.#runRows.keepCopy(copy, encoded));
    await this.#sync.synced(position);
    return value;
  }

  async body(hash: string): Promise<string | undefined> {
    return this.#look(() => this.#journal.body(hash));
  }

  async upstreams(): Promise<readonly UpstreamRecord[]> {
    return this.#look(() => this.#upstreamRows.all());
  }

  async keepUpstream(kept: KeptUpstream): Promise<Position> {
    this.#assertOpen();
    this.#assertDriver();
    const { position } = await this.#writes.write(0, () => this.#upstreamRows.keep(kept));
    return position;
  }

  async orderUpstream(name: string, order: Omit<StoredOrder, 'number'>): Promise<number> {
    this.#assertOpen();
    const { value, position } = await this.#writes.write(0, () => this.#upstreamRows.order(name, order));
    await this.#sync.synced(position);
    this.#notices.announce();
    return value;
  }

  async close(): Promise<void> {
    this.#closing ??= this.#finish();
    await this.#closing;
  }

  async #finish(): Promise<void> {
    this.#notices.close();
    await this.#writes.drained();
    await this.#sync.close();
    await this.#checkpointer.close();
    try {
      // The last one that closes the file also removes the log; a driver that leaves clients behind at least leaves little of it to them.
      if (this.canDrive) this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      this.#database.close();
    } finally {
      this.#opened.lock?.release();
    }
  }

  #countAppend(append: Append, size: number): void {
    this.#counted.appends += 1;
    this.#counted.rows += append.entries.length;
    this.#counted.bytesWritten += size;
  }

  /** Reads in this thread; only what is committed is seen, since a transaction never outlives one turn of the loop. */
  #look<T>(read: () => T): T {
    this.#assertOpen();
    try {
      return read();
    } catch (error) {
      throw toStoreError(error, 'reading');
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new AxleError('store-closed', 'The store was used after it was closed.');
  }

  #assertDriver(): void {
    if (!this.canDrive) {
      throw new AxleError('store-locked', `${this.#opened.path} was opened as a client, and only the driver appends.`);
    }
  }

  #fail(error: AxleError): void {
    this.#writes.refuse(error);
    (this.#opened.options.onFatal ?? endProcess)(error);
  }
}

function sizeOf(encoded: ReturnType<typeof encodeEntries>): number {
  return encoded.bodies.reduce((sum, body) => sum + body.text.length, encoded.text.length);
}

function createLogMeter(database: DatabaseSync): () => number {
  const page = database.prepare('PRAGMA page_size').get();
  const pageBytes = page === undefined ? 0 : numberOf(page, 'page_size');
  const look = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  return () => {
    const row = look.get();
    return row === undefined ? 0 : numberOf(row, 'log') * pageBytes;
  };
}

function createVersionMeter(database: DatabaseSync): () => number {
  const look = database.prepare('PRAGMA data_version');
  // Asked at every commit: an array costs less than an object with a name in it.
  look.setReturnArrays(true);
  return () => Number(look.get()?.[0]);
}

/** What is not certain must not be acted upon, so nothing of this process may go on: not even a handler that was about to answer. */
function endProcess(error: AxleError): void {
  writeSync(process.stderr.fd, `axle: ${error.code}: ${error.message} ${error.remedy}\n`);
  process.exit(70);
}
