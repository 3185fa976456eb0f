/**
 * The store port: where journals live. One suite (`test/journal/store-suite.ts`) runs against every implementation.
 *
 * S1 `append` is atomic: all entries of a batch with its run status, bodies, snapshot and consumed inbox, or nothing.
 * S2 `append` succeeds only for the epoch that owns the run and only at the end of the journal, checked in the transaction that writes.
 * S3 Killing the process loses nothing that was committed; a power cut loses nothing that was synced.
 * S4 Positions are totally ordered over the store: what is synced up to one position is synced up to every smaller one.
 * S5 A run's status is what the last append said of it, so listing and waking never fold a journal.
 * S6 A run does not end over what was posted to it: an append that ends it is refused while a post is not taken in.
 * S7 What is kept of an upstream with an append is kept with its entries, or neither is. Of one writer the highest version stays; people's orders are rows of
 *    their own, which no driver overwrites.
 */
import type { Append, RunEnding, RunKind } from './entry.ts';
import type { JsonValue } from '../util/json.ts';
import type { DriftBook } from './drift-book.ts';
import type { ResultCache } from './result-cache.ts';

/** A point in the order of commits of one store since it was opened. */
export type Position = number;

/** What a run waits for. */
export type WaitReason =
  | { readonly kind: 'approval'; readonly approvalId: string; readonly callId: string; readonly expiresAtMs: number }
  | {
      readonly kind: 'authorization';
      /** Several calls wait for one. */
      readonly authorizationId: string;
      readonly callId: string;
      /** Whose permission is missing. */
      readonly upstream: string;
      /** What the upstream said. */
      readonly message: string;
      /** Where it is given. */
      readonly url?: string;
      readonly expiresAtMs: number;
    }
  | { readonly kind: 'doubt'; readonly callId: string }
  | { readonly kind: 'timer'; readonly dueAtMs: number }
  | { readonly kind: 'message' }
  | { readonly kind: 'held'; readonly reason: string; readonly tool?: string };

export const runStates = ['active', 'waiting', 'held', 'ended'] as const;

/**
 * Where a run stands: `active` wants a driver now; `waiting` wants one at `wakeAtMs` or when something is posted; `held` only when its code is back
 * (a driver looks once at every start, when its tools change, and when something is posted); `ended` never.
 */
export interface RunStatus {
  readonly state: (typeof runStates)[number];
  readonly wakeAtMs?: number;
  readonly waitingOn: readonly WaitReason[];
  readonly ending?: RunEnding;
  readonly steps: number;
  /** Locks that calls of the run keep whatever becomes of their driver. Absent: none. */
  readonly keptLocks?: readonly KeptLock[];
}

/** A lock that a call keeps while nobody knows whether it had its effect. */
export interface KeptLock {
  readonly callId: string;
  readonly name: string;
}

/** A run as lists show it. */
export interface RunSummary {
  readonly runId: string;
  readonly kind: RunKind;
  /** Name of the agent, or of the tool of a single call. */
  readonly subject: string;
  readonly key?: string;
  readonly session?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly epoch: number;
  /** Sequence number of the last entry. */
  readonly seq: number;
  readonly status: RunStatus;
  /** True while something is posted to the run that it has not taken in. */
  readonly hasPosts: boolean;
  /** Present for a copy out of a run file: its own store goes on with it, or takes it back. */
  readonly isCopy?: true;
}

export interface NewRun {
  readonly runId: string;
  readonly kind: RunKind;
  readonly subject: string;
  readonly session?: string;
  /** The caller's own name for the request: the same key gives the same run. */
  readonly key?: string;
  /** Hash of what was asked, to tell a repeated request from another one under the same key. Without a key it is compared with nothing. */
  readonly requestHash: string;
  /** The first append, with `run-accepted`; epoch 0, or 1 when `claim` is given. */
  readonly append: Append;
  /** Take the run at once, as its first owner (epoch 1). Only the driver may. */
  readonly claim?: boolean;
}

