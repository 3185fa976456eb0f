/**
 * Dates in another form than the `format` of their schema asks for. A format refuses nobody (S3), so that such a text fits already and the tool would
 * get it as it is: this is the one repair of what the schema admits, and it is made only where the text can mean one day or one instant.
 */
import type { Repair } from '../../call/call.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { pointerTo } from '../pointer.ts';
import { listedValues, ownMember, schemasOf, SchemaView } from '../schema/schema-view.ts';
import { isoDateOf, isoDateTimeOf } from './date-text.ts';
import type { RepairRule } from './rules.ts';

/** A repair that is proposed: it counts once the schema has admitted what it makes. */
export interface DateRepair extends Required<Repair> {
  readonly rule: RepairRule;
}

/** Whether any place of the schema asks for a date at all. */
export function asksForDates(schemaText: string): boolean {
  return /"format":"date(?:-time)?"/.test(schemaText);
}

/** The value with every such date in the form that its schema asks for; the value itself when there is none. */
export function fitDates(
  value: JsonValue,
  schema: JsonObject,
): { readonly value: JsonValue; readonly repairs: readonly DateRepair[] } {
  const repairs: DateRepair[] = [];
  return {
    value: new DateFitter(new SchemaView(schema), repairs).fit(value, { schema, path: '', nesting: 0 }),
    repairs,
  };
}

/** Parts of parts of a schema that are looked through for one value. */
const maxNesting = 8;

interface Place {
  readonly schema: JsonValue | undefined;
  readonly path: string;
  readonly nesting: number;
}

class DateFitter {
  readonly #view: SchemaView;
  readonly #repairs: DateRepair[];

  constructor(view: SchemaView, repairs: DateRepair[]) {
    this.#view = view;
    this.#repairs = repairs;
  }

  fit(value: JsonValue, { schema, path, nesting }: Place): JsonValue {
    const resolved = this.#view.resolve(schema);
    if (resolved === undefined || nesting > maxNesting) return value;
    if (typeof value === 'string') return this.#fitText(value, resolved, path);
    let fitted: JsonValue = value;
    for (const part of schemasOf(resolved['allOf'])) {
      fitted = this.fit(fitted, { schema: part, path, nesting: nesting + 1 });
    }
    if (isJsonObject(fitted)) return this.#fitMembers(fitted, resolved, path);
    return isJsonArray(fitted) ? this.#fitItems(fitted, resolved, path) : fitted;
  }

  #fitMembers(object: JsonObject, schema: JsonObject, path: string): JsonObject {
    const declared = isJsonObject(schema['properties']) ? schema['properties'] : {};
    // With patterns a key that is not declared may be under one of them.
    const rest = schema['patternProperties'] === undefined ? schema['additionalProperties'] : undefined;
    const fitted = Object.entries(object).map(([key, member]): [string, JsonValue] => [
      key,
      this.fit(member, { schema: ownMember(declared, key) ?? rest, path: pointerTo(path, key), nesting: 0 }),
    ]);
    return fitted.some(([key, member]) => member !== object[key]) ? Object.fromEntries(fitted) : object;
  }

  #fitItems(items: readonly JsonValue[], schema: JsonObject, path: string): JsonValue {
    const first = schema['prefixItems'];
    const fitted = items.map((item, index) => {
      const own = (isJsonArray(first) ? first[index] : undefined) ?? schema['items'];
      return this.fit(item, { schema: own, path: pointerTo(path, index), nesting: 0 });
    });
    return fitted.some((item, index) => item !== items[index]) ? fitted : items;
  }

  #fitText(text: string, schema: JsonObject, path: string): JsonValue {
    const format = this.#formatOf(schema, 0);
    const after = format === 'date' ? isoDateOf(text) : format === 'date-time' ? isoDateTimeOf(text) : undefined;
    if (after === undefined) return text;
    this.#repairs.push({ rule: format === 'date' ? 'date-form' : 'date-time-form', path, before: text, after });
    return after;
  }

  /** The format that every text has here: the schema's own, or that of the one alternative that admits a text. */
  #formatOf(schema: JsonObject, nesting: number): JsonValue | undefined {
    if (listedValues(schema) !== undefined || nesting > maxNesting) return undefined;
    if (schema['format'] !== undefined) return schema['format'];
    const alternatives = [...schemasOf(schema['anyOf']), ...schemasOf(schema['oneOf'])];
    const forTexts = alternatives.filter((branch) => this.#view.admits(branch).has('string'));
    const parts = [...schemasOf(schema['allOf']), ...(forTexts.length === 1 ? forTexts : [])];
    const formats = parts.flatMap((part) => {
      const resolved = this.#view.resolve(part);
      return (resolved === undefined ? undefined : this.#formatOf(resolved, nesting + 1)) ?? [];
    });
    return formats.length === 1 ? formats[0] : undefined;
  }
}
