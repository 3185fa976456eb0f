import type { JsonValue } from '../util/json.ts';

/** Why a fact from outside cannot stand where it stands. */
export interface Misfit {
  /** JSON Pointer into the entry. */
  readonly path: string;
  /** What would stand there, where that is known. */
  readonly recomputed?: JsonValue;
  readonly message: string;
}
