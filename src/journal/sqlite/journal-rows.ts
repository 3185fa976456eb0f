/**
 * Appends and snapshots as rows. `append` runs inside a transaction of `GroupCommit` and decides before it writes (W2).
 *
 * The fence (S2): the transaction is the only writer, so what it reads of the run's epoch and of the end of its journal holds until the commit.
 * The unique index on (run, sequence) stands behind it.
 */
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { AxleError } from '../../error/axle-error.ts';
import { fenceProblem, outdatedProblem, unknownRun } from '../checks.ts';
import { type DecodeOptions, decodeEntries, type EncodedEntries } from '../codec.ts';
import { formatVersion, lastSeqOf, type Append } from '../entry.ts';
import type { AppendBatch, ReadOptions, RunStatus, Snapshot } from '../store.ts';
import type { Owner, OwnerCache } from './owner-cache.ts';
import { jsonOf, numberOf, textOf, type Row } from './row-reader.ts';
import type { UpstreamRows } from './upstream-rows.ts';

export class JournalRows {
  readonly #owners: OwnerCache;
  readonly #selectOwner;
  readonly #insertAppend;
  readonly #insertBody;
  readonly #updateStatus;
  readonly #upsertSnapshot;
  readonly #freePostKey;
  readonly #selectAppends;
  readonly #selectBody;
  readonly #selectBodySize;
  readonly #selectSnapshot;
  readonly #upstreams: UpstreamRows;

