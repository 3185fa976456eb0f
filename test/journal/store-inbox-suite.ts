/** The part of `store-suite.ts` about what is posted to a run: in order, once, within limits, and never passed over by its end. (S6) */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/journal/store.ts';
import { batch, coded, endedStatus, message, messages, newRun, post } from './sample-entries.ts';

export function inboxSuite(openedStore: () => Store, claimed: (runId: string) => Promise<void>): void {
  let store: Store;
  beforeEach(() => {
    store = openedStore();
  });

  describe('posts', () => {
    test('are handed over in order, after a cursor, for their run only', async () => {
      await claimed('run_1');
      await claimed('run_2');
      const first = await store.post(post('run_1', { body: { text: 'one' } }));
      await store.post(post('run_2'));
      const second = await store.post(post('run_1', { kind: 'cancel', body: { reason: 'enough' } }));
      expect(second.inboxId).toBeGreaterThan(first.inboxId);
      expect(await store.posts('run_1', 0)).toEqual([
        { ...post('run_1', { body: { text: 'one' } }), inboxId: first.inboxId },
        { ...post('run_1', { kind: 'cancel', body: { reason: 'enough' } }), inboxId: second.inboxId },
      ]);
      expect((await store.posts('run_1', first.inboxId)).map((item) => item.kind)).toEqual(['cancel']);
    });

    test('the first answer under a key wins and later ones are handed the first', async () => {
      await claimed('run_1');
      const yes = post('run_1', { kind: 'approval', body: { decision: 'approve' }, uniqueKey: 'approval ap_1' });
      const { inboxId } = await store.post(yes);
      const second = await store.post({ ...yes, body: { decision: 'deny' } });
      expect(second).toEqual({ inboxId, accepted: false, first: { ...yes, inboxId } });
      expect(await store.posts('run_1', 0)).toHaveLength(1);
      expect((await store.post({ ...yes, uniqueKey: 'approval ap_2' })).accepted).toBe(true);
    });

    test('the same key in another run is another question', async () => {
      await claimed('run_1');
      await claimed('run_2');
      await store.post(post('run_1', { uniqueKey: 'k' }));
      expect((await store.post(post('run_2', { uniqueKey: 'k' }))).accepted).toBe(true);
    });

    test('the key of a post that was refused is free again', async () => {
      await claimed('run_1');
      const { inboxId } = await store.post(post('run_1', { uniqueKey: 'k' }));
      await store.append(batch('run_1', messages(1, ['no']), { inboxCursor: inboxId, refusedPosts: [inboxId] }));
      expect((await store.posts('run_1', 0)).map((item) => item.uniqueKey)).toEqual([undefined]);
      expect((await store.post(post('run_1', { uniqueKey: 'k' }))).accepted).toBe(true);
    });

    test('the post that holds a key is found, however many came after it', async () => {
      await claimed('run_1');
      const first = await store.post(post('run_1', { body: { text: 'first' }, uniqueKey: 'k' }));
      await Promise.all(Array.from({ length: 120 }, async () => store.post(post('run_1'))));
      expect(await store.postWithKey('run_1', 'k')).toEqual({
        ...post('run_1', { body: { text: 'first' }, uniqueKey: 'k' }),
        inboxId: first.inboxId,
      });
      expect(await store.postWithKey('run_1', 'other')).toBeUndefined();
      expect(await store.postWithKey('run_2', 'k')).toBeUndefined();
      await store.append(batch('run_1', messages(1, ['no']), { refusedPosts: [first.inboxId] }));
      expect(await store.postWithKey('run_1', 'k')).toBeUndefined();
      const second = await store.post(post('run_1', { uniqueKey: 'k' }));
      expect(await store.postWithKey('run_1', 'k')).toMatchObject({ inboxId: second.inboxId });
    });

    test('the cursor that was taken in comes back with a claim and never goes down', async () => {
      await claimed('run_1');
      await store.append(batch('run_1', messages(1, ['a']), { inboxCursor: 7 }));
      await store.append(batch('run_1', messages(2, ['b']), { inboxCursor: 3 }));
      await store.append(batch('run_1', messages(3, ['c'])));
      expect(await store.claim('run_1')).toMatchObject({ inboxCursor: 7 });
    });

    test('a post to a run that is unknown or has ended is refused', async () => {
      await expect(store.post(post('run_1'))).rejects.toThrow(coded('run-unknown'));
      await claimed('run_1');
      await store.post(post('run_1', { uniqueKey: 'k' }));
      await store.append(batch('run_1', messages(1, ['end']), { status: endedStatus, inboxCursor: 1 }));
      await expect(store.post(post('run_1'))).rejects.toThrow(coded('run-ended'));
      expect((await store.post(post('run_1', { uniqueKey: 'k' }))).accepted).toBe(false);
      expect(await store.due(9_999, 10)).toEqual([]);
    });

    test('a look at an inbox returns at most a hundred', async () => {
      await claimed('run_1');
      await Promise.all(Array.from({ length: 105 }, async () => store.post(post('run_1'))));
      const page = await store.posts('run_1', 0);
      expect(page).toHaveLength(100);
      expect(await store.posts('run_1', page.at(-1)?.inboxId ?? 0)).toHaveLength(5);
    });

    test('one that is too large is refused', async () => {
      await claimed('run_1');
      await expect(store.post(post('run_1', { body: 'x'.repeat(5_000_000) }))).rejects.toThrow(coded('limit-exceeded'));
    });
  });

  describe('ending over posts (S6)', () => {
    test('a run does not end while something is posted that it has not taken in', async () => {
      const run = newRun('run-posted', { claim: true });
      await store.create(run);
      const { inboxId } = await store.post({ runId: 'run-posted', kind: 'message', body: { text: 'wait' }, atMs: 5 });
      const ending = {
        runId: 'run-posted',
        append: { firstSeq: 2, epoch: 1, atMs: 6, entries: [message('end')] },
        status: { state: 'ended', waitingOn: [], steps: 1, ending: 'completed' },
      } as const;
      await expect(store.append(ending)).rejects.toMatchObject({ code: 'append-outdated' });
      expect(await store.read('run-posted')).toHaveLength(1);
      expect(await store.run('run-posted')).toMatchObject({ hasPosts: true });
      await store.append({ ...ending, inboxCursor: inboxId });
      expect(await store.run('run-posted')).toMatchObject({ status: { state: 'ended' }, hasPosts: false });
    });

    test('a run that nobody drives takes a thousand messages and no more, and can still be cancelled', async () => {
      await store.create(newRun('run-full'));
      const post = { runId: 'run-full', kind: 'message', body: { text: 'x' }, atMs: 5 } as const;
      await Promise.all(Array.from({ length: 1_000 }, () => store.post(post)));
      await expect(store.post(post)).rejects.toMatchObject({ code: 'limit-exceeded' });
      expect(await store.post({ runId: 'run-full', kind: 'cancel', body: {}, atMs: 6 })).toMatchObject({
        accepted: true,
      });
    });
  });
}
