/** A subject: somebody who can drive an agent run to its answer. */
import type { Load, TurnsSpec } from './sample-spec.ts';

export interface OpenSubject {
  /** Drives one run to its answer and gives it back. `index` names the run. */
  readonly run: (index: number) => Promise<unknown>;
  /** What the store has counted so far, by name. */
  readonly counters: () => Readonly<Record<string, number>>;
  /** Resolves when what the runs so far have set going beside themselves is done: it belongs to what they cost. */
  readonly settle?: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** How to open a subject for one of a spec's loads, on the store file of that name (which may not be there yet). */
export type SubjectOpener = (spec: TurnsSpec, load: Load, path: string) => Promise<OpenSubject>;
