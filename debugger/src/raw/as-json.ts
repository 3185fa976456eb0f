import type { Entry } from '../../../src/journal/entry.ts';
import type { JsonValue } from '../../../src/util/json.ts';

/** An entry is plain JSON data (E1 of the journal), which its type does not say. */
export function asJson(entry: Entry): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above; here it came out of a JSON text.
  return entry as unknown as JsonValue;
}