/** The control state of a run after an entry, so that a resume need not fold from the start. Only a cache: the journal can rebuild it. */
export interface Snapshot {
  readonly seq: number;
  readonly state: JsonValue;
}

/** A run that was carried over from another store, whole. It is for looking at: nobody drives it and nothing is posted to it, so what it did is done once. */
export interface RunCopy {
  readonly runId: string;
  readonly kind: RunKind;
  readonly subject: string;
  readonly session?: string;
  readonly epoch: number;
  /** Absent when it had not ended where it came from. */
  readonly ending?: RunEnding;
  readonly steps: number;
  /** The whole journal, from sequence 1. */
  readonly appends: readonly Append[];
}

export interface AppendBatch {
  readonly runId: string;
  readonly append: Append;
  readonly status: RunStatus;
  readonly snapshot?: Snapshot;
  /** The last inbox id that these entries have taken in. */
  readonly inboxCursor?: number;
  /** Inbox ids that were refused: they lose their `uniqueKey`, which becomes free again. */
  readonly refusedPosts?: readonly number[];
  /** What must be known of upstreams wherever these entries are known. */
  readonly upstreams?: readonly KeptUpstream[];
}

/** What has to be known of an upstream after a restart. */
export interface KeptUpstream {
  readonly name: string;
  /** Who writes it: a worker. */
  readonly writer: string;
  /** Rises with each version of the writer. */
  readonly version: number;
  readonly state: JsonValue;
}

export const upstreamActions = ['open', 'close', 'reset'] as const;

export type UpstreamAction = (typeof upstreamActions)[number];

/** What a person asked for last. */
export interface StoredOrder {
  /** Rises over the store. */
  readonly number: number;
  readonly action: UpstreamAction;
  readonly by?: string;
  readonly reason?: string;
  readonly atMs: number;
}

export interface UpstreamRecord {
  readonly name: string;
  readonly kept?: KeptUpstream;
  readonly order?: StoredOrder;
}

export const postKinds = ['approval', 'authorization', 'resolve', 'cancel', 'message', 'evidence'] as const;

/** What others post to a run. */
export interface Post {
  readonly runId: string;
  readonly kind: (typeof postKinds)[number];
  readonly body: JsonValue;
  /** At most one post with this key is accepted for the run; later ones get the first. */
  readonly uniqueKey?: string;
  readonly atMs: number;
}

export interface PostedItem extends Post {
  /** Rises over the store. */
  readonly inboxId: number;
}

export interface RunFilter {
  readonly states?: readonly RunStatus['state'][];
  readonly subject?: string;
  readonly session?: string;
  /** Only runs whose calls keep locks. */
  readonly keepsLocks?: true;
  /** @defaultValue 100, at most 1,000 */
  readonly limit?: number;
  /** Only runs created before this one (for paging, newest first). */
  readonly beforeRunId?: string;
}

export interface ClaimedRun {
  readonly epoch: number;
  /** The last inbox id that the run has taken in. */
  readonly inboxCursor: number;
}

export interface ReadOptions {
  /** Appends that hold entries after this one. @defaultValue 0 */
  readonly afterSeq?: number;
  /** Appends at most. @defaultValue 1,000, which is also the most */
  readonly limit?: number;
  /**
   * `reference` leaves large inputs and outputs where the store keeps them, and names them (`body-reference.ts`), for readers of the course of a run.
   * @defaultValue 'inline'
   */
  readonly bodies?: 'inline' | 'reference';
}

export interface Store {
  /** The identity of the store, made with it. */
  readonly storeId: string;
  /** True when this process is the only one that may append (see `driver` of the SQLite store). */
  readonly canDrive: boolean;

  /** Kept results beside the journals, for a store that keeps them; otherwise they live as long as the process. */
  readonly results?: ResultCache;
  /** Alerts about drift beside the journals, for a store that keeps them. */
  readonly drifts?: DriftBook;

