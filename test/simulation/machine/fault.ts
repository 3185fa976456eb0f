/** What can go wrong, and where: every fault strikes at one point, the n-th time that a process touches anything outside itself. */

/** What a process was about to do when it met a point. */
export type PointKind = 'write' | 'read' | 'sync' | 'effect' | 'model' | 'timer';

/** Before the operation, inside it (torn: nothing of it survives), or after it (durable, and nobody was told). */
export type Position = 'before' | 'inside' | 'after';

export type Fault = { readonly at: number } & FaultKind;

export type FaultKind =
  /** The process ends as by SIGKILL and comes back after a while. */
  | { readonly kind: 'crash'; readonly position: Position; readonly restartAfterMs: number }
  /** The machine loses power: every process ends, and of the commits that were not synced only a part survives. */
  | { readonly kind: 'power-cut'; readonly position: Position; readonly kept: number; readonly restartAfterMs: number }
  /** A write fails without an answer, and is not there. */
  | { readonly kind: 'lost' }
  /** A write fails without an answer, and is there. */
  | { readonly kind: 'unacknowledged' }
  /** The store refuses writes (disk full), or everything. */
  | { readonly kind: 'unavailable'; readonly forMs: number; readonly reads: boolean }
  | { readonly kind: 'slow'; readonly forMs: number }
  /** The process stands still, as by SIGSTOP, and goes on later as a zombie. */
  | { readonly kind: 'freeze'; readonly forMs: number }
  /** Others take over although the owner is well: a dispatcher that errs. What the owner was about to do is held up meanwhile. */
  | { readonly kind: 'steal'; readonly forMs: number }
  /** The wall clock of the process jumps. */
  | { readonly kind: 'jump'; readonly byMs: number }
  | { readonly kind: 'cancel'; readonly run: number }
  | { readonly kind: 'message'; readonly run: number }
  /** The process is told to shut down and comes back. */
  | { readonly kind: 'shut-down'; readonly restartAfterMs: number };
