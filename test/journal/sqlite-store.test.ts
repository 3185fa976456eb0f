import { bodiesSuite } from './store-bodies-suite.ts';
import { storeSuite, type StoreUnderTest } from './store-suite.ts';
import { openTemporaryStore } from './temporary-store.ts';

async function open(): Promise<StoreUnderTest> {
  const { store, remove } = openTemporaryStore();
  return {
    store,
    dispose: async () => {
      await store.close();
      remove();
    },
  };
}

storeSuite('SQLite', open);
bodiesSuite('SQLite', open);
