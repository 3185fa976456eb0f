/**
 * Schemas of a document as JSON Schema 2020-12 that stands on its own.
 *
 * W1 A reference stays a reference, to a `$defs` that holds what can be reached and nothing else; so a schema may contain itself.
 * W2 What leads nowhere, or out of the document, admits anything, and is said in the warnings: a description that is incomplete must not take the tool away.
 * W3 A request has no `readOnly` property, a response no `writeOnly` one.
 * W4 A schema can be written smaller than it is, without its inner descriptions and with what lies behind many references left open: it then admits more, never less.
 * W5 Keywords that JSON Schema does not have, and values that they cannot have, are left out.
 */
import { schemaKeywords, schemaListKeywords, schemaMapKeywords } from '../contract/schema/subschema-keywords.ts';
import { AxleError } from '../error/axle-error.ts';
import { cutText } from '../util/cut-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { branchesByDiscriminator, discriminatorText } from './discriminator.ts';
import type { ApiDocument } from './document.ts';
import { lastPart, lookUp, resolveObject } from './reference.ts';
import { isDataKeyword } from './data-keywords.ts';

/** Schemas of one tool: more than any model can read. */
const maxSchemas = 50_000;
const maxDepth = 60;
/** A description inside of a schema is there to be read with many others. */
const maxDescriptionLength = 1_000;

export type Direction = 'request' | 'response';

export interface WriterOptions {
  readonly direction: Direction;
  /** Descriptions inside of schemas. @defaultValue true */
  readonly descriptions?: boolean;
  /** References behind each other that are followed; what lies behind more admits anything. @defaultValue all */
  readonly maxLevels?: number;
}

/** Writes the schemas of one side of one tool. */
export class SchemaWriter {
  readonly #document: ApiDocument;
  readonly #options: WriterOptions;
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, JsonValue>();
  readonly #warnings = new Set<string>();
  /** References that were met and are not written yet, level by level: each is written at the least number of references that leads to it. */
  #pending: (readonly [name: string, target: JsonValue])[] = [];
  #count = 0;

  constructor(document: ApiDocument, options: WriterOptions) {
    this.#document = document;
    this.#options = options;
  }

  /** What is wrong with the document, as far as it was met. */
  get warnings(): readonly string[] {
    return [...this.#warnings];
  }

  /** Writes and adds what was referred to. */
  finish(schema: JsonObject): JsonObject {
    const { maxLevels = Number.POSITIVE_INFINITY } = this.#options;
    for (let level = 1; this.#pending.length > 0; level += 1) {
      const pending = this.#pending;
      this.#pending = [];
      for (const [name, target] of pending) this.#definitions.set(name, level > maxLevels ? {} : this.write(target));
    }
    return this.#definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(this.#definitions) };
  }

  /** @throws AxleError `limit-exceeded` for a schema that is larger than any use of it */
  write(schema: JsonValue | undefined, depth = 0): JsonObject | boolean {
    this.#count += 1;
    if (this.#count > maxSchemas || depth > maxDepth) {
      throw new AxleError(
        'limit-exceeded',
        `A schema has more than ${maxSchemas} parts, or more than ${maxDepth} inside each other.`,
      );
    }
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) return {};
    const reference = schema['$ref'];
    const written =
      typeof reference === 'string' ? this.#reference(reference, schema, depth) : this.#own(schema, depth);
    return schema['nullable'] === true ? orNull(written) : written;
  }

