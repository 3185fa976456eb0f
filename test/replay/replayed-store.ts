/**
 * Every run that a test leaves in its store is decided again: when its Axle lets go of the store, or after the test when it never does. So whatever a test does to
 * runs, each journal that it made must be byte-equal to what our own functions make of it.
 */
import { afterEach, expect } from 'vitest';
import type { Contract, Policy, Store } from '../../src/axle.ts';
import { contractFor, registryOf } from '../../src/contract/registry.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { defaultPolicy } from '../../src/policy/default-policy.ts';
import { type ReplayPorts, replayRun } from '../../src/replay/replay-run.ts';
import type { ReplayReport } from '../../src/replay/replay-report.ts';

/** The code that runs were driven with. */
export interface DrivenWith {
  readonly tools?: readonly Contract[];
  readonly policy?: Policy;
}

const open = new Map<Store, DrivenWith>();

afterEach(async () => {
  for (const [store, code] of open) {
    await expectReplays(store, code).catch((error: unknown) => {
      // Another Axle on the same store has closed it, and decided all of its runs again.
      if (!isAxleError(error, 'store-closed')) throw error;
    });
  }
});

/** The store, whose runs are decided again before it is closed. */
export function replayedStore(store: Store, code: DrivenWith): Store {
  open.set(store, code);
  return wrapStore(store, {
    close: async () => {
      await expectReplays(store, code);
      await store.close();
    },
  });
}

async function expectReplays(store: Store, code: DrivenWith): Promise<void> {
  open.delete(store);
  const reports = await replaysOf(store, code);
  expect(reports.flatMap(({ difference = [] }) => difference)).toEqual([]);
}

/** Every run of a store, decided again. */
export async function replaysOf(store: Store, code: DrivenWith): Promise<readonly ReplayReport[]> {
  const runs = await store.runs({ limit: 1_000 });
  return Promise.all(runs.map(({ runId }) => replayRun(runId, {}, portsOf(store, code))));
}

export function portsOf(store: Store, { tools = [], policy = defaultPolicy }: DrivenWith): ReplayPorts {
  const registry = registryOf(tools);
  return {
    store,
    contract: (name, version) => contractFor(registry, name, version),
    retained: () => undefined,
    policy,
  };
}
