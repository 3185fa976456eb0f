import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../src/journal/memory/memory-cache.ts';
import { cacheLimits, type KeptResult, type ResultCache } from '../../src/journal/result-cache.ts';
import { openSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { openTemporaryStore, temporaryFolder } from './temporary-store.ts';

function kept(key: string, more: Partial<KeptResult> = {}): KeptResult {
  return {
    key,
    tool: 'look',
    output: { key, list: [1, 'two', null] },
    runId: 'run_1',
    callId: '1.0',
    storedAtMs: 1_000,
    expiresAtMs: 2_000,
    ...more,
  };
}

const implementations: Readonly<Record<string, () => Promise<{ cache: ResultCache; close: () => Promise<void> }>>> = {
  'in memory': async () => ({ cache: createMemoryCache(), close: async () => {} }),
  'in SQLite': async () => {
    const { store, remove } = openTemporaryStore();
    if (store.results === undefined) throw new Error('This store keeps no results.');
    return {
      cache: store.results,
      close: async () => {
        await store.close();
        remove();
      },
    };
  },
};

describe.each(Object.entries(implementations))('kept results %s', (_, open) => {
  async function withCache(test: (cache: ResultCache) => Promise<void>): Promise<void> {
    const { cache, close } = await open();
    try {
      await test(cache);
    } finally {
      await close();
    }
  }

  it('gives back what was put last under a key, and nothing under another (Q1)', async () => {
    await withCache(async (cache) => {
      await cache.put(kept('a'));
      await cache.put(kept('a', { output: 'newer', storedAtMs: 1_500.5 }));
      expect(await cache.get('a')).toEqual(kept('a', { output: 'newer', storedAtMs: 1_500.5 }));
      expect(await cache.get('b')).toBeUndefined();
    });
  });

  it('forgets a tool or everything, and does not keep what a read brings that began before (Q2)', async () => {
    await withCache(async (cache) => {
      await cache.put(kept('a'));
      await cache.put(kept('b', { tool: 'count' }));
      expect(await cache.clear({ tool: 'look', atMs: 1_200 })).toBe(1);
      expect(await cache.get('a')).toBeUndefined();
      expect(await cache.get('b')).toBeDefined();
      await cache.put(kept('a', { storedAtMs: 1_200 }));
      expect(await cache.get('a')).toBeUndefined();
      await cache.put(kept('a', { storedAtMs: 1_201 }));
      expect(await cache.get('a')).toBeDefined();
      expect(await cache.clear({ atMs: 1_300 })).toBe(2);
      await cache.put(kept('b', { tool: 'count', storedAtMs: 1_300 }));
      expect(await cache.get('b')).toBeUndefined();
    });
  });

  it('keeps no result that is too large, and never more than its limit (Q3)', { timeout: 30_000 }, async () => {
    await withCache(async (cache) => {
      await cache.put(kept('large', { output: 'x'.repeat(cacheLimits.resultLength) }));
      expect(await cache.get('large')).toBeUndefined();
      const output = 'x'.repeat(cacheLimits.resultLength - 2);
      const count = cacheLimits.length / cacheLimits.resultLength + 20;
      const old = kept('expired', { output, expiresAtMs: 1_100 });
      for (let index = 0; index < count; index += 1) {
        await cache.put(index === 30 ? old : kept(`k${index}`, { output, storedAtMs: 1_500 + index }));
      }
      let length = 0;
      for (let index = 0; index < count; index += 1) {
        length += (await cache.get(`k${index}`)) === undefined ? 0 : cacheLimits.resultLength;
      }
      expect(length).toBeLessThanOrEqual(cacheLimits.length);
      expect(length).toBeGreaterThan(cacheLimits.length / 2);
      expect(await cache.get('k0')).toBeUndefined();
      expect(await cache.get('expired')).toBeUndefined();
      expect(await cache.get(`k${count - 1}`)).toBeDefined();
    });
  });
});

it('results kept in SQLite outlive the process', async () => {
  const { path, remove } = temporaryFolder();
  const first = openSqliteStore(path, { role: 'driver' });
  await first.results?.put(kept('a'));
  await first.close();
  const second = openSqliteStore(path, { role: 'driver' });
  expect(await second.results?.get('a')).toEqual(kept('a'));
  await second.close();
  remove();
});