  #reference(reference: string, schema: JsonObject, depth: number): JsonObject {
    const target = lookUp(this.#document.json, reference);
    if (target === undefined) {
      this.#warnings.add(`${cutText(reference, 200)} leads nowhere in this document, so anything is admitted there`);
    }
    const referring: JsonObject = target === undefined ? {} : { $ref: `#/$defs/${this.#define(reference, target)}` };
    const { $ref: _, nullable: __, ...beside } = schema;
    if (this.#document.isOlder) {
      const { title, description } = this.#own(beside, depth);
      return {
        ...referring,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
      };
    }
    return { ...referring, ...this.#own(beside, depth) };
  }

  #define(reference: string, target: JsonValue): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const readable =
      lastPart(reference)
        .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
        .slice(0, 100) || 'schema';
    let name = readable;
    for (let count = 2; this.#definitions.has(name); count += 1) name = `${readable}_${count}`;
    this.#names.set(reference, name);
    this.#definitions.set(name, {});
    this.#pending.push([name, target]);
    return name;
  }

  #own(schema: JsonObject, depth: number): JsonObject {
    const written: Record<string, JsonValue> = {};
    const hidden = this.#hiddenProperties(schema);
    const branches = branchesByDiscriminator(schema);
    for (const [keyword, value] of Object.entries(branches === undefined ? schema : { ...schema, ...branches })) {
      if (schemaKeywords.has(keyword)) {
        if (typeof value === 'boolean' || isJsonObject(value)) written[keyword] = this.write(value, depth + 1);
      } else if (schemaListKeywords.has(keyword)) {
        if (isJsonArray(value) && value.length > 0) written[keyword] = value.map((each) => this.write(each, depth + 1));
      } else if (schemaMapKeywords.has(keyword)) {
        if (isJsonObject(value)) written[keyword] = this.#map(value, keyword === 'properties' ? hidden : none, depth);
      } else if (isDataKeyword(keyword, value)) {
        if (keyword !== 'description') written[keyword] = value;
        else if (typeof value === 'string' && this.#options.descriptions !== false) {
          written[keyword] = cutText(value, maxDescriptionLength);
        }
      }
    }
    const required = written['required'];
    if (hidden.size > 0 && isJsonArray(required)) {
      written['required'] = required.filter((name) => typeof name === 'string' && !hidden.has(name));
    }
    admitNull(written, schema);
    const words = discriminatorText(schema);
    if (words !== undefined) {
      const description = written['description'];
      written['description'] = cutText(
        typeof description === 'string' ? `${description}\n${words}` : words,
        maxDescriptionLength,
      );
    }
    return written;
  }

  #map(map: JsonObject, hidden: ReadonlySet<string>, depth: number): JsonObject {
    return Object.fromEntries(
      Object.entries(map)
        .filter(([name]) => !hidden.has(name))
        .map(([name, value]) => [name, this.write(value, depth + 1)]),
    );
  }

  /** Properties that the other side alone may send. */
  #hiddenProperties(schema: JsonObject): ReadonlySet<string> {
    const properties = schema['properties'];
    if (!isJsonObject(properties)) return none;
    const mark = this.#options.direction === 'request' ? 'readOnly' : 'writeOnly';
    const hidden = Object.entries(properties).filter(
      ([, value]) =>
        (isJsonObject(value) && value[mark] === true) || resolveObject(this.#document.json, value)?.[mark] === true,
    );
    return hidden.length === 0 ? none : new Set(hidden.map(([name]) => name));
  }
}

const none: ReadonlySet<string> = new Set();

/** `nullable` where it could not be made a type (OpenAPI 3.0 beside `oneOf`, or in a newer document where it is a mistake). */
function orNull(schema: JsonObject | boolean): JsonObject | boolean {
  if (typeof schema === 'boolean') return schema;
  const { type } = schema;
  if (type !== undefined) {
    const types = isJsonArray(type) ? type : [type];
    if (types.includes('null')) return schema;
    const enumerated = schema['enum'];
    return {
      ...schema,
      type: [...types, 'null'],
      ...(isJsonArray(enumerated) && !enumerated.includes(null) ? { enum: [...enumerated, null] } : {}),
    };
  }
  if (Object.keys(schema).every((keyword) => keyword === 'description' || keyword === 'title')) return schema;
  const { description, ...rest } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [rest, { type: 'null' }] };
}

/** A type that admits null beside a list of values that does not: who wrote `nullable` beside an `enum` meant both. */
function admitNull(written: Record<string, JsonValue>, schema: JsonObject): void {
  const { type, enum: enumerated } = schema;
  if (isJsonArray(type) && type.includes('null') && isJsonArray(enumerated) && !enumerated.includes(null)) {
    written['enum'] = [...enumerated, null];
  }
}
