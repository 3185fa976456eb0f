/** Parts of a document, which is data of somebody else: each is what it should be, or is not there. */
import { isJsonArray, type JsonValue } from '../util/json.ts';

/** The items of a list; empty for anything else. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonArray(value) ? value : [];
}

/** A text that says something, without the blanks around it. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** The texts of a list that say something. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value)
    .map(textOf)
    .filter((each) => each !== undefined);
}
