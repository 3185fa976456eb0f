import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { openTemporaryStore } from './temporary-store.ts';

const declarations = [
  { hash: 'a', text: '{"name":"pay"}' },
  { hash: 'b', text: '{"name":"look"}' },
];

describe('declarations of contracts', () => {
  it('are kept under their hashes by a store in memory', async () => {
    const store = createMemoryStore();
    await store.keepDeclarations?.(declarations);
    expect(await store.body('b')).toBe('{"name":"look"}');
    expect(await store.body('c')).toBeUndefined();
  });

  it('are kept by a file, over processes, and cost no commit when they are there', async () => {
    const { store, path, remove } = openTemporaryStore();
    await store.keepDeclarations?.(declarations);
    const { commits } = store.counters;
    await store.keepDeclarations?.(declarations);
    expect(store.counters.commits).toBe(commits);
    await store.close();
    const client = openSqliteStore(path, { role: 'client' });
    expect(await client.body('a')).toBe('{"name":"pay"}');
    await client.close();
    remove();
  });
});
