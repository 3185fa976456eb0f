/**
 * A 2020-12 schema rewritten so that Ajv reads it as the standard does. What is admitted stays the same; only three things change their form:
 *
 * R1 Resources in resources. `$id`, `$anchor`, `$dynamicRef` and `$dynamicAnchor` become plain references into one flat `$defs`. Where a dynamic
 *    reference leads depends on the way by which it was reached, so a schema gets one copy for each set of dynamic anchors under which it is reached.
 * R2 An `enum` of nothing becomes `not: {}`, since Ajv refuses it.
 * R3 Where something is unevaluated, `if` becomes a choice of two: Ajv counts as evaluated what a failed `if` has looked at.
 */
import { canonicalJson, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import { pointerMembers } from '../pointer.ts';
import { ownMember } from './schema-view.ts';
import { schemaKeywords, schemaListKeywords, schemaMapKeywords } from './subschema-keywords.ts';

/** Here those that only keep schemas for references count too. */
const mapKeywords: ReadonlySet<string> = new Set([...schemaMapKeywords, '$defs', 'definitions']);
/** What only says where a schema can be found, once references lead there directly. */
const placeKeywords: ReadonlySet<string> = new Set(['$id', '$anchor', '$dynamicAnchor', '$defs', 'definitions']);

/** Copies of one schema's parts; more of them than this were never written by hand. */
const maxCopies = 500;
/** Stands for the place of a schema that does not say where it is. */
const noPlace = 'axle://schema/';
/** What describes JSON Schema itself: Ajv has it. */
const metaSchemas = 'https://json-schema.org/';

/** Whether a schema, as text, has anything that must be rewritten. */
export function needsFlattening(text: string): boolean {
  return /"\$(?:dynamicRef|anchor|id)":|"enum":\[\]/.test(text) || (text.includes('"if":') && hasUnevaluated(text));
}

function hasUnevaluated(text: string): boolean {
  return /"unevaluated(?:Items|Properties)":/.test(text);
}

/** The same schema in the form that Ajv reads right. @throws Error when a reference leads nowhere, or to too many places. */
export function flatSchema(root: JsonObject): JsonObject {
  return new Flattener(root).flatten();
}

/** A schema that is a document of its own: the root, or one with an `$id`. */
interface Resource {
  readonly uri: string;
  readonly schema: JsonObject;
  readonly anchors: Map<string, JsonObject>;
  readonly dynamicAnchors: Map<string, JsonObject>;
}

/** Where a reference leads. */
interface Target {
  readonly schema: JsonValue;
  readonly resource: Resource;
  /** The name of the dynamic anchor that it names. */
  readonly dynamicName?: string;
}

/** The resources of a schema, found by the places where the standard has schemas. */
class Resources {
  readonly root: Resource;
  readonly #byUri = new Map<string, Resource>();
  readonly #byRoot = new Map<JsonObject, Resource>();

  constructor(root: JsonObject) {
    this.root = this.#begin(root, noPlace);
    this.#index(root, this.root);
  }

  /** The resource that begins with this schema. */
  beginningAt(schema: JsonObject): Resource | undefined {
    return this.#byRoot.get(schema);
  }

  /** Undefined for a reference to what describes JSON Schema itself. @throws Error when there is nothing. */
  resolve(reference: string, from: Resource): Target | undefined {
    const url = new URL(reference, from.uri);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    const resource = this.#byUri.get(url.href);
    if (resource === undefined && url.href.startsWith(metaSchemas)) return undefined;
    const target = resource === undefined ? undefined : this.#within(resource, fragment);
    if (target === undefined) throw new Error(`can't resolve reference ${reference}`);
    return target;
  }

  #within(resource: Resource, fragment: string): Target | undefined {
    if (fragment === '') return { schema: resource.schema, resource };
    if (!fragment.startsWith('/')) {
      const dynamic = resource.dynamicAnchors.get(fragment);
      if (dynamic !== undefined) return { schema: dynamic, resource, dynamicName: fragment };
      const schema = resource.anchors.get(fragment);
      return schema === undefined ? undefined : { schema, resource };
    }
    let schema: JsonValue | undefined = resource.schema;
    let around = resource;
    for (const member of pointerMembers(fragment)) {
      if (isJsonArray(schema)) schema = schema[Number(member)];
      else schema = isJsonObject(schema) ? ownMember(schema, member) : undefined;
      if (isJsonObject(schema)) around = this.#byRoot.get(schema) ?? around;
    }
    return schema === undefined ? undefined : { schema, resource: around };
  }

  #begin(schema: JsonObject, base: string): Resource {
    const id = schema['$id'];
    const url = new URL(typeof id === 'string' ? id : '', base);
    url.hash = '';
    const resource = { uri: url.href, schema, anchors: new Map(), dynamicAnchors: new Map() };
    this.#byUri.set(resource.uri, resource);
    this.#byRoot.set(schema, resource);
    return resource;
  }

  #index(schema: JsonValue, around: Resource): void {
    if (!isJsonObject(schema)) return;
    const begins = typeof schema['$id'] === 'string' && schema !== around.schema;
    const resource = begins ? this.#begin(schema, around.uri) : around;
    const { $anchor: anchor, $dynamicAnchor: dynamicAnchor } = schema;
    if (typeof anchor === 'string') resource.anchors.set(anchor, schema);
    if (typeof dynamicAnchor === 'string') resource.dynamicAnchors.set(dynamicAnchor, schema);
    for (const [keyword, value] of Object.entries(schema)) {
      for (const inner of subschemasOf(keyword, value)) this.#index(inner, resource);
    }
  }
}

