/**
 * Schema 1. Forward only: once released, this text never changes; a change is a new numbered module.
 *
 * - `journal`: one row for each append. A rowid table with an index, since WITHOUT ROWID stores three times as much; rows of all runs follow one
 *   another, so a group of appends fills few pages. `chain` is left room for: 32 bytes that bind a row to the one before it.
 * - `runs`: what the last append said of a run, as far as waking and listing need it. Its sequence number, time and steps stand in the last row of
 *   its journal and not here: so an append to a run that simply goes on does not touch this table.
 * - `due_at_ms`: since when a run wants a driver: 0 for at once, null for not at all.
 */
export const journalSchema = `
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  run_key INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  session TEXT,
  request_key TEXT,
  request_hash TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('active', 'waiting', 'held', 'ended')),
  wake_at_ms INTEGER,
  waiting_on TEXT,
  ending TEXT,
  last_post_id INTEGER NOT NULL DEFAULT 0,
  inbox_cursor INTEGER NOT NULL DEFAULT 0,
  due_at_ms INTEGER GENERATED ALWAYS AS (
    CASE
      WHEN state = 'ended' THEN NULL
      WHEN state = 'active' OR last_post_id > inbox_cursor THEN 0
      WHEN state = 'waiting' THEN wake_at_ms
    END
  ) VIRTUAL
) STRICT;
CREATE UNIQUE INDEX runs_request_key ON runs (request_key) WHERE request_key IS NOT NULL;
CREATE INDEX runs_due ON runs (due_at_ms, run_key) WHERE due_at_ms IS NOT NULL;
CREATE INDEX runs_state ON runs (state, run_key);
CREATE INDEX runs_subject ON runs (subject, run_key);
CREATE INDEX runs_session ON runs (session, run_key) WHERE session IS NOT NULL;

CREATE TABLE journal (
  id INTEGER PRIMARY KEY,
  run_key INTEGER NOT NULL,
  last_seq INTEGER NOT NULL,
  entry_count INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  steps INTEGER NOT NULL,
  format INTEGER NOT NULL,
  checksum INTEGER NOT NULL,
  chain BLOB,
  entries TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX journal_run_seq ON journal (run_key, last_seq);

CREATE TABLE bodies (
  body_key INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL
) STRICT;

CREATE TABLE snapshots (
  run_key INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  state TEXT NOT NULL
) STRICT;

CREATE TABLE inbox (
  inbox_id INTEGER PRIMARY KEY AUTOINCREMENT,
  run_key INTEGER NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  unique_key TEXT,
  at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_run ON inbox (run_key, inbox_id);
CREATE UNIQUE INDEX inbox_first ON inbox (run_key, unique_key) WHERE unique_key IS NOT NULL;
`;
