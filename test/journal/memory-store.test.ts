import { createMemoryStore } from '../../src/journal/memory/memory-store.ts';
import { storeSuite } from './store-suite.ts';

storeSuite('in memory', async () => {
  const store = createMemoryStore();
  return { store, dispose: async () => store.close() };
});
