import { describe, expect, it } from 'vitest';
import type { RunHandle, StreamEvent } from '../../src/axle.ts';
import { entriesOf, Ledger, ledgerTool, openWorld } from '../run/world.ts';

/** Everything a stream gives until it ends. */
async function all(
  run: RunHandle,
  { after, seen }: { readonly after?: string; readonly seen?: (event: StreamEvent) => void } = {},
): Promise<readonly StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of run.stream(after === undefined ? {} : { after })) {
    events.push(event);
    seen?.(event);
  }
  return events;
}

describe('the stream of a run (A12)', () => {
  it('has every entry once, in order, with what tools told between them, and says that the run has ended', async () => {
    const gate = Promise.withResolvers<void>();
    const dig = ledgerTool(new Ledger(), 'dig', {
      effect: 'read',
      run: async (_, context) => {
        context.progress({ done: 1, total: 2 });
        context.log('half way', { depth: 3 });
        await gate.promise;
        return 'done';
      },
    });
    const { axle, store } = await openWorld({ tools: [dig], turns: [{ calls: [{ name: 'dig', input: {} }] }, 'Dug.'] });
    const run = await axle.start('worker', { input: 'dig' });
    const events = await all(run, { seen: ({ kind }) => (kind === 'tool-log' ? gate.resolve() : undefined) });
    const entries = await entriesOf(store, run.id);
    expect(events.flatMap((event) => (event.kind === 'entry' ? [event.entry] : []))).toEqual(entries);
    const started = entries.findIndex(({ type }) => type === 'attempt-started') + 1;
    expect(events.filter(({ kind }) => kind !== 'entry')).toEqual([
      { kind: 'tool-progress', id: `1.${started}+1`, callId: '1.0', attempt: 1, data: { done: 1, total: 2 } },
      {
        kind: 'tool-log',
        id: `1.${started}+2`,
        callId: '1.0',
        attempt: 1,
        data: { message: 'half way', data: { depth: 3 } },
      },
      { kind: 'ended', id: `1.${entries.length}` },
    ]);
    for (const [index, event] of events.entries()) {
      const rest = events.slice(index + 1).filter(({ kind }) => kind === 'entry' || kind === 'ended');
      if (event.kind !== 'ended') expect(await all(run, { after: event.id })).toEqual(rest);
    }
    await axle.close();
  });
});
