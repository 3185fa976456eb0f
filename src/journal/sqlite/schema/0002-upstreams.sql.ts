/**
 * Schema 2: what a restart must know of upstreams.
 *
 * - `upstreams`: what the driver keeps (`writer`, `version`, `state`), written with the entries that tell of it, and what a person asked for last
 *   (`order_*`). Either may be there without the other; neither is written over the other.
 */
export const upstreamsSchema = `
CREATE TABLE upstreams (
  name TEXT PRIMARY KEY,
  writer TEXT,
  version INTEGER,
  state TEXT,
  order_number INTEGER,
  order_action TEXT CHECK (order_action IN ('open', 'close', 'reset')),
  order_by TEXT,
  order_reason TEXT,
  order_at_ms INTEGER
) STRICT, WITHOUT ROWID;
`;
