/** What every implementation of `Upstreams` must do, by the invariants U1 to U6 of `src/execute/upstreams/upstreams.ts`. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readUpstreamSettings } from '../../src/contract/declare/limits.ts';
import { UpstreamBook } from '../../src/contract/upstream-book.ts';
import type { Admission, AttemptEnd, Permit, Upstreams, UpstreamView } from '../../src/execute/upstreams/upstreams.ts';
import type { KeptUpstream } from '../../src/journal/store.ts';
import { createHandClock, type HandClock } from '../../src/testing.ts';

/** What an implementation is opened with. */
export interface Opening {
  readonly declared: UpstreamBook;
  readonly clock: HandClock;
}

/** One place where upstreams outlive the processes that ask them. */
export interface UpstreamsUnderTest {
  /** A process. */
  open(opening: Opening): Upstreams;
  /** Keeps what a driver keeps with its entries; absent where nothing is handed out to be kept. */
  readonly keep?: (kept: KeptUpstream) => Promise<unknown>;
  dispose(): Promise<void>;
}

type Settings = Readonly<Record<string, unknown>>;

/** A declared upstream `billing`, in the words of `createAxle`. */
export function bookOf(settings: Settings): UpstreamBook {
  const fields = { owner: 'The test', values: { billing: settings } };
  return new UpstreamBook([], { billing: readUpstreamSettings(fields, 'billing') });
}

/** Somebody who asks, and what came of it so far. */
class Caller {
  readonly controller = new AbortController();
  admission: Admission | undefined;
  readonly runId: string;

  constructor(upstreams: Upstreams, runId: string) {
    this.runId = runId;
    const { signal } = this.controller;
    const request = { upstream: 'billing', runId, callId: '1.0', attempt: 1, timeoutMs: 1_000, signal };
    void upstreams.admit(request).then((admission) => {
      this.admission = admission;
    });
  }

  get code(): string | undefined {
    return this.admission?.kind === 'refused' ? this.admission.failure.code : undefined;
  }

  get permit(): Permit {
    if (this.admission?.kind !== 'admitted') throw new Error(`Not admitted: ${JSON.stringify(this.admission)}`);
    return this.admission.permit;
  }
}