  constructor(
    database: DatabaseSync,
    { owners, upstreams }: { readonly owners: OwnerCache; readonly upstreams: UpstreamRows },
  ) {
    this.#owners = owners;
    this.#upstreams = upstreams;
    this.#selectOwner = database.prepare(`
      SELECT run_key, epoch, last_post_id, inbox_cursor, state = 'active' AND wake_at_ms IS NULL AND waiting_on IS NULL AND kept_locks IS NULL AS simply_active,
        (SELECT last_seq FROM journal WHERE journal.run_key = runs.run_key ORDER BY last_seq DESC LIMIT 1) AS seq
      FROM runs WHERE run_id = ?`);
    this.#insertAppend = database.prepare(`
      INSERT INTO journal (run_key, last_seq, entry_count, epoch, at_ms, steps, format, checksum, entries) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    this.#insertBody = database.prepare('INSERT INTO bodies (hash, body) VALUES (?, ?) ON CONFLICT (hash) DO NOTHING');
    this.#updateStatus = database.prepare(`
      UPDATE runs SET state = ?, wake_at_ms = ?, waiting_on = ?, ending = ?, kept_locks = ?, inbox_cursor = max(inbox_cursor, ?) WHERE run_key = ?`);
    this.#upsertSnapshot = database.prepare(`
      INSERT INTO snapshots (run_key, seq, state) VALUES (?, ?, ?) ON CONFLICT (run_key) DO UPDATE SET seq = excluded.seq, state = excluded.state`);
    this.#freePostKey = database.prepare('UPDATE inbox SET unique_key = NULL WHERE inbox_id = ? AND run_key = ?');
    this.#selectAppends = database.prepare(`
      SELECT last_seq, entry_count, epoch, at_ms, format, checksum, entries FROM journal
      WHERE run_key = (SELECT run_key FROM runs WHERE run_id = ?) AND last_seq > ? ORDER BY last_seq LIMIT ?`);
    this.#selectBody = database.prepare('SELECT body FROM bodies WHERE hash = ?');
    this.#selectBodySize = database.prepare('SELECT octet_length(body) AS size FROM bodies WHERE hash = ?');
    this.#selectSnapshot = database.prepare(
      'SELECT seq, state FROM snapshots WHERE run_key = (SELECT run_key FROM runs WHERE run_id = ?)',
    );
  }

  /** @throws AxleError `append-fenced`, `append-outdated`, `run-unknown` */
  append(batch: AppendBatch, encoded: EncodedEntries): void {
    const { runId, append, status } = batch;
    const owner = this.#owners.get(runId) ?? this.#readOwner(runId);
    const { runKey, epoch, seq, lastPostId } = owner;
    const problem = fenceProblem(append, { runId, epoch, seq });
    if (problem !== undefined) throw problem;
    const outdated = outdatedProblem(batch, lastPostId);
    if (outdated !== undefined) throw outdated;
    /* @crashpoint sqlite-append-before */
    this.writeAppend(runKey, append, { encoded, steps: status.steps });
    // What most appends say of their run is what stands there already: they write the journal alone.
    const inboxCursor = Math.max(batch.inboxCursor ?? 0, owner.inboxCursor);
    const goesOn = isSimplyActive(status);
    if (!owner.isSimplyActive || !goesOn || inboxCursor > owner.inboxCursor) {
      this.#writeStatus(runKey, status, inboxCursor);
    }
    if (status.state === 'ended') this.#owners.forget(runId);
    else {
      this.#owners.set(runId, {
        runKey,
        epoch,
        seq: lastSeqOf(append),
        lastPostId,
        inboxCursor,
        isSimplyActive: goesOn,
      });
    }
    if (batch.snapshot !== undefined) {
      /* @crashpoint sqlite-snapshot-before */
      this.#upsertSnapshot.run(runKey, batch.snapshot.seq, JSON.stringify(batch.snapshot.state));
      /* @crashpoint sqlite-snapshot-after */
    }
    for (const inboxId of batch.refusedPosts ?? []) this.#freePostKey.run(inboxId, runKey);
    for (const kept of batch.upstreams ?? []) this.#upstreams.keep(kept);
    /* @crashpoint sqlite-append-after */
  }

  /** @throws AxleError `run-unknown` */
  #readOwner(runId: string): Owner {
    const row = this.#selectOwner.get(runId);
    if (row === undefined) throw unknownRun(runId);
    return {
      runKey: numberOf(row, 'run_key'),
      epoch: numberOf(row, 'epoch'),
      seq: numberOf(row, 'seq'),
      lastPostId: numberOf(row, 'last_post_id'),
      inboxCursor: numberOf(row, 'inbox_cursor'),
      isSimplyActive: row['simply_active'] === 1,
    };
  }

  /** One row and its bodies, without any check. */
  writeAppend(
    runKey: number,
    append: Append,
    content: { readonly encoded: EncodedEntries; readonly steps: number },
  ): void {
    const { epoch, atMs, entries } = append;
    const { encoded, steps } = content;
    for (const body of encoded.bodies) this.#insertBody.run(body.hash, body.text);
    this.#insertAppend.get(
      runKey,
      lastSeqOf(append),
      entries.length,
      epoch,
      atMs,
      steps,
      formatVersion,
      crc32(encoded.text),
      encoded.text,
    );
  }

  read(runId: string, { afterSeq, limit, bodies }: Required<ReadOptions>): readonly Append[] {
    const options: DecodeOptions = {
      lookup: this.#lookUp,
      isIntact: true,
      ...(bodies === 'reference' ? { sizeOf: this.#sizeOf } : {}),
    };
    return this.#selectAppends.all(runId, afterSeq, limit).map((row) => toAppend(row, options));
  }

  snapshot(runId: string): Snapshot | undefined {
    const row = this.#selectSnapshot.get(runId);
    return row === undefined ? undefined : { seq: numberOf(row, 'seq'), state: jsonOf(row, 'state') };
  }

  /** Keeps a text under its hash. */
  keepBody(hash: string, text: string): void {
    this.#insertBody.run(hash, text);
  }

  /** The text under a hash. */
  body(hash: string): string | undefined {
    return this.#lookUp(hash);
  }

  readonly #lookUp = (hash: string): string | undefined => {
    const row = this.#selectBody.get(hash);
    return row === undefined ? undefined : textOf(row, 'body');
  };

  /** Told from the head of the row, so that a large body is not read. */
  readonly #sizeOf = (hash: string): number | undefined => {
    const row = this.#selectBodySize.get(hash);
    return row === undefined ? undefined : numberOf(row, 'size');
  };

  #writeStatus(runKey: number, status: RunStatus, inboxCursor: number): void {
    const waitingOn = status.waitingOn.length === 0 ? null : JSON.stringify(status.waitingOn);
    this.#updateStatus.run(
      status.state,
      status.wakeAtMs ?? null,
      waitingOn,
      status.ending ?? null,
      status.keptLocks === undefined ? null : JSON.stringify(status.keptLocks),
      inboxCursor,
      runKey,
    );
  }
}

/** @param options for a text that has its checksum. One that has not is decoded with every check, which names what is wrong with it where that can be told. */
function toAppend(row: Row, options: DecodeOptions): Append {
  const count = numberOf(row, 'entry_count');
  const text = textOf(row, 'entries');
  const isIntact = crc32(text) === numberOf(row, 'checksum');
  const entries = decodeEntries(text, numberOf(row, 'format'), isIntact ? options : { ...options, isIntact });
  if (!isIntact) {
    throw new AxleError('entry-invalid', 'An append does not have the checksum under which it was written.');
  }
  if (entries.length !== count) {
    throw new AxleError('entry-invalid', `An append holds ${entries.length} entries; ${count} were written.`);
  }
  return {
    firstSeq: numberOf(row, 'last_seq') - count + 1,
    epoch: numberOf(row, 'epoch'),
    atMs: numberOf(row, 'at_ms'),
    entries,
  };
}

/** True for the status of a run that goes on and waits for nothing: what most appends say. */
function isSimplyActive(status: RunStatus): boolean {
  return (
    status.state === 'active' &&
    status.wakeAtMs === undefined &&
    status.waitingOn.length === 0 &&
    status.ending === undefined &&
    status.keptLocks === undefined
  );
}
