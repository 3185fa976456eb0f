/**
 * Schema 4. Forward only, like every module here.
 *
 * - `kept_locks`: the locks that calls of a run keep whatever becomes of their driver, as its last append said. A driver reads all of them before it gives a lock
 *   away for the first time, so there is an index of the few rows that have any.
 */
export const keptLocksSchema = `
ALTER TABLE runs ADD COLUMN kept_locks TEXT;
CREATE INDEX runs_kept_locks ON runs (run_key) WHERE kept_locks IS NOT NULL;
`;