function subschemasOf(keyword: string, value: JsonValue): readonly JsonValue[] {
  if (schemaKeywords.has(keyword)) return [value];
  if (schemaListKeywords.has(keyword)) return isJsonArray(value) ? value : [];
  return mapKeywords.has(keyword) && isJsonObject(value) ? Object.values(value) : [];
}

/** Where each dynamic anchor leads on this way: to the outermost resource that has it. */
type Scope = ReadonlyMap<string, Target>;

class Flattener {
  readonly #resources: Resources;
  readonly #definitions: Record<string, JsonValue> = {};
  readonly #names = new Map<string, string>();
  readonly #numbers = new Map<JsonValue, number>();

  readonly #splitsIf: boolean;

  constructor(root: JsonObject) {
    this.#resources = new Resources(root);
    this.#splitsIf = hasUnevaluated(canonicalJson(root));
  }

  flatten(): JsonObject {
    const { root } = this.#resources;
    const flat = this.#copyObject(root.schema, root, entered(new Map(), root));
    return { ...flat, $defs: this.#definitions };
  }

  /** The name of the copy of a schema for this way of reaching it, made when it is not there yet. */
  #nameOf(target: Target, scope: Scope): string {
    const inner = entered(scope, target.resource);
    const key = [target.schema, ...[...inner.values()].map(({ schema }) => schema)]
      .map((schema) => this.#numberOf(schema))
      .join(' ');
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    if (this.#names.size >= maxCopies) throw new Error(`its references make more than ${maxCopies} schemas of it`);
    const name = `s${this.#names.size}`;
    this.#names.set(key, name);
    this.#definitions[name] = this.#copy(target.schema, target.resource, inner);
    return name;
  }

  #numberOf(schema: JsonValue): number {
    const known = this.#numbers.get(schema);
    if (known !== undefined) return known;
    this.#numbers.set(schema, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  #copy(schema: JsonValue, around: Resource, scope: Scope): JsonValue {
    if (!isJsonObject(schema)) return schema;
    const begun = this.#resources.beginningAt(schema);
    return begun === undefined
      ? this.#copyObject(schema, around, scope)
      : this.#copyObject(schema, begun, entered(scope, begun));
  }

  #copyObject(schema: JsonObject, resource: Resource, scope: Scope): JsonObject {
    const copied: Record<string, JsonValue> = {};
    const also: JsonValue[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (placeKeywords.has(keyword)) continue;
      if (keyword === '$ref' || keyword === '$dynamicRef') {
        also.push(this.#reference(keyword, value, { resource, scope }));
      } else if (keyword === 'enum' && isJsonArray(value) && value.length === 0) also.push({ not: {} });
      else copied[keyword] = this.#copyKeyword(keyword, value, { resource, scope });
    }
    if (this.#splitsIf && copied['if'] !== undefined) also.push(choiceOf(copied));
    if (also.length > 0) copied['allOf'] = [...(isJsonArray(copied['allOf']) ? copied['allOf'] : []), ...also];
    return copied;
  }

  #copyKeyword(
    keyword: string,
    value: JsonValue,
    { resource, scope }: { readonly resource: Resource; readonly scope: Scope },
  ): JsonValue {
    const copy = (inner: JsonValue): JsonValue => this.#copy(inner, resource, scope);
    if (schemaKeywords.has(keyword)) return copy(value);
    if (schemaListKeywords.has(keyword) && isJsonArray(value)) return value.map(copy);
    if (!mapKeywords.has(keyword) || !isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copy(inner)]));
  }

  #reference(
    keyword: '$ref' | '$dynamicRef',
    value: JsonValue,
    { resource, scope }: { readonly resource: Resource; readonly scope: Scope },
  ): JsonObject {
    const target = typeof value === 'string' ? this.#resources.resolve(value, resource) : undefined;
    if (target === undefined) return { $ref: value };
    const dynamic = keyword === '$dynamicRef' && target.dynamicName !== undefined;
    const found = dynamic ? entered(scope, target.resource).get(target.dynamicName) : undefined;
    return { $ref: `#/$defs/${this.#nameOf(found ?? target, scope)}` };
  }
}

function entered(scope: Scope, resource: Resource): Scope {
  const added = [...resource.dynamicAnchors].filter(([name]) => !scope.has(name));
  if (added.length === 0) return scope;
  const inner = new Map(scope);
  for (const [name, schema] of added) inner.set(name, { schema, resource });
  return inner;
}

/** `if`, `then` and `else`, taken out of the schema: either `if` and `then` hold, or `if` does not and `else` does. */
function choiceOf(schema: Record<string, JsonValue>): JsonObject {
  const { if: condition = true, then: when = true, else: otherwise = true } = schema;
  for (const keyword of ['if', 'then', 'else']) Reflect.deleteProperty(schema, keyword);
  return { anyOf: [{ allOf: [condition, when] }, { not: condition, allOf: [otherwise] }] };
}