  /**
   * Accepts a run. With a `key` that is known, nothing is written and the first run comes back.
   * @throws AxleError `run-key-reused` when the key belongs to another request; `store-unavailable`.
   */
  create(run: NewRun): Promise<{ readonly runId: string; readonly created: boolean; readonly position: Position }>;
  /** Raises the epoch and hands the run over. Undefined when there is no such run. */
  claim(runId: string): Promise<ClaimedRun | undefined>;
  /**
   * Writes entries. Resolves once they are committed (S3); `synced` tells when they are on the disk.
   * @throws AxleError `append-fenced`, `append-outdated` (S6), `append-unconfirmed`, `store-unavailable`
   */
  append(batch: AppendBatch): Promise<Position>;
  /**
   * Resolves when everything up to `position` is on the disk; without one, or for one that is not reached yet, everything that is committed now, also by others.
   * @throws AxleError `store-failed`
   */
  synced(position?: Position): Promise<void>;

  /** Appends in order. */
  read(runId: string, options?: ReadOptions): Promise<readonly Append[]>;
  /** The JSON text of a value that stands elsewhere, by the hash in its place; also the declaration of a contract that was kept. */
  body(hash: string): Promise<string | undefined>;
  snapshot(runId: string): Promise<Snapshot | undefined>;
  run(runId: string): Promise<RunSummary | undefined>;
  /** Newest first. */
  runs(filter?: RunFilter): Promise<readonly RunSummary[]>;

  /**
   * Posts to a run; durable (synced) when it resolves. `first` is the earlier post when `uniqueKey` was taken.
   * @throws AxleError `run-unknown`, `run-ended`, `limit-exceeded` for a message when 1,000 posts of the run are not taken in
   */
  post(post: Post): Promise<{ readonly inboxId: number; readonly accepted: boolean; readonly first?: PostedItem }>;
  /** What was posted after `cursor`, in order, at most 100. */
  posts(runId: string, cursor: number): Promise<readonly PostedItem[]>;
  /** The post that holds `uniqueKey` now: accepted, and not refused since. Committed; whoever tells of it waits for `synced`. */
  postWithKey(runId: string, uniqueKey: string): Promise<PostedItem | undefined>;

  /**
   * Runs that want a driver at `nowMs`: active ones, waiting ones whose time has come, and those with posts that are not taken in.
   * Oldest first, at most `limit`.
   */
  due(nowMs: number, limit: number): Promise<readonly string[]>;
  /** The next time at which a waiting run wants a driver. */
  nextWakeAtMs(): Promise<number | undefined>;
  /**
   * Calls back when something may have become due through `create` or `post`, also by another process; the run is named when it is known.
   * Returns the way to stop.
   */
  onNotice(listener: (runId?: string) => void): () => void;

  /** Keeps declarations of contracts under their hashes, for whoever wants to know later what a run was accepted with. Those that are kept cost nothing. */
  keepDeclarations?(declarations: readonly { readonly hash: string; readonly text: string }[]): Promise<void>;
  /**
   * Keeps a copy of a run under its id, all of it or nothing; it stands as ended, without an ending when it had none. False when a run has the id already.
   * Durable (synced) when it resolves.
   */
  keepCopy?(copy: RunCopy): Promise<boolean>;
  /** What is known of upstreams, by name. */
  upstreams(): Promise<readonly UpstreamRecord[]>;
  /** Keeps what no entry tells of. Only a driver may. */
  keepUpstream(kept: KeptUpstream): Promise<Position>;
  /** Takes in what a person asks for; durable (synced) when it resolves, with the number of the order. @throws AxleError `limit-exceeded` for a name that is too long */
  orderUpstream(name: string, order: Omit<StoredOrder, 'number'>): Promise<number>;

  close(): Promise<void>;
}
