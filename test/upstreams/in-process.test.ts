import { InProcessUpstreams } from '../../src/execute/upstreams/in-process.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { upstreamsSuite } from './upstreams-suite.ts';

upstreamsSuite('in process', async () => {
  const store = createMemoryStore();
  let processes = 0;
  return {
    open: ({ declared, clock }) => {
      processes += 1;
      return new InProcessUpstreams({
        declared: { names: () => declared.names, settings: (name) => declared.settings(name) },
        store,
        clock,
        timers: clock,
        writer: `worker_${processes}`,
        log: () => {},
      });
    },
    keep: (kept) => store.keepUpstream(kept),
    dispose: () => store.close(),
  };
});
