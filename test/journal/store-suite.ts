/**
 * What every store must do, by the invariants S1 to S6 of `src/journal/store.ts`. Each implementation runs this whole suite;
 * what only one of them can show stands in a file of its own. What is posted to a run has its part in `store-inbox-suite.ts`.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Append, Entry } from '../../src/journal/entry.ts';
import { readAppends } from '../../src/journal/read-appends.ts';
import type { KeptUpstream, RunStatus, Store } from '../../src/journal/store.ts';
import { inboxSuite } from './store-inbox-suite.ts';
import {
  activeStatus,
  attemptFinished,
  batch,
  coded,
  endedStatus,
  message,
  messages,
  newRun,
  post,
} from './sample-entries.ts';

/** A store that is opened anew for each test. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and removes what it left. */
  readonly dispose: () => Promise<void>;
}

const waiting: RunStatus = { state: 'waiting', waitingOn: [{ kind: 'message' }], steps: 2 };

export function storeSuite(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`a store (${name})`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(async () => opened.dispose());

    async function entriesOf(runId: string): Promise<readonly Entry[]> {
      return (await store.read(runId)).flatMap((append) => append.entries);
    }
    async function claimed(runId: string, more: Parameters<typeof newRun>[1] = {}): Promise<void> {
      await store.create(newRun(runId, { claim: true, ...more }));
    }

    describe('accepting runs', () => {
      test('a run that was created is active, unowned and holds its first append', async () => {
        const run = newRun('run_1', { session: 'user-42', key: 'k' });
        expect(await store.create(run)).toMatchObject({ runId: 'run_1', created: true });
        expect(await store.run('run_1')).toEqual({
          runId: 'run_1',
          kind: 'call',
          subject: 'refund',
          session: 'user-42',
          key: 'k',
          createdAtMs: 1_000,
          updatedAtMs: 1_000,
          epoch: 0,
          seq: 1,
          status: { state: 'active', waitingOn: [], steps: 0 },
          hasPosts: false,
        });
        expect(await store.read('run_1')).toEqual([run.append]);
      });

      test('the same key and request give the first run and write nothing', async () => {
        await store.create(newRun('run_1', { key: 'k', requestHash: 'h' }));
        expect(await store.create(newRun('run_2', { key: 'k', requestHash: 'h' }))).toMatchObject({
          runId: 'run_1',
          created: false,
        });
        expect(await store.run('run_2')).toBeUndefined();
      });

      test('the same key for another request is refused', async () => {
        await store.create(newRun('run_1', { key: 'k', requestHash: 'h' }));
        await expect(store.create(newRun('run_2', { key: 'k', requestHash: 'other' }))).rejects.toThrow(
          coded('run-key-reused'),
        );
        expect(await store.run('run_2')).toBeUndefined();
      });

      test('of many starts with one key at once exactly one creates', async () => {
        const answers = await Promise.all(
          Array.from({ length: 20 }, async (_, index) =>
            store.create(newRun(`run_${index}`, { key: 'k', requestHash: 'h' })),
          ),
        );
        expect(answers.filter((answer) => answer.created)).toHaveLength(1);
        expect(new Set(answers.map((answer) => answer.runId)).size).toBe(1);
      });

      test('a run that is claimed as it is created can be appended to at once', async () => {
        await claimed('run_1');
        await store.append(batch('run_1', messages(1, ['a'])));
        expect(await store.run('run_1')).toMatchObject({ epoch: 1, seq: 2 });
      });

      test('a run whose first append does not fit its epoch is refused', async () => {
        const run = newRun('run_1');
        await expect(store.create({ ...run, append: { ...run.append, epoch: 7 } })).rejects.toThrow(coded('internal'));
        for (const firstSeq of [0, 9]) {
          await expect(store.create({ ...run, append: { ...run.append, firstSeq } })).rejects.toThrow(
            coded('internal'),
          );
        }
      });

      test('a run id that is taken is refused and the first run stays', async () => {
        await store.create(newRun('run_1', { subject: 'first' }));
        await expect(store.create(newRun('run_1', { subject: 'second' }))).rejects.toThrow(coded('internal'));
        expect(await store.run('run_1')).toMatchObject({ subject: 'first' });
      });
    });

    describe('appending (S1, S2)', () => {
      test('appends come back in order with their epoch, time and sequence', async () => {
        await claimed('run_1');
        const appends = [messages(1, ['a', 'b']), messages(3, ['c']), messages(4, ['d', 'e', 'f'])];
        for (const append of appends) await store.append(batch('run_1', append));
        expect((await store.read('run_1')).slice(1)).toEqual(appends);
        expect(await store.run('run_1')).toMatchObject({ seq: 7, updatedAtMs: 2_004 });
      });

      test('reading goes on after a sequence number and stops at a limit', async () => {
        await claimed('run_1');
        for (let seq = 1; seq <= 5; seq += 1) await store.append(batch('run_1', messages(seq, [`m${seq}`])));
        const after = await store.read('run_1', { afterSeq: 2, limit: 2 });
        expect(after.map((append) => append.firstSeq)).toEqual([3, 4]);
        expect(await store.read('run_1', { afterSeq: 6 })).toEqual([]);
        expect(await store.read('run_unknown')).toEqual([]);
      });

      test('a journal of more than one page is read to its end', async () => {
        await claimed('run_1');
        const writes = Array.from({ length: 2_100 }, async (_, index) =>
          store.append(batch('run_1', messages(index + 1, ['m']))),
        );
        await Promise.all(writes);
        const seqs: number[] = [];
        for await (const append of readAppends(store, 'run_1', { afterSeq: 2 })) seqs.push(append.firstSeq);
        expect(seqs).toEqual(Array.from({ length: 2_099 }, (_, index) => index + 3));
      });

      test('an append that holds the sequence number asked for is returned whole', async () => {
        await claimed('run_1');
        await store.append(batch('run_1', messages(1, ['a', 'b', 'c'])));
        expect((await store.read('run_1', { afterSeq: 2 })).map((append) => append.firstSeq)).toEqual([2]);
      });

      test('appends queued without waiting are all kept, in order', async () => {
        await claimed('run_1');
        await Promise.all(
          Array.from({ length: 200 }, async (_, index) =>
            store.append(batch('run_1', messages(index + 1, [`m${index}`]))),
          ),
        );
        expect((await entriesOf('run_1')).slice(1)).toEqual(
          Array.from({ length: 200 }, (_, index) => message(`m${index}`)),
        );
      });

      test('an append of an old epoch is fenced and leaves nothing', async () => {
        await claimed('run_1');
        expect(await store.claim('run_1')).toMatchObject({
          epoch: 2,
          inboxCursor: 0,
        });
        expect(await store.run('run_1')).toMatchObject({ epoch: 2, seq: 1 });
        await expect(store.append(batch('run_1', messages(1, ['late']), { status: endedStatus }))).rejects.toThrow(
          coded('append-fenced'),
        );
        expect(await store.read('run_1')).toHaveLength(1);
        expect(await store.run('run_1')).toMatchObject({ seq: 1, epoch: 2, status: { state: 'active' } });
      });

      test.each([
        ['before', 0],
        ['after', 2],
      ])('an append %s the end of the journal is fenced', async (_, lastSeq) => {
        await claimed('run_1');
        await expect(store.append(batch('run_1', messages(lastSeq, ['x'])))).rejects.toThrow(coded('append-fenced'));
        expect(await store.read('run_1')).toHaveLength(1);
      });

      test('a fenced append does not fail those that are written with it', async () => {
        await claimed('run_1');
        await claimed('run_2');
        const large = attemptFinished('y'.repeat(5_000));
        const outcomes = await Promise.allSettled([
          store.append(batch('run_1', messages(1, ['a']))),
          store.append(
            batch(
              'run_2',
              { ...messages(7, ['b']), entries: [large] },
              { snapshot: { seq: 8, state: {} }, inboxCursor: 9 },
            ),
          ),
          store.append(batch('run_1', messages(2, ['c']))),
        ]);
        expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await entriesOf('run_1')).toHaveLength(3);
        expect(await entriesOf('run_2')).toHaveLength(1);
        expect(await store.snapshot('run_2')).toBeUndefined();
        expect(await store.claim('run_2')).toMatchObject({ inboxCursor: 0 });
      });

      test('after a fenced append the next one of the same owner is fenced too', async () => {
        await claimed('run_1');
        const outcomes = await Promise.allSettled([
          store.append(batch('run_1', messages(5, ['gap']))),
          store.append(batch('run_1', messages(6, ['after the gap']))),
        ]);
        expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
        expect(await entriesOf('run_1')).toHaveLength(1);
      });

      test('an append to a run that does not exist, and a claim of it, are told so', async () => {
        await expect(store.append(batch('run_9', messages(1, ['a'])))).rejects.toThrow(coded('run-unknown'));
        expect(await store.claim('run_9')).toBeUndefined();
      });

      test('an entry of the wrong form is refused before anything is written', async () => {
        await claimed('run_1');
        // @ts-expect-error -- an entry type that does not exist.
        const entries: Entry[] = [message('good'), { type: 'nonsense' }];
        await expect(store.append(batch('run_1', { ...messages(1, []), entries }))).rejects.toThrow(coded('internal'));
        await store.append(batch('run_1', messages(1, ['still going'])));
        expect(await entriesOf('run_1')).toHaveLength(2);
      });

      test('large values come back whole', async () => {
        await claimed('run_1');
        const large = { rows: Array.from({ length: 500 }, (_, index) => ({ index, text: `row ${index} ✓` })) };
        await store.append(
          batch('run_1', { ...messages(1, []), entries: [attemptFinished(large), attemptFinished(large)] }),
        );
        expect((await entriesOf('run_1')).slice(1)).toEqual([attemptFinished(large), attemptFinished(large)]);
      });

      test('what is read is not the object that was written', async () => {
        const append: Append = messages(1, ['before']);
        await claimed('run_1');
        await store.append(batch('run_1', append));
        Object.assign(append.entries[0] ?? {}, { text: 'after' });
        expect((await entriesOf('run_1'))[1]).toEqual(message('before'));
      });

      test('positions rise, and a position that was handed out can be waited for', async () => {
        await claimed('run_1');
        const first = await store.append(batch('run_1', messages(1, ['a'])));
        const second = await store.append(batch('run_1', messages(2, ['b'])));
        expect(second).toBeGreaterThan(first);
        await Promise.all([store.synced(second), store.synced(first), store.synced(second)]);
        await Promise.all([store.synced(), store.synced(Number.MAX_SAFE_INTEGER)]);
      });
    });

    describe('snapshots', () => {
      test('the last one of a run is kept', async () => {
        await claimed('run_1');
        expect(await store.snapshot('run_1')).toBeUndefined();
        await store.append(batch('run_1', messages(1, ['a']), { snapshot: { seq: 2, state: { step: 1 } } }));
        await store.append(batch('run_1', messages(2, ['b'])));
        await store.append(batch('run_1', messages(3, ['c']), { snapshot: { seq: 4, state: { step: 2 } } }));
        expect(await store.snapshot('run_1')).toEqual({ seq: 4, state: { step: 2 } });
      });
    });

    describe('status (S5)', () => {
      test('is what the last append said', async () => {
        await claimed('run_1');
        const status: RunStatus = {
          state: 'waiting',
          wakeAtMs: 9_000,
          steps: 4,
          waitingOn: [
            { kind: 'approval', approvalId: 'ap_1', callId: '1.0', expiresAtMs: 9_000 },
            { kind: 'doubt', callId: '1.1' },
            { kind: 'timer', dueAtMs: 9_500 },
            { kind: 'held', reason: 'no code' },
          ],
        };
        await store.append(batch('run_1', messages(1, ['a']), { status }));
        expect((await store.run('run_1'))?.status).toEqual(status);
        await store.append(batch('run_1', messages(2, ['b']), { status: activeStatus }));
        expect((await store.run('run_1'))?.status).toEqual(activeStatus);
        await store.append(batch('run_1', messages(3, ['c']), { status: endedStatus }));
        expect((await store.run('run_1'))?.status).toEqual(endedStatus);
      });

      test('lists runs newest first, by state, subject and session, in pages', async () => {
        await claimed('run_1', { subject: 'a', session: 's' });
        await claimed('run_2', { subject: 'b' });
        await claimed('run_3', { subject: 'a' });
        await claimed('run_4', { subject: 'a', session: 's' });
        await store.append(batch('run_3', messages(1, ['end']), { status: endedStatus }));
        await store.append(batch('run_2', messages(1, ['wait']), { status: waiting }));
        const ids = async (filter?: Parameters<Store['runs']>[0]): Promise<readonly string[]> =>
          (await store.runs(filter)).map((run) => run.runId);
        expect(await ids()).toEqual(['run_4', 'run_3', 'run_2', 'run_1']);
        expect(await ids({ subject: 'a' })).toEqual(['run_4', 'run_3', 'run_1']);
        expect(await ids({ session: 's' })).toEqual(['run_4', 'run_1']);
        expect(await ids({ states: ['ended', 'waiting'] })).toEqual(['run_3', 'run_2']);
        expect(await ids({ states: [] })).toEqual([]);
        expect(await ids({ limit: 2 })).toEqual(['run_4', 'run_3']);
        expect(await ids({ limit: 2, beforeRunId: 'run_3' })).toEqual(['run_2', 'run_1']);
        expect(await ids({ beforeRunId: 'run_unknown' })).toEqual([]);
        expect(await ids({ states: ['active'], subject: 'a', session: 's', beforeRunId: 'run_4' })).toEqual(['run_1']);
      });
    });

    describe('locks that runs keep (S8)', () => {
      const keptLocks = [{ callId: '1.0', name: 'order:7' }];

      test('stand in the status until an append says nothing of them, and runs that keep any can be listed', async () => {
        for (const runId of ['run_1', 'run_2', 'run_3']) await claimed(runId);
        await store.append(batch('run_1', messages(1, ['a']), { status: { ...activeStatus, keptLocks } }));
        await store.append(batch('run_3', messages(1, ['a']), { status: { ...waiting, keptLocks } }));
        await store.append(batch('run_3', messages(2, ['b']), { status: { ...waiting, keptLocks } }));
        const keeping = await store.runs({ keepsLocks: true });
        expect(keeping.map(({ runId, status }) => [runId, status.keptLocks])).toEqual([
          ['run_3', keptLocks],
          ['run_1', keptLocks],
        ]);
        expect((await store.runs({ keepsLocks: true, beforeRunId: 'run_3' })).map(({ runId }) => runId)).toEqual([
          'run_1',
        ]);
        await store.append(batch('run_1', messages(2, ['b']), { status: activeStatus }));
        await store.append(batch('run_3', messages(3, ['c']), { status: waiting }));
        expect(await store.runs({ keepsLocks: true })).toEqual([]);
        expect((await store.run('run_1'))?.status).toEqual(activeStatus);
      });

      test('stay when the run is claimed, and are not taken for those of a run that simply goes on', async () => {
        await claimed('run_1');
        await store.append(batch('run_1', messages(1, ['a']), { status: { ...activeStatus, keptLocks } }));
        await store.claim('run_1');
        expect((await store.run('run_1'))?.status.keptLocks).toEqual(keptLocks);
        await store.append(batch('run_1', messages(2, ['b'], { epoch: 2 }), { status: activeStatus }));
        expect((await store.run('run_1'))?.status.keptLocks).toBeUndefined();
      });
    });

    describe('due', () => {
      test('are active runs, waiting runs whose time has come, and those with posts that are not taken in', async () => {
        await claimed('run_active');
        for (const runId of ['run_soon', 'run_late', 'run_timeless', 'run_held', 'run_ended']) await claimed(runId);
        await store.append(batch('run_late', messages(1, ['a']), { status: { ...waiting, wakeAtMs: 8_000 } }));
        await store.append(batch('run_soon', messages(1, ['a']), { status: { ...waiting, wakeAtMs: 5_000 } }));
        await store.append(batch('run_timeless', messages(1, ['a']), { status: waiting }));
        await store.append(
          batch('run_held', messages(1, ['a']), { status: { state: 'held', waitingOn: [], steps: 1 } }),
        );
        await store.append(batch('run_ended', messages(1, ['a']), { status: endedStatus }));
        expect(await store.due(4_999, 10)).toEqual(['run_active']);
        expect(await store.due(5_000, 10)).toEqual(['run_active', 'run_soon']);
        expect(await store.due(8_000, 2)).toEqual(['run_active', 'run_soon']);
        expect(await store.nextWakeAtMs()).toBe(5_000);
        await store.post(post('run_timeless'));
        const { inboxId } = await store.post(post('run_held'));
        expect(await store.due(0, 10)).toEqual(['run_active', 'run_timeless', 'run_held']);
        await store.append(
          batch('run_held', messages(2, ['b']), {
            status: { state: 'held', waitingOn: [], steps: 1 },
            inboxCursor: inboxId,
          }),
        );
        expect(await store.due(0, 10)).toEqual(['run_active', 'run_timeless']);
      });

      test('nothing waits for a time when no run does', async () => {
        await claimed('run_1');
        expect(await store.nextWakeAtMs()).toBeUndefined();
      });

      test('a run that was created and never claimed is due: nothing accepted is forgotten', async () => {
        await store.create(newRun('run_1'));
        expect(await store.due(0, 10)).toEqual(['run_1']);
      });
    });

    inboxSuite(() => store, claimed);

    describe('upstreams', () => {
      const kept = (version: number, more: Partial<KeptUpstream> = {}): KeptUpstream => ({
        name: 'billing',
        writer: 'worker_1',
        version,
        state: { version },
        ...more,
      });

      test('are kept with the entries that tell of them, or not at all (S7)', async () => {
        await claimed('run_1');
        await store.append(batch('run_1', messages(1, ['a']), { upstreams: [kept(1), kept(1, { name: 'alpha' })] }));
        expect(await store.upstreams()).toEqual([
          { name: 'alpha', kept: kept(1, { name: 'alpha' }) },
          { name: 'billing', kept: kept(1) },
        ]);
        const stale = { ...messages(2, ['b']), epoch: 7 };
        await expect(store.append(batch('run_1', stale, { upstreams: [kept(2)] }))).rejects.toThrow(
          coded('append-fenced'),
        );
        expect((await store.upstreams())[1]).toEqual({ name: 'billing', kept: kept(1) });
      });

      test('of one writer the highest version stays, whatever the order; another writer takes over', async () => {
        await store.keepUpstream(kept(3));
        await store.keepUpstream(kept(2));
        expect(await store.upstreams()).toEqual([{ name: 'billing', kept: kept(3) }]);
        await store.keepUpstream(kept(1, { writer: 'worker_2' }));
        expect(await store.upstreams()).toEqual([{ name: 'billing', kept: kept(1, { writer: 'worker_2' }) }]);
      });

      test('the last order of a person stands beside it; neither is written over the other (S7)', async () => {
        const first = await store.orderUpstream('billing', { action: 'open', by: 'ann', reason: 'down', atMs: 5 });
        const other = await store.orderUpstream('alpha', { action: 'reset', atMs: 6 });
        await store.keepUpstream(kept(1));
        const last = await store.orderUpstream('billing', { action: 'close', atMs: 7 });
        expect(last > other && other > first).toBe(true);
        expect(await store.upstreams()).toEqual([
          { name: 'alpha', order: { number: other, action: 'reset', atMs: 6 } },
          { name: 'billing', kept: kept(1), order: { number: last, action: 'close', atMs: 7 } },
        ]);
        await store.keepUpstream(kept(2));
        expect((await store.upstreams())[1]?.order?.number).toBe(last);
      });

      test('an order is noticed', async () => {
        let notices = 0;
        store.onNotice((runId) => (notices += runId === undefined ? 1 : 0));
        await store.orderUpstream('billing', { action: 'open', atMs: 5 });
        expect(notices).toBe(1);
      });

      test('a name that is too long is refused', async () => {
        const name = 'x'.repeat(2_000);
        await expect(store.orderUpstream(name, { action: 'open', atMs: 5 })).rejects.toThrow(coded('limit-exceeded'));
      });
    });

    describe('notices', () => {
      test('come for a run that was created and for a post, until nobody listens', async () => {
        const noticed: (string | undefined)[] = [];
        const stop = store.onNotice((runId) => void noticed.push(runId));
        await store.create(newRun('run_1'));
        await store.create(newRun('run_2'));
        expect(noticed).toEqual(['run_1', 'run_2']);
        await store.post(post('run_1'));
        expect(noticed).toEqual(['run_1', 'run_2', 'run_1']);
        stop();
        await store.post(post('run_1'));
        expect(noticed).toHaveLength(3);
      });

      test('are not needed for a run that its creator has taken', async () => {
        let notices = 0;
        store.onNotice(() => (notices += 1));
        await claimed('run_1');
        expect(notices).toBe(0);
      });
    });

    describe('closing', () => {
      test('what was asked before is finished, and what is asked after is refused', async () => {
        await claimed('run_1');
        const last = store.append(batch('run_1', messages(1, ['a'])));
        await store.close();
        expect(await last).toBeGreaterThan(0);
        await expect(store.append(batch('run_1', messages(2, ['b'])))).rejects.toThrow(coded('store-closed'));
        await expect(store.read('run_1')).rejects.toThrow(coded('store-closed'));
        await expect(store.create(newRun('run_2'))).rejects.toThrow(coded('store-closed'));
        await store.close();
      });
    });
  });
}
