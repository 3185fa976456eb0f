/** The tools of the kill tests, by what the effect law makes of them. Their code is in `tools.ts`. */

/** Reads, which run in parallel and are repeated. `peek` takes no time, so that long runs get on. */
export const readTools = ['look_up', 'peek'] as const;

export const effectfulTools = [
  /** Repeated with the same key. */
  'set_mark',
  /** In doubt after a crash; a person says what happened. */
  'add_note',
  /** In doubt after a crash; asks the ledger itself. */
  'send_letter',
  /** A write that asks for approval first. */
  'pay',
  /** Often takes longer than its time limit: in doubt while everything lives, and its late answer is evidence. */
  'slow_note',
  /** Its upstream often refuses before anything happened, which alone lets a write be tried again. */
  'busy_note',
] as const;

/** Tools of effect `write`: each of their attempts has at most one line in the ledger. */
export const writeTools: readonly string[] = ['add_note', 'send_letter', 'pay', 'slow_note', 'busy_note'];
/** Tools that need a person's approval. */
export const approvedTools: readonly string[] = ['pay'];