export function upstreamsSuite(name: string, make: () => Promise<UpstreamsUnderTest>): void {
  describe(`upstreams (${name})`, () => {
    let place: UpstreamsUnderTest;
    let clock: HandClock;
    let upstreams: Upstreams;
    let opened: Upstreams[] = [];

    beforeEach(async () => {
      place = await make();
      clock = createHandClock();
    });
    afterEach(async () => {
      for (const one of opened) await one.close();
      opened = [];
      await place.dispose();
      expect(clock.pendingTimers).toBe(0);
    });

    function open(settings: Settings): Upstreams {
      upstreams = place.open({ declared: bookOf(settings), clock });
      opened.push(upstreams);
      return upstreams;
    }

    /** A process that is gone without a word. */
    function crash(): void {
      opened = [];
    }

    async function ask(runId = 'run_1'): Promise<Caller> {
      const caller = new Caller(upstreams, runId);
      await clock.advance(0);
      return caller;
    }

    async function askMany(count: number, runId = 'run_1'): Promise<readonly Caller[]> {
      const callers = Array.from({ length: count }, () => new Caller(upstreams, runId));
      await clock.advance(0);
      return callers;
    }

    async function end(caller: Caller, how: AttemptEnd['kind'] = 'answered', retryAfterMs?: number): Promise<void> {
      await upstreams.release(caller.permit, { kind: how, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) });
      await clock.advance(0);
    }

    async function view(): Promise<UpstreamView> {
      const [only] = await upstreams.list();
      if (only === undefined) throw new Error('There is no upstream.');
      return only;
    }

    const kinds = (callers: readonly Caller[]): readonly (string | undefined)[] =>
      callers.map((caller) => caller.admission?.kind);

    describe('limits', () => {
      test('no more attempts hold a permit than the concurrency allows; one that ends lets the next begin (U1)', async () => {
        open({ concurrency: 2 });
        const callers = await askMany(4);
        expect(kinds(callers)).toEqual(['admitted', 'admitted', undefined, undefined]);
        await end(callers[0] ?? (await ask()));
        expect(kinds(callers)).toEqual(['admitted', 'admitted', 'admitted', undefined]);
        expect((await view()).live).toMatchObject({ inFlight: 2, waiting: 1 });
      });

      test('a rest brings a burst, and after it calls begin at the rate (U1)', async () => {
        open({ rate: '5/s', burst: 2 });
        const callers = await askMany(5);
        expect(callers.filter((caller) => caller.admission !== undefined)).toHaveLength(2);
        const begunAt: number[] = [];
        for (let ms = 0; ms < 700; ms += 1) {
          await clock.advance(1);
          const begun = callers.filter((caller) => caller.admission !== undefined).length;
          if (begun > begunAt.length + 2) begunAt.push(ms + 1);
        }
        expect(begunAt).toEqual([200, 400, 600]);
      });

      test('who waits for a token waits exactly until it is there (U1)', async () => {
        open({ rate: '1/s', burst: 1 });
        await ask();
        const second = await ask();
        await clock.advance(999);
        expect(second.admission).toBeUndefined();
        await clock.advance(1);
        expect(second.admission).toMatchObject({ kind: 'admitted', waitedMs: 1_000 });
      });

      test('a permit is given back once: a second time does nothing', async () => {
        open({ concurrency: 1 });
        const first = await ask();
        await end(first);
        const second = await ask();
        await end(first);
        const third = await ask();
        expect(kinds([second, third])).toEqual(['admitted', undefined]);
      });
    });

    describe('the queue', () => {
      test('runs are served in turn: one with very many calls holds up nobody (U2, T6)', async () => {
        open({ concurrency: 1, queue: 1_000 });
        const greedy = await askMany(500, 'greedy');
        const modest = await ask('modest');
        await end(greedy[0] ?? modest);
        await end(greedy[1] ?? modest);
        expect(modest.admission?.kind).toBe('admitted');
        expect(greedy.filter((caller) => caller.admission?.kind === 'admitted')).toHaveLength(2);
      });

      test('calls of one run come in their order (U2)', async () => {
        open({ concurrency: 1 });
        const callers = await askMany(4);
        for (const [index, caller] of callers.entries()) {
          expect(kinds(callers).filter((kind) => kind === 'admitted')).toHaveLength(index + 1);
          await end(caller);
        }
      });

      test('a full queue refuses with a code, and the run that has most in it gives way to one that has less (U3)', async () => {
        open({ concurrency: 1, queue: 3 });
        const greedy = await askMany(6, 'greedy');
        expect(greedy.map((caller) => caller.code ?? caller.admission?.kind)).toEqual([
          'admitted',
          undefined,
          undefined,
          undefined,
          'upstream-queue-full',
          'upstream-queue-full',
        ]);
        const modest = await ask('modest');
        expect(modest.admission).toBeUndefined();
        expect(greedy[3]?.code).toBe('upstream-queue-full');
        await end(greedy[0] ?? modest);
        await end(greedy[1] ?? modest);
        expect(modest.admission?.kind).toBe('admitted');
      });

      test('a wait that is too long ends with a code, and proves that nothing was sent (U3)', async () => {
        open({ concurrency: 1, maxWait: '2s' });
        await ask();
        const second = await ask();
        await clock.advance(1_999);
        expect(second.admission).toBeUndefined();
        await clock.advance(1);
        expect(second.admission).toMatchObject({
          kind: 'refused',
          waitedMs: 2_000,
          failure: { code: 'upstream-wait-too-long', evidence: 'none' },
        });
      });

      test('who waits leaves at once when its signal aborts, and takes nothing with it (U3)', async () => {
        open({ concurrency: 1 });
        const [first, second, third] = await askMany(3);
        second?.controller.abort();
        await clock.advance(0);
        expect(second?.admission).toMatchObject({ kind: 'left' });
        expect((await view()).live).toMatchObject({ waiting: 1 });
        await end(first ?? (await ask()));
        expect(third?.admission?.kind).toBe('admitted');
      });

      test('one that comes with an aborted signal never waits', async () => {
        open({ concurrency: 1 });
        const controller = new AbortController();
        controller.abort();
        const { signal } = controller;
        const request = { upstream: 'billing', runId: 'run_1', callId: '1.0', attempt: 1, timeoutMs: 1, signal };
        expect(await upstreams.admit(request)).toMatchObject({ kind: 'left' });
        expect((await view()).live).toMatchObject({ inFlight: 0, waiting: 0 });
      });
    });

    describe('what an upstream asks for', () => {
      test('before its time nobody begins, whoever asked (U5)', async () => {
        open({ concurrency: 2 });
        const first = await ask('run_1');
        await end(first, 'unknown', 5_000);
        const other = await ask('run_2');
        expect((await view()).pausedUntilMs).toBe(clock.nowMs() + 5_000);
        await clock.advance(4_999);
        expect(other.admission).toBeUndefined();
        await clock.advance(1);
        expect(other.admission).toMatchObject({ kind: 'admitted', waitedMs: 5_000 });
      });

      test('0 is an answer: the next begins at once (C087)', async () => {
        open({ concurrency: 1 });
        await end(await ask(), 'unknown', 0);
        expect((await ask()).admission?.kind).toBe('admitted');
      });

      test('a pause that is longer than a call may wait is said at once, with its length', async () => {
        open({ maxWait: '1s' });
        await end(await ask(), 'unknown', 120_000);
        expect((await ask()).admission).toMatchObject({
          kind: 'refused',
          waitedMs: 0,
          failure: { code: 'upstream-rate-limited', retryAfterMs: 120_000, evidence: 'none' },
        });
      });

      test('it holds after a restart, and a crash (U6, R22)', async () => {
        const settings = { concurrency: 1, maxWait: '1s' };
        open(settings);
        const first = await ask();
        const { keep } = await upstreams.release(first.permit, { kind: 'unknown', retryAfterMs: 60_000 });
        await keepAll(keep);
        crash();
        await clock.advance(10_000);
        open(settings);
        expect((await ask()).admission).toMatchObject({ kind: 'refused', failure: { retryAfterMs: 50_000 } });
      });
    });

    describe('the breaker', () => {
      const breaker = { consecutiveFailures: 3, minimumCalls: 6, failureRatio: 0.5, window: '10s', openFor: '30s' };

      async function fail(times: number): Promise<void> {
        for (let count = 0; count < times; count += 1) await end(await ask(), 'failed');
      }

      test('failures in a row open it, and calls are refused with the time after which to try (U4, T4)', async () => {
        open({ breaker });
        await fail(3);
        expect((await view()).breaker).toMatchObject({ kind: 'open', untilMs: clock.nowMs() + 30_000 });
        expect((await ask()).admission).toMatchObject({
          kind: 'refused',
          failure: { code: 'upstream-open', class: 'retryable', evidence: 'none', retryAfterMs: 30_000 },
        });
      });

      test('an answer in between begins the count anew, and too large a part of failures opens it all the same', async () => {
        open({ breaker });
        for (const how of ['failed', 'failed', 'answered', 'failed', 'answered'] as const) await end(await ask(), how);
        expect((await view()).breaker.kind).toBe('closed');
        await end(await ask(), 'failed');
        expect((await view()).breaker).toMatchObject({ kind: 'open', reason: '4 of 6 calls failed' });
      });

      test('what is older than the window counts no more', async () => {
        open({ breaker });
        for (const how of ['failed', 'failed', 'answered', 'failed', 'answered'] as const) await end(await ask(), how);
        await clock.advance(11_000);
        await end(await ask(), 'failed');
        expect((await view()).breaker.kind).toBe('closed');
      });

      test('what says nothing about the upstream counts for nothing', async () => {
        open({ breaker });
        await fail(2);
        for (let count = 0; count < 20; count += 1) await end(await ask(), 'unknown');
        expect((await view()).breaker.kind).toBe('closed');
        await fail(1);
        expect((await view()).breaker.kind).toBe('open');
      });

      test('when its time has come one call tries, the others wait for what it finds (U4)', async () => {
        open({ breaker });
        await fail(3);
        await clock.advance(30_000);
        const [probe, second, third] = await askMany(3);
        expect(probe?.admission).toMatchObject({
          kind: 'admitted',
          permit: { isProbe: true },
          changes: [{ from: 'open', to: 'half-open' }],
        });
        expect(kinds(await askMany(1))).toEqual([undefined]);
        await end(probe ?? (await ask()), 'answered');
        expect((await view()).breaker.kind).toBe('closed');
        expect([second, third].map((caller) => caller?.admission)).toMatchObject([
          { kind: 'admitted', permit: { isProbe: false } },
          { kind: 'admitted' },
        ]);
      });

      test('a call that tries and fails opens it again, and those who waited are told', async () => {
        open({ breaker });
        await fail(3);
        await clock.advance(30_000);
        const [probe, second] = await askMany(2);
        await end(probe ?? (await ask()), 'failed');
        expect((await view()).breaker).toMatchObject({ kind: 'open', untilMs: clock.nowMs() + 30_000 });
        expect(second?.code).toBe('upstream-open');
      });

      test('a call that tries and says nothing leaves the next one to try', async () => {
        open({ breaker });
        await fail(3);
        await clock.advance(30_000);
        const [probe, second, third] = await askMany(3);
        await end(probe ?? (await ask()), 'unknown');
        expect([second, third].map((caller) => caller?.admission)).toMatchObject([
          { permit: { isProbe: true } },
          undefined,
        ]);
      });

      test('what began before it opened says nothing about the state after it', async () => {
        open({ breaker });
        const early = await askMany(2);
        await fail(3);
        await clock.advance(30_000);
        const probe = await ask();
        await end(early[0] ?? probe, 'answered');
        expect((await view()).breaker.kind).toBe('half-open');
        await end(early[1] ?? probe, 'failed');
        expect((await view()).breaker.kind).toBe('half-open');
        await end(probe, 'answered');
        expect((await view()).breaker.kind).toBe('closed');
      });

      test('without one, nothing opens it but a person', async () => {
        open({ breaker: false, concurrency: 5 });
        await fail(50);
        expect((await view()).breaker.kind).toBe('closed');
        await upstreams.order({ name: 'billing', action: 'open' });
        expect((await ask()).code).toBe('upstream-open');
      });

      test('an open one is open after a restart, until its time (U6, R22)', async () => {
        open({ breaker });
        await fail(2);
        const last = await ask();
        const { keep, changes } = await upstreams.release(last.permit, { kind: 'failed' });
        expect(changes).toMatchObject([{ from: 'closed', to: 'open' }]);
        await keepAll(keep);
        crash();
        await clock.advance(29_000);
        open({ breaker });
        expect((await ask()).admission).toMatchObject({ failure: { code: 'upstream-open', retryAfterMs: 1_000 } });
        await clock.advance(1_000);
        expect((await ask()).admission).toMatchObject({ permit: { isProbe: true } });
      });

      test('a half-open one lets one call try after a restart', async () => {
        open({ breaker });
        await fail(3);
        await clock.advance(30_000);
        const probe = await ask();
        if (probe.admission?.kind === 'admitted') await keepAll(probe.admission.keep);
        crash();
        open({ breaker });
        const [first, second] = await askMany(2);
        expect([first, second].map((caller) => caller?.admission)).toMatchObject([
          { permit: { isProbe: true } },
          undefined,
        ]);
      });
    });

    describe('what people ask for', () => {
      test('an upstream that a person opened stays so until a person closes it, also over restarts', async () => {
        open({ concurrency: 1 });
        const waiting = await askMany(2);
        await upstreams.order({ name: 'billing', action: 'open', by: 'ann', reason: 'migration' });
        await clock.advance(0);
        expect(waiting[1]?.code).toBe('upstream-open');
        expect((await view()).breaker).toMatchObject({ kind: 'open', reason: 'by ann: migration' });
        expect((await view()).breaker.untilMs).toBeUndefined();
        crash();
        await clock.advance(86_400_000);
        open({ concurrency: 1 });
        expect((await ask()).code).toBe('upstream-open');
        await upstreams.order({ name: 'billing', action: 'close' });
        expect((await ask()).admission?.kind).toBe('admitted');
        expect((await view()).changes.map(({ to, reason }) => `${to} ${reason}`)).toEqual([
          'closed by hand',
          'open by ann: migration',
        ]);
      });

      test('reset forgets failures and what the upstream asked for', async () => {
        open({ breaker: { consecutiveFailures: 2 } });
        await end(await ask(), 'failed', 60_000);
        await upstreams.order({ name: 'billing', action: 'reset' });
        await end(await ask(), 'failed');
        expect(await view()).toMatchObject({ breaker: { kind: 'closed' } });
        expect((await ask()).admission?.kind).toBe('admitted');
      });

      test('a name that nobody declared is refused with those that there are', async () => {
        open({});
        await expect(upstreams.order({ name: 'biling', action: 'open' })).rejects.toMatchObject({
          code: 'upstream-unknown',
          message: expect.stringContaining('there are billing') as unknown,
        });
      });
    });

    describe('restarts', () => {
      test('a bucket that was never used is full, and one that was in use when its process was lost is empty (U6, R22)', async () => {
        const settings = { rate: '1/s', burst: 3 };
        open(settings);
        const callers = await askMany(3);
        expect(kinds(callers)).toEqual(['admitted', 'admitted', 'admitted']);
        if (callers[0]?.admission?.kind === 'admitted') await keepAll(callers[0].admission.keep);
        crash();
        open(settings);
        const after = await askMany(2);
        expect(kinds(after)).toEqual([undefined, undefined]);
        await clock.advance(1_000);
        expect(kinds(after)).toEqual(['admitted', undefined]);
      });

      test('closed in order, the bucket goes on where it was', async () => {
        const settings = { rate: '1/s', burst: 3 };
        open(settings);
        await end(await ask());
        await upstreams.close();
        crash();
        open(settings);
        expect(kinds(await askMany(3))).toEqual(['admitted', 'admitted', undefined]);
      });

      test('who waits when the process closes has left', async () => {
        open({ concurrency: 1 });
        const [, second] = await askMany(2);
        await upstreams.close();
        await clock.advance(0);
        expect(second?.admission).toMatchObject({ kind: 'left' });
      });
    });

    /** What a driver does with it: the store has it with the entries that tell of it. */
    async function keepAll(keep: KeptUpstream | undefined): Promise<void> {
      if (keep !== undefined) await place.keep?.(keep);
    }
  });
}
