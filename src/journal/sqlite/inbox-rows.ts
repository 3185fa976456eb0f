/** What others post to runs, as rows. `post` runs inside a transaction of `GroupCommit` and decides before it writes (W2). */
import type { DatabaseSync } from 'node:sqlite';
import { inboxFull, runEnded, unknownRun } from '../checks.ts';
import { maxPosts, maxUnreadPosts } from '../limits.ts';
import { postKinds, type Post, type PostedItem } from '../store.ts';
import type { OwnerCache } from './owner-cache.ts';
import { jsonOf, numberOf, optionalTextOf, textOf, wordOf, type Row } from './row-reader.ts';
import { defined } from '../../util/defined.ts';

/** Whether a post was taken, or which one was there before it. */
export interface Posted {
  readonly inboxId: number;
  readonly accepted: boolean;
  readonly first?: PostedItem;
}

const itemOf = 'SELECT runs.run_id, inbox.* FROM inbox JOIN runs ON runs.run_key = inbox.run_key';

export class InboxRows {
  readonly #owners: OwnerCache;
  readonly #selectRun;
  readonly #selectFirst;
  readonly #countUnread;
  readonly #insertPost;
  readonly #noteOnRun;
  readonly #selectPosts;
  readonly #selectWithKey;

  constructor(database: DatabaseSync, owners: OwnerCache) {
    this.#owners = owners;
    this.#selectRun = database.prepare('SELECT run_key, state FROM runs WHERE run_id = ?');
    this.#selectFirst = database.prepare(`${itemOf} WHERE inbox.run_key = ? AND inbox.unique_key = ?`);
    this.#countUnread = database.prepare(`
      SELECT count(*) AS unread FROM inbox
      WHERE run_key = ?1 AND inbox_id > (SELECT inbox_cursor FROM runs WHERE run_key = ?1)`);
    this.#insertPost = database.prepare(
      'INSERT INTO inbox (run_key, kind, body, unique_key, at_ms) VALUES (?, ?, ?, ?, ?)',
    );
    this.#noteOnRun = database.prepare('UPDATE runs SET last_post_id = ? WHERE run_key = ?');
    this.#selectPosts = database.prepare(
      `${itemOf} WHERE runs.run_id = ? AND inbox.inbox_id > ? ORDER BY inbox.inbox_id LIMIT ${maxPosts}`,
    );
    this.#selectWithKey = database.prepare(`${itemOf} WHERE runs.run_id = ? AND inbox.unique_key = ?`);
  }

  /** @throws AxleError `run-unknown`, `run-ended`, `limit-exceeded` */
  post(post: Post, body: string): Posted {
    const run = this.#selectRun.get(post.runId);
    if (run === undefined) throw unknownRun(post.runId);
    const runKey = numberOf(run, 'run_key');
    const first = post.uniqueKey === undefined ? undefined : this.#selectFirst.get(runKey, post.uniqueKey);
    if (first !== undefined) return { inboxId: numberOf(first, 'inbox_id'), accepted: false, first: toItem(first) };
    if (textOf(run, 'state') === 'ended') throw runEnded(post.runId);
    if (post.kind === 'message' && numberOf(this.#countUnread.get(runKey) ?? {}, 'unread') >= maxUnreadPosts) {
      throw inboxFull(post.runId);
    }
    /* @crashpoint sqlite-post-before */
    const inserted = this.#insertPost.run(runKey, post.kind, body, post.uniqueKey ?? null, post.atMs);
    this.#owners.forget(post.runId);
    this.#noteOnRun.run(inserted.lastInsertRowid, runKey);
    /* @crashpoint sqlite-post-after */
    return { inboxId: Number(inserted.lastInsertRowid), accepted: true };
  }

  posts(runId: string, cursor: number): readonly PostedItem[] {
    return this.#selectPosts.all(runId, cursor).map(toItem);
  }

  postWithKey(runId: string, uniqueKey: string): PostedItem | undefined {
    const row = this.#selectWithKey.get(runId, uniqueKey);
    return row === undefined ? undefined : toItem(row);
  }
}

function toItem(row: Row): PostedItem {
  return {
    inboxId: numberOf(row, 'inbox_id'),
    runId: textOf(row, 'run_id'),
    kind: wordOf(row, 'kind', postKinds),
    body: jsonOf(row, 'body'),
    ...defined({ uniqueKey: optionalTextOf(row, 'unique_key') }),
    atMs: numberOf(row, 'at_ms'),
  };
}
