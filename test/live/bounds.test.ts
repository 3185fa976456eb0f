import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/axle.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { createMemoryStore } from '../../src/journal/memory/memory-store.ts';
import type { RunStatus, Store } from '../../src/journal/store.ts';
import { type LiveLimits, LiveRuns, liveLimits } from '../../src/live/live-runs.ts';
import { readStream } from '../../src/live/read-stream.ts';
import { createHandClock } from '../../src/testing.ts';
import { activeStatus, batch, message, newRun } from '../journal/sample-entries.ts';
import { openWorld } from '../run/world.ts';

/** A driver in the hands of a test: it commits and tells what it is bidden to, as the real one does, and nothing else. */
class Teller {
  readonly runId: string;
  readonly #parts: { readonly store: Store; readonly live: LiveRuns };
  #seq = 1;
  readonly #epoch = 1;

  constructor(runId: string, parts: { readonly store: Store; readonly live: LiveRuns }) {
    this.runId = runId;
    this.#parts = parts;
  }

  async begin(): Promise<this> {
    await this.#parts.store.create(newRun(this.runId, { claim: true }));
    return this.commit(message('begun'));
  }

  async commit(entry: Entry, status: RunStatus = activeStatus): Promise<this> {
    const append = { firstSeq: this.#seq + 1, epoch: this.#epoch, atMs: 2_000, entries: [entry] };
    await this.#parts.store.append(batch(this.runId, append, { status }));
    this.#seq += 1;
    this.#parts.live.committed(this.runId, append, status);
    return this;
  }

  say(text: string, part = 0): void {
    const event = { kind: 'text-delta', step: 1, attempt: 1, part, text } as const;
    this.#parts.live.told(event, { runId: this.runId, epoch: this.#epoch });
  }

  answer(): Promise<this> {
    return this.commit({
      type: 'model-finished',
      parts: [{ kind: 'text', text: 'all of it' }],
      finishReason: 'stop',
      usage: {},
      tookMs: 1,
    });
  }

  stream(after?: string, signal?: AbortSignal): AsyncGenerator<StreamEvent> {
    const options = { ...(after === undefined ? {} : { after }), ...(signal === undefined ? {} : { signal }) };
    return readStream({ ...this.#parts, runId: this.runId }, options);
  }
}

function liveWorld(limits: Partial<LiveLimits> = {}) {
  const store = createMemoryStore();
  const live = new LiveRuns({ store, timers: createHandClock(), limits });
  return { store, live, teller: (runId: string) => new Teller(runId, { store, live }).begin() };
}

/** The next events of a stream. */
async function take(stream: AsyncGenerator<StreamEvent>, count: number): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  while (events.length < count) {
    const { value, done } = await stream.next();
    if (done === true) break;
    events.push(value);
  }
  return events;
}

async function takeUntilEntry(stream: AsyncGenerator<StreamEvent>): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  do events.push(...(await take(stream, 1)));
  while (events.at(-1)?.kind !== 'entry');
  return events;
}

const words = (events: readonly StreamEvent[]): string =>
  events.map((event) => ('text' in event ? event.text : '')).join('');
const kinds = (events: readonly StreamEvent[]): readonly string[] => events.map(({ kind }) => kind);

describe('what is kept of a stream', () => {
  it('is joined where it is too much: a reader that stood still gets the same words in fewer pieces', async () => {
    const { teller } = liveWorld({ events: 100 });
    const run = await teller('run_a');
    const stream = run.stream();
    await take(stream, 2);
    const said = Array.from({ length: 1_000 }, (_, index) => `${index} `);
    for (const word of said) run.say(word);
    await run.answer();
    const events = await takeUntilEntry(stream);
    expect(words(events)).toBe(said.join(''));
    expect(events.length).toBeLessThan(110);
  });

  it('is said anew, after a reset, to a reader whose place was joined away', async () => {
    const { teller } = liveWorld({ events: 100 });
    const run = await teller('run_a');
    const stream = run.stream();
    for (let index = 0; index < 100; index += 1) run.say('x');
    await take(stream, 7);
    for (let index = 0; index < 100; index += 1) run.say('y');
    const [reset] = await take(stream, 1);
    await run.answer();
    const rest = await takeUntilEntry(stream);
    expect(reset).toEqual({ kind: 'reset', id: '1.2', reason: 'fell-behind' });
    expect(words(rest)).toBe(`${'x'.repeat(100)}${'y'.repeat(100)}`);
  });

  it('is dropped where it cannot be joined: who did not see a text from its beginning gets it with its entry', async () => {
    const { teller, live } = liveWorld({ chars: 5_000 });
    const run = await teller('run_a');
    const [slow, quick] = [run.stream(), run.stream()];
    run.say('the beginning');
    await take(slow, 3);
    await take(quick, 3);
    let heard = '';
    for (let index = 0; index < 30; index += 1) {
      run.say('z'.repeat(1_000));
      heard += words(await take(quick, 1));
      expect(live.chars).toBeLessThanOrEqual(5_000);
    }
    await run.answer();
    expect(heard).toBe('z'.repeat(30_000));
    expect(kinds(await take(quick, 1))).toEqual(['entry']);
    // By now the entry is there, which says all of it: nothing is lost, so nothing is said about it.
    expect(kinds(await take(slow, 1))).toEqual(['entry']);
    const late = run.stream();
    run.say('next', 1);
    expect(kinds(await take(late, 4))).toEqual(['entry', 'entry', 'entry', 'text-delta']);
  });

  it('while it is dropped, a reader that is behind is told so, and is not given a text without its beginning', async () => {
    const { teller } = liveWorld({ chars: 5_000 });
    const run = await teller('run_a');
    const slow = run.stream();
    run.say('the beginning');
    await take(slow, 3);
    for (let index = 0; index < 30; index += 1) run.say('z'.repeat(1_000));
    expect(await take(slow, 1)).toEqual([{ kind: 'reset', id: '1.2', reason: 'fell-behind' }]);
    const next = take(slow, 1);
    const fresh = run.stream();
    expect(kinds(await take(fresh, 2))).toEqual(['entry', 'entry']);
    await run.answer();
    expect(kinds(await next)).toEqual(['entry']);
    expect(kinds(await take(fresh, 1))).toEqual(['entry']);
  });

  it('is bounded over all runs, and nothing of a run is kept that nobody drives and nobody reads', async () => {
    const limits = { chars: 10_000, totalChars: 30_000 };
    const { teller, live } = liveWorld(limits);
    const runs = await Promise.all(Array.from({ length: 20 }, (_, index) => teller(`run_${index}`)));
    let most = 0;
    for (let round = 0; round < 50; round += 1) {
      for (const run of runs) run.say('w'.repeat(500));
      most = Math.max(most, live.chars);
    }
    expect(most).toBeGreaterThan(20_000);
    expect(most).toBeLessThanOrEqual(limits.totalChars);
    const [run] = runs;
    const stream = run?.stream();
    if (stream !== undefined) await take(stream, 1);
    for (const { runId } of runs) live.rested(runId);
    await stream?.return(undefined);
    expect(live.chars).toBe(0);
  });

  it('a thousand readers of one run share it: the slow ones are told what they missed and go on from their last id', async () => {
    const { teller, live } = liveWorld({ events: 500, chars: 100_000 });
    const run = await teller('run_a');
    const readers = Array.from({ length: 1_000 }, () => run.stream());
    for (const reader of readers) await take(reader, 2);
    const [quick = run.stream(), ...slow] = readers;
    let [heard, said, most] = ['', '', 0];
    for (let round = 0; round < 2_000; round += 1) {
      const text = `${round}:${'.'.repeat(100)}`;
      said += text;
      run.say(text);
      heard += words(await take(quick, 1));
      most = Math.max(most, live.chars);
      if (round === 20) for (const reader of slow) await take(reader, 1);
    }
    expect(heard).toBe(said);
    // One reader or a thousand: the same is kept.
    expect(most).toBeLessThanOrEqual(100_000);
    const resets = await Promise.all(slow.map((reader) => take(reader, 1)));
    for (const events of resets) expect(events).toEqual([{ kind: 'reset', id: '1.2', reason: 'fell-behind' }]);
    await run.answer();
    await run.commit({ type: 'run-finished', ending: 'completed', output: null }, { ...activeStatus, state: 'ended' });
    for (const [index, reader] of slow.entries()) {
      if (index % 2 === 0) {
        expect(kinds(await take(reader, 9))).toEqual(['entry', 'entry', 'ended']);
      } else {
        await reader.return(undefined);
        expect((await take(run.stream('1.2'), 9)).map(({ id }) => id).slice(-3)).toEqual(['1.3', '1.4', '1.4']);
      }
    }
    await quick.return(undefined);
    live.rested(run.runId);
    expect(live.chars).toBe(0);
  });

  it('has room for so many readers and no more', async () => {
    const { teller } = liveWorld({ readers: 2 });
    const run = await teller('run_a');
    const [first, second, third] = [run.stream(), run.stream(), run.stream()];
    await take(first, 1);
    await take(second, 1);
    await expect(third.next()).rejects.toMatchObject({ code: 'limit-exceeded' });
    await first.return(undefined);
    expect(kinds(await take(run.stream(), 1))).toEqual(['entry']);
    expect(liveLimits.readers).toBeGreaterThanOrEqual(1_000);
  });
});

describe('an id that the journal does not know', () => {
  it('is answered with a reset to the last entry in common, and then what the journal has', async () => {
    const { store, live, teller } = liveWorld();
    const run = await teller('run_a');
    await run.commit(message('three'));
    live.rested('run_a');
    // Another owner went on from entry 3; what the first one wrote after it is lost.
    await store.claim('run_a');
    const append = { firstSeq: 4, epoch: 2, atMs: 3_000, entries: [message('four'), message('five')] };
    await store.append(batch('run_a', append));
    for (const after of ['1.4', '1.5', '1.9', '1.4+3', '1.700!']) {
      const [reset, ...rest] = await take(run.stream(after), 4);
      expect(reset).toEqual({ kind: 'reset', id: '1.3', reason: 'id-unknown' });
      expect(rest.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['reset 1.3!', 'entry 2.4', 'entry 2.5']);
    }
    expect(await take(run.stream('2.7'), 1)).toEqual([{ kind: 'reset', id: '2.5', reason: 'id-unknown' }]);
    expect((await take(run.stream('0.0'), 3)).map(({ id }) => id)).toEqual(['1.1', '1.2', '1.3']);
    for (const wrong of ['', '4', '1.x', '1.2+', '-1.2', '1.2+3!']) {
      await expect(run.stream(wrong).next()).rejects.toMatchObject({ code: 'usage-invalid' });
    }
  });

  it('that was never given, in the process that drives the run, is answered with what is there', async () => {
    const { teller } = liveWorld();
    const run = await teller('run_a');
    run.say('one ');
    run.say('two');
    const events = await take(run.stream('1.2+9'), 3);
    expect(kinds(events)).toEqual(['reset', 'text-delta', 'text-delta']);
    expect(events.map(({ id }) => id)).toEqual(['1.2', '1.2+1', '1.2+2']);
  });
});

describe('a driver that lost its run', () => {
  it('is not heard any more', async () => {
    const { store, live, teller } = liveWorld();
    const run = await teller('run_a');
    const stream = run.stream();
    await take(stream, 2);
    await store.claim('run_a');
    const append = { firstSeq: 3, epoch: 2, atMs: 3_000, entries: [{ type: 'run-claimed', worker: 'w2' }] } as const;
    await store.append(batch('run_a', append));
    live.committed('run_a', append, activeStatus);
    run.say('nobody hears this');
    live.told({ kind: 'text-delta', step: 1, attempt: 2, part: 0, text: 'but this' }, { runId: 'run_a', epoch: 2 });
    expect((await take(stream, 3)).map((event) => ('text' in event ? event.text : event.id))).toEqual([
      '1.2!',
      '2.3',
      'but this',
    ]);
  });
});

describe('the end of a stream', () => {
  it('comes at once when its signal aborts, while it waits and before', async () => {
    const { teller } = liveWorld();
    const run = await teller('run_a');
    const controller = new AbortController();
    const stream = run.stream(undefined, controller.signal);
    await take(stream, 2);
    const next = stream.next();
    await turn();
    controller.abort();
    expect(await next).toEqual({ value: undefined, done: true });
    expect(await run.stream(undefined, controller.signal).next()).toEqual({ value: undefined, done: true });
  });

  it('is an error for a run that nobody knows', async () => {
    const { axle } = await openWorld({ turns: [] });
    await expect(axle.run('run_none').stream().next()).rejects.toMatchObject({ code: 'run-unknown' });
    await axle.close();
  });
});
