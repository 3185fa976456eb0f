import type { Store } from './store.ts';

/** A store with some of its methods replaced; the others go to `store` as they are. For whoever listens in, or stands in the way. */
export function wrapStore(store: Store, replaced: Partial<Store>): Store {
  return {
    storeId: store.storeId,
    canDrive: store.canDrive,
    ...(store.results === undefined ? {} : { results: store.results }),
    ...(store.drifts === undefined ? {} : { drifts: store.drifts }),
    create: (run) => store.create(run),
    claim: (runId) => store.claim(runId),
    append: (batch) => store.append(batch),
    synced: (position) => store.synced(position),
    read: (runId, options) => store.read(runId, options),
    body: (hash) => store.body(hash),
    snapshot: (runId) => store.snapshot(runId),
    run: (runId) => store.run(runId),
    runs: (filter) => store.runs(filter),
    post: (post) => store.post(post),
    posts: (runId, cursor) => store.posts(runId, cursor),
    postWithKey: (runId, uniqueKey) => store.postWithKey(runId, uniqueKey),
    due: (nowMs, limit) => store.due(nowMs, limit),
    nextWakeAtMs: () => store.nextWakeAtMs(),
    onNotice: (listener) => store.onNotice(listener),
    ...(store.keepDeclarations && {
      keepDeclarations: (declarations) => store.keepDeclarations?.(declarations) ?? Promise.resolve(),
    }),
    ...(store.keepCopy && { keepCopy: (copy) => store.keepCopy?.(copy) ?? Promise.resolve(false) }),
    upstreams: () => store.upstreams(),
    keepUpstream: (kept) => store.keepUpstream(kept),
    orderUpstream: (name, order) => store.orderUpstream(name, order),
    close: () => store.close(),
    ...replaced,
  };
}
