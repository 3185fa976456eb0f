/** What tests of upstreams share: attempts that a test ends one by one, and tools that go to one upstream. */
import { tool, ToolError } from '../../src/axle.ts';
import type { Entry } from '../../src/journal/entry.ts';
import type { ledgerTool, World } from '../run/world.ts';

export type Declared = NonNullable<Parameters<typeof ledgerTool>[2]>;

export function calls(count: number, name = 'look') {
  return { calls: Array.from({ length: count }, (_, place) => ({ name, input: { place } })) };
}

export function entriesOfType<Type extends Entry['type']>(entries: readonly Entry[], type: Type) {
  return entries.filter((entry): entry is Extract<Entry, { type: Type }> => entry.type === type);
}

/** Attempts that a test ends one by one. */
export class Desk {
  readonly open: { readonly runId: string; readonly end: (value: unknown) => void }[] = [];
  readonly run: NonNullable<Declared['run']> = (_input, { runId }) =>
    new Promise((resolve) => {
      this.open.push({ runId, end: resolve });
    });

  async endFirst(clock: World['clock']): Promise<void> {
    this.open.shift()?.end({ ok: true });
    await clock.advance(0);
  }
}

export const busy = new ToolError({ message: 'Busy.', code: 'busy', class: 'retryable', effect: 'none' });

export function shared(name: string, limits: object) {
  return tool({
    name,
    description: 'x',
    input: { type: 'object' },
    execute: () => ({}),
    limits: { upstream: 'bank', ...limits },
  });
}
