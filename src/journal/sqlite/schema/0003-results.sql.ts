/**
 * Schema 3. Forward only, like every module here.
 *
 * - `kept_results`: results of reads that contracts declare a `cache` for. Rowid order is the order in which they were put.
 * - `cleared_results`: when the results of a tool were last cleared; the tool `*` stands for all.
 * - `drifts`: how often the answers of a tool version had another form than declared, and what the last one looked like.
 */
export const resultsSchema = `
CREATE TABLE kept_results (
  id INTEGER PRIMARY KEY,
  cache_key TEXT NOT NULL UNIQUE,
  tool TEXT NOT NULL,
  run_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  stored_at_ms REAL NOT NULL,
  expires_at_ms REAL NOT NULL,
  output TEXT NOT NULL
) STRICT;
CREATE INDEX kept_results_tool ON kept_results (tool);

CREATE TABLE cleared_results (
  tool TEXT PRIMARY KEY,
  at_ms REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE drifts (
  tool TEXT NOT NULL,
  version INTEGER NOT NULL,
  shape TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_at_ms REAL NOT NULL,
  last_at_ms REAL NOT NULL,
  run_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  facts TEXT NOT NULL,
  PRIMARY KEY (tool, version, shape)
) STRICT, WITHOUT ROWID;
`;
