import { storeSuite } from '../../journal/store-suite.ts';
import { FakeDisk } from './fake-disk.ts';
import { FakeStore } from './fake-store.ts';

storeSuite('fake, for the simulation', async () => {
  const store = new FakeStore(new FakeDisk());
  return { store, dispose: async () => store.close() };
});
