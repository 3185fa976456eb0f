/**
 * What an append has to know of its run, kept from the append before: a run that simply goes on then costs one statement and not two.
 *
 * O1 What is here is what the transaction would read: it was read or written by this connection, and `PRAGMA data_version` says at the beginning of each
 *    transaction that no other connection has committed since. When one has, everything is forgotten.
 * O2 Whoever changes a run otherwise (claim, post) has it forgotten; so does a rollback, for all runs.
 * O3 The unique index on (run, sequence) stands behind it, as it does behind the read.
 */

/** A run as an append finds it. */
export interface Owner {
  readonly runKey: number;
  readonly epoch: number;
  /** Of the last entry. */
  readonly seq: number;
  readonly lastPostId: number;
  readonly inboxCursor: number;
  /** True when the row says that the run goes on and waits for nothing. */
  readonly isSimplyActive: boolean;
}

/** Runs kept at most; beyond that all are forgotten, and read again as they come. */
const maxOwners = 4_096;

export class OwnerCache {
  readonly #dataVersion: () => number;
  readonly #owners = new Map<string, Owner>();
  #version = -1;

  /** `dataVersion` changes when another connection has committed. */
  constructor(dataVersion: () => number) {
    this.#dataVersion = dataVersion;
  }

  /** A transaction begins (O1). */
  begin(): void {
    const version = this.#dataVersion();
    if (version === this.#version) return;
    this.#version = version;
    this.#owners.clear();
  }

  get(runId: string): Owner | undefined {
    return this.#owners.get(runId);
  }

  set(runId: string, owner: Owner): void {
    if (this.#owners.size >= maxOwners) this.#owners.clear();
    this.#owners.set(runId, owner);
  }

  forget(runId: string): void {
    this.#owners.delete(runId);
  }

  /** A transaction was rolled back (O2). */
  clear(): void {
    this.#owners.clear();
  }
}
