import { openTemporaryStore } from './temporary-store.ts';
import { storeSuite } from './store-suite.ts';

storeSuite('SQLite', async () => {
  const { store, remove } = openTemporaryStore();
  return {
    store,
    dispose: async () => {
      await store.close();
      remove();
    },
  };
});
