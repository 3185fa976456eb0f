import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../src/axle.ts';
import {
  keepAliveComment,
  readStreamEvent,
  ServerSentEventReader,
  toServerSentEvent,
} from '../../src/live/server-sent-events.ts';
import { entriesOf } from '../run/world.ts';
import { Audience, type ComesBack } from './cut-points.ts';
import { type RecordedRun, recordedRuns } from './recorded-runs.ts';

const runs = recordedRuns();

async function play(run: RecordedRun, cuts: readonly number[], comesBack: ComesBack = 'at-once') {
  const audience = new Audience(cuts, comesBack);
  const { runId, store } = await run.play(audience);
  const [uncut = [], ...cut] = await audience.end();
  return { uncut, cut, entries: await entriesOf(store, runId) };
}

function entriesIn(events: readonly StreamEvent[]) {
  return events.flatMap((event) => (event.kind === 'entry' ? [event.entry] : []));
}

function placesUpTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

describe('a stream that is cut and resumed (A12, R28)', () => {
  it('there are fifty runs, and they have everything that a stream can have', async () => {
    expect(runs).toHaveLength(50);
    const kinds = new Set<string>();
    for (const run of runs) {
      const { uncut } = await play(run, []);
      for (const event of uncut) kinds.add(event.kind === 'reset' ? `reset ${event.reason}` : event.kind);
    }
    expect([...kinds].sort()).toEqual([
      'call-delta',
      'ended',
      'entry',
      'reasoning-delta',
      'reset driver-changed',
      'reset model-failed',
      'text-delta',
      'tool-log',
      'tool-progress',
      'waiting',
    ]);
  });

  it.each(runs)('after each event, is the stream that was not cut: $name', async (run) => {
    const { uncut: counted } = await play(run, []);
    const { uncut, cut, entries } = await play(run, placesUpTo(counted.length));
    expect(entriesIn(uncut)).toEqual(entries);
    expect(uncut.at(-1)?.kind).toBe('ended');
    expect(cut.length).toBeGreaterThan(5);
    const whole = JSON.stringify(uncut);
    for (const [index, events] of cut.entries()) {
      if (JSON.stringify(events) === whole) continue;
      expect({ cutAfter: index + 1, events }).toEqual({ cutAfter: index + 1, events: uncut });
    }
  });

  it('and resumed when all is over, has every entry once, and a reset for everything that came to nothing', async () => {
    for (const run of runs.slice(20)) {
      const { uncut: counted } = await play(run, []);
      const { uncut, cut, entries } = await play(run, placesUpTo(counted.length - 1), 'when-called');
      const firm = (events: readonly StreamEvent[]) =>
        events.filter(({ kind }) => kind === 'entry' || kind === 'reset');
      for (const [index, events] of cut.entries()) {
        expect(entriesIn(events)).toEqual(entries);
        expect(events.slice(0, index + 1)).toEqual(uncut.slice(0, index + 1));
        expect(firm(events)).toEqual(firm(uncut));
      }
    }
  });

  it('at each byte of the wire, has taken whole events and the id of the last of them', async () => {
    const bytesOf = new TextEncoder();
    let bytes = 0;
    for (const run of runs.slice(18)) {
      const { uncut } = await play(run, []);
      const reader = new ServerSentEventReader();
      const read: StreamEvent[] = [];
      for (const [index, event] of uncut.entries()) {
        const text = `${index % 3 === 0 ? keepAliveComment : ''}${toServerSentEvent(event)}`;
        const wire = bytesOf.encode(index % 2 === 0 ? text : text.replaceAll('\n', '\r\n'));
        for (const [place, byte] of wire.entries()) {
          const came = reader.push(Uint8Array.of(byte));
          bytes += 1;
          // Of two line ends `\r\n`, the second half says nothing new.
          if (place < wire.length - 2) expect(came).toEqual([]);
          for (const each of came) {
            const taken = readStreamEvent(each);
            expect(each.id).toBe(event.id);
            if (taken !== undefined) read.push(taken);
          }
        }
      }
      expect(read).toEqual(uncut);
    }
    expect(bytes).toBeGreaterThan(50_000);
  });
});
