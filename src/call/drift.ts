/** Drift: a tool that answered in another form than its contract declares, as facts. */
import type { JsonValue } from '../util/json.ts';

/** Where an answer differs from what was declared. Paths are JSON Pointers; a place in a list is `*`, so that the same drift has the same facts. */
export interface ShapeDifference {
  /** Required and not there. */
  readonly missing: readonly string[];
  /** There and not declared. */
  readonly unexpected: readonly string[];
  readonly changed: readonly ChangedKind[];
}

export interface ChangedKind {
  readonly path: string;
  /** The kinds of value that are declared, for example `integer or null`. */
  readonly declared: string;
  readonly came: string;
}

export interface Drift extends ShapeDifference {
  /** The same for every answer that differs in the same way: what tells a new drift from one that is known. */
  readonly shape: string;
  /** What came; a text of its beginning when it was longer than `maxRawLength` characters of JSON. */
  readonly raw: JsonValue;
  /** SHA-256 of the JSON text of the whole answer, and its length in characters. */
  readonly rawHash: string;
  readonly rawLength: number;
}

/** Characters of an answer that are kept. */
export const maxRawLength = 65_536;
