import { createMemoryStore } from '../../src/journal/memory/memory-store.ts';
import { bodiesSuite } from './store-bodies-suite.ts';
import { storeSuite, type StoreUnderTest } from './store-suite.ts';

async function open(): Promise<StoreUnderTest> {
  const store = createMemoryStore();
  return { store, dispose: async () => store.close() };
}

storeSuite('in memory', open);
bodiesSuite('in memory', open);
