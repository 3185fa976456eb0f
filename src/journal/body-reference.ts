/**
 * Large values that stand in entries by name: what a reader gets who asks for `bodies: 'reference'`.
 *
 * F1 Only values that nobody reads to follow a run are named: inputs, outputs, and what came instead of one. Texts and everything with a structure stand in their
 *    entries, so a fold that looks into no value gives the same from both.
 * F2 A value of a user that looks like a reference is wrapped, so `$body` with a text is always a reference and `$body` with null is always a wrapped value.
 */
import { isRecord, type JsonValue } from '../util/json.ts';
import { type BodyPlaces, changeBodies } from './body-places.ts';

/** In the place of a value: the hash under which the store gives it (`Store.body`), and how long its JSON text is. */
export interface BodyReference {
  readonly $body: string;
  /** Bytes of UTF-8. */
  readonly sizeBytes: number;
}

/** True for a value that stands elsewhere. */
export function isBodyReference(value: unknown): value is BodyReference {
  return isRecord(value) && typeof value['$body'] === 'string' && typeof value['sizeBytes'] === 'number';
}

/** The value itself, where it only looked like a reference. */
export function unwrapped(value: JsonValue): JsonValue {
  return isWrapped(value) ? value.value : value;
}

function isWrapped(value: unknown): value is { readonly $body: null; readonly value: JsonValue } {
  return isRecord(value) && value['$body'] === null && Object.hasOwn(value, 'value');
}

/** The places at which values may be named (F1). */
const valuePlaces: BodyPlaces = {
  'run-finished': [['output']],
  'call-bound': [['call', 'input']],
  'approval-answered': [['edited', 'input']],
  'attempt-finished': [
    ['result', 'output'],
    ['result', 'drift', 'raw'],
  ],
  'evidence-received': [
    ['result', 'output'],
    ['result', 'drift', 'raw'],
  ],
  'call-fell-back': [['call', 'input']],
  'call-cached': [['output']],
  'call-recorded': [['outcome', 'output']],
  'verify-finished': [['verdict', 'output']],
  'call-resolved': [['verdict', 'output']],
  'call-settled': [['outcome', 'output']],
};

/** The size of a body in bytes, undefined when the store does not have it. */
export type BodySize = (hash: string) => number | undefined;

/** Names the values of entries of one append that stand elsewhere, and wraps those that look like it. */
export class ValueReferences {
  readonly #sizeOf: BodySize;
  readonly #made = new Set<unknown>();

  constructor(sizeOf: BodySize) {
    this.#sizeOf = sizeOf;
  }

  /** The entry as it is stored, with the hashes at the places of values made references. */
  name(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return changeBodies(entry, valuePlaces, (value) => {
      const hash = isRecord(value) ? value['$body'] : undefined;
      const sizeBytes = typeof hash === 'string' ? this.#sizeOf(hash) : undefined;
      if (sizeBytes === undefined) return value;
      const reference = { $body: hash, sizeBytes };
      this.#made.add(reference);
      return reference;
    });
  }

  /** True for a reference that was made here. */
  has(value: unknown): boolean {
    return this.#made.has(value);
  }

  /** The entry with every other value that has a key `$body` wrapped (F2). */
  wrap(entry: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    return changeBodies(entry, valuePlaces, (value) =>
      isRecord(value) && Object.hasOwn(value, '$body') && !this.#made.has(value) ? { $body: null, value } : value,
    );
  }
}
