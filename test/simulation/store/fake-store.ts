/** The store port over a fake disk: what one process sees of it, through the gate of its incarnation. */
import { AxleError } from '../../../src/error/axle-error.ts';
import type { Append } from '../../../src/journal/entry.ts';
import type {
  AppendBatch,
  ClaimedRun,
  KeptUpstream,
  NewRun,
  Position,
  Post,
  PostedItem,
  RunFilter,
  RunSummary,
  Snapshot,
  Store,
  StoredOrder,
  UpstreamRecord,
} from '../../../src/journal/store.ts';
import type { FakeDisk } from './fake-disk.ts';
import type { PointKind } from '../machine/fault.ts';

/** How an operation reaches the disk: at once, or when a scheduler lets it. */
export interface Gate {
  readonly name: string;
  call<T>(label: string, kind: PointKind, operation: () => T): Promise<T>;
  /** Lets a process know of something; nothing waits for it. */
  notify(task: () => void): void;
  /** Real time of the disk, for its outages. */
  nowMs(): number;
}

/** A gate that is always open. */
export const openGate: Gate = {
  name: 'direct',
  call: async (_label, _kind, operation) => operation(),
  notify: (task) => task(),
  nowMs: () => Infinity,
};

/** Notices reach every process through this. */
export class NoticeBoard {
  readonly #listeners = new Set<(runId?: string) => void>();
  listen(listener: (runId?: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  /** Without a run: anything may have become due. */
  announce(runId?: string): void {
    for (const listener of this.#listeners) listener(runId);
  }
}

export interface FakeStoreOptions {
  readonly gate?: Gate;
  readonly board?: NoticeBoard;
  readonly canDrive?: boolean;
  /** Which runs this process is offered: several workers share them by leases, which may err. */
  readonly mayTake?: (runId: string) => boolean;
}

export class FakeStore implements Store {
  readonly storeId = 'store-fake';
  readonly canDrive: boolean;
  readonly #disk: FakeDisk;
  readonly #gate: Gate;
  readonly #board: NoticeBoard;
  readonly #mayTake: (runId: string) => boolean;
  #isClosed = false;

  constructor(disk: FakeDisk, options: FakeStoreOptions = {}) {
    this.#disk = disk;
    this.#gate = options.gate ?? openGate;
    this.#board = options.board ?? new NoticeBoard();
    this.canDrive = options.canDrive ?? true;
    this.#mayTake = options.mayTake ?? (() => true);
  }

  create(run: NewRun): Promise<{ readonly runId: string; readonly created: boolean; readonly position: Position }> {
    return this.#do('create', 'write', () => {
      const created = this.#disk.create(run, this.#gate.name);
      if (created.created && run.claim !== true) this.#board.announce(created.runId);
      return created;
    });
  }

  claim(runId: string): Promise<ClaimedRun | undefined> {
    return this.#do('claim', 'write', () => this.#disk.claim(runId, this.#gate.name));
  }

  append(batch: AppendBatch): Promise<Position> {
    return this.#do('append', 'write', () => this.#disk.append(batch, this.#gate.name));
  }

  synced(position?: Position): Promise<void> {
    return this.#do('synced', 'sync', () => this.#disk.sync(position));
  }

  read(
    runId: string,
    options: { readonly afterSeq?: number; readonly limit?: number } = {},
  ): Promise<readonly Append[]> {
    return this.#do('read', 'read', () => this.#disk.read(runId, options.afterSeq ?? 0, options.limit ?? 1_000));
  }

  /** Every value stands in its entry here. */
  body(_hash: string): Promise<string | undefined> {
    return this.#do('body', 'read', () => undefined);
  }

  snapshot(runId: string): Promise<Snapshot | undefined> {
    return this.#do('snapshot', 'read', () => this.#disk.snapshot(runId));
  }

  run(runId: string): Promise<RunSummary | undefined> {
    return this.#do('run', 'read', () => this.#disk.summary(runId));
  }

  runs(filter: RunFilter = {}): Promise<readonly RunSummary[]> {
    return this.#do('runs', 'read', () => {
      const newestFirst = this.#disk.summaries().toReversed();
      const before = newestFirst.findIndex((run) => run.runId === filter.beforeRunId);
      if (filter.beforeRunId !== undefined && before === -1) return [];
      const isWanted = (run: RunSummary): boolean =>
        (filter.states?.includes(run.status.state) ?? true) &&
        run.subject === (filter.subject ?? run.subject) &&
        (filter.session === undefined || run.session === filter.session) &&
        (filter.keepsLocks === undefined || run.status.keptLocks !== undefined);
      return newestFirst
        .slice(before + 1)
        .filter(isWanted)
        .slice(0, filter.limit ?? 100);
    });
  }

  post(post: Post): Promise<{ readonly inboxId: number; readonly accepted: boolean; readonly first?: PostedItem }> {
    return this.#do('post', 'write', () => {
      const posted = this.#disk.post(post, this.#gate.name);
      if (posted.accepted) this.#board.announce(post.runId);
      return posted;
    });
  }

  posts(runId: string, cursor: number): Promise<readonly PostedItem[]> {
    return this.#do('posts', 'read', () => this.#disk.posts(runId, cursor));
  }

  postWithKey(runId: string, uniqueKey: string): Promise<PostedItem | undefined> {
    return this.#do('post-with-key', 'read', () => this.#disk.postWithKey(runId, uniqueKey));
  }

  due(nowMs: number, limit: number): Promise<readonly string[]> {
    return this.#do('due', 'read', () =>
      this.#disk
        .wakeTimes()
        .filter((run) => run.atMs <= nowMs && this.#mayTake(run.runId))
        .toSorted((a, b) => a.atMs - b.atMs)
        .slice(0, limit)
        .map((run) => run.runId),
    );
  }

  nextWakeAtMs(): Promise<number | undefined> {
    return this.#do('next-wake', 'read', () => {
      const next = Math.min(
        ...this.#disk
          .wakeTimes()
          .filter((run) => run.atMs > 0 && this.#mayTake(run.runId))
          .map((run) => run.atMs),
      );
      return next === Infinity ? undefined : next;
    });
  }

  onNotice(listener: (runId?: string) => void): () => void {
    return this.#board.listen((runId) => {
      this.#gate.notify(() => {
        if (runId === undefined || this.#mayTake(runId)) listener(runId);
      });
    });
  }

  upstreams(): Promise<readonly UpstreamRecord[]> {
    return this.#do('upstreams', 'read', () => this.#disk.upstreams());
  }

  keepUpstream(kept: KeptUpstream): Promise<Position> {
    return this.#do('keep-upstream', 'write', () => this.#disk.keepUpstream(kept, this.#gate.name));
  }

  orderUpstream(name: string, order: Omit<StoredOrder, 'number'>): Promise<number> {
    return this.#do('order-upstream', 'write', () => {
      const number = this.#disk.orderUpstream(name, order, this.#gate.name);
      this.#board.announce();
      return number;
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
  }

  async #do<T>(label: string, kind: PointKind, operation: () => T): Promise<T> {
    if (this.#isClosed) throw new AxleError('store-closed', 'The store was used after it was closed.');
    return this.#gate.call(label, kind, () => {
      const failsUntilMs =
        kind === 'read'
          ? this.#disk.readsFailUntilMs
          : Math.max(this.#disk.readsFailUntilMs, this.#disk.writesFailUntilMs);
      if (kind !== 'sync' && this.#gate.nowMs() < failsUntilMs) {
        throw new AxleError('store-unavailable', 'The store does not answer.');
      }
      return operation();
    });
  }
}
