import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { type Axle, createAxle, openSqliteStore, type Store, tool } from '../../src/axle.ts';
import { type AxleMetrics, createMetrics } from '../../src/metrics.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { temporaryFolder } from '../journal/temporary-store.ts';
import { parseExposition, sumOf } from './parse-exposition.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: { type: 'object', properties: { n: { type: 'integer' } } },
  execute: () => 'seen',
});

interface Opened {
  readonly axle: Axle;
  readonly metrics: AxleMetrics;
  readonly path: string;
  /** The value of a metric now. */
  readonly valueOf: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number>;
}

/** An Axle on a file, whose store may have something in its way. */
async function opened(wrapped: (store: Store) => Store = (store) => store): Promise<Opened> {
  const { path, remove } = temporaryFolder();
  const metrics = createMetrics();
  const store = wrapped(openSqliteStore(path, { role: 'driver', busyForMs: 30 }));
  const axle = await createAxle({ store, tools: [look], observers: [metrics] });
  onTestFinished(async () => {
    await axle.close();
    remove();
  });
  const valueOf: Opened['valueOf'] = async (name, labels) => sumOf(parseExposition(await metrics.text()), name, labels);
  return { axle, metrics, path, valueOf };
}

test('a file that another program holds is an error of the store, by operation and code, and runs go on when it is free', async () => {
  const { axle, metrics, path, valueOf } = await opened();
  // There before the first error, so that an alert on its increase sees that one too.
  const before = parseExposition(await metrics.text()).get('axle_store_errors_total')?.samples ?? [];
  expect(before).toContainEqual({
    name: 'axle_store_errors_total',
    labels: { operation: 'create', code: 'store-unavailable' },
    value: 0,
  });
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  await expect(axle.call('look', {})).rejects.toMatchObject({ code: 'store-unavailable' });
  other.exec('ROLLBACK');
  other.close();
  const labels = { operation: 'create', code: 'store-unavailable' };
  expect(await valueOf('axle_store_errors_total', labels)).toBe(1);
  expect(await valueOf('axle_store_errors_total')).toBe(1);
  expect(await axle.call('look', {})).toMatchObject({ status: 'completed' });
  expect(await valueOf('axle_store_errors_total')).toBe(1);
});

test('commits and syncs are timed, each once', async () => {
  let appends = 0;
  const { axle, valueOf } = await opened((store) =>
    wrapStore(store, {
      create: (run) => {
        appends += 1;
        return store.create(run);
      },
      append: (batch) => {
        appends += 1;
        return store.append(batch);
      },
    }),
  );
  await axle.call('look', {});
  expect(appends).toBeGreaterThan(1);
  expect(await valueOf('axle_checkpoint_duration_seconds_count', { stage: 'commit' })).toBe(appends);
  expect(await valueOf('axle_checkpoint_duration_seconds_count', { stage: 'sync' })).toBeGreaterThan(0);
  expect(await valueOf('axle_checkpoint_duration_seconds_sum', { stage: 'sync' })).toBeGreaterThan(0);
});

test('what a store answers to what was asked is none of its errors', async () => {
  const { axle, valueOf } = await opened();
  await axle.call('look', { n: 1 }, { key: 'one' });
  await expect(axle.call('look', { n: 2 }, { key: 'one' })).rejects.toMatchObject({ code: 'run-key-reused' });
  expect(await valueOf('axle_store_errors_total')).toBe(0);
});

test('a method that is not there is not there for being watched', async () => {
  const { metrics } = await opened();
  const { path, remove } = temporaryFolder();
  const store = openSqliteStore(path, { role: 'driver' });
  onTestFinished(async () => {
    await store.close();
    remove();
  });
  const less = wrapStore(store, {});
  delete less.keepCopy;
  delete less.keepDeclarations;
  const watched = Object.keys(metrics.watchStore(less));
  expect(watched.filter((name) => name === 'keepCopy' || name === 'keepDeclarations')).toEqual([]);
  const methods = Object.keys(wrapStore(store, {})).toSorted();
  expect(Object.keys(metrics.watchStore(store)).toSorted()).toEqual(methods);
});
