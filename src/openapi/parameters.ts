/** The parameters of an operation, read: where each goes, how it is written, and under which name the model gives it. */
import { isReservedHeader } from '../http-client/request-head.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import type { ApiDocument } from './document.ts';
import { listOf } from './json-parts.ts';
import type { ParameterStyle, Styled } from './parameter-style.ts';
import { resolveObject } from './reference.ts';

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

export interface Parameter extends Styled {
  readonly in: ParameterPlace;
  /** Its name among the arguments of the tool. */
  readonly key: string;
  readonly isRequired: boolean;
  /** Written as JSON, whatever the style: the document describes it by a media type. */
  readonly isJson: boolean;
  readonly schema: JsonValue | undefined;
  readonly description: string | undefined;
  readonly example: JsonValue | undefined;
}

/** What an operation has, or why it cannot be called. */
export type Parameters =
  | { readonly kind: 'read'; readonly parameters: readonly Parameter[]; readonly idempotencyHeader?: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** A parameter that is not the model's to give: a credential, or what the configuration fixes. */
export type IsGiven = (place: ParameterPlace, name: string) => boolean;

/** Said by OpenAPI to be no parameters, whatever stands there. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type']);
const idempotencyHeaders: ReadonlySet<string> = new Set(['idempotency-key', 'x-idempotency-key']);
const maxParameters = 200;

/** Reads those of the path item and of the operation; the operation's win. */
export function readParameters(
  document: ApiDocument,
  { pathItem, operation }: { readonly pathItem: JsonObject; readonly operation: JsonObject },
  isGiven: IsGiven,
): Parameters {
  const found = new Map<string, { readonly json: JsonObject; readonly name: string; readonly place: string }>();
  for (const given of [...listOf(pathItem['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = resolveObject(document.json, given);
    const name = parameter?.['name'];
    const place = parameter?.['in'];
    if (parameter === undefined || typeof name !== 'string' || typeof place !== 'string') {
      return { kind: 'refused', reason: `one of its parameters leads nowhere: ${JSON.stringify(given).slice(0, 200)}` };
    }
    found.set(`${place} ${name}`, { json: parameter, name, place });
  }
  if (found.size > maxParameters) return { kind: 'refused', reason: `it has more than ${maxParameters} parameters` };
  const parameters: Omit<Parameter, 'key'>[] = [];
  let idempotencyHeader: string | undefined;
  for (const { json, name, place } of found.values()) {
    if (!isPlace(place)) return { kind: 'refused', reason: `its parameter ${name} stands in ${place}` };
    const lower = name.toLowerCase();
    if (place === 'header' && (ignoredHeaders.has(lower) || isReservedHeader(name))) continue;
    if (place === 'header' && idempotencyHeaders.has(lower)) idempotencyHeader = name;
    else if (!isGiven(place, name)) parameters.push(readParameter(json, name, place));
  }
  return {
    kind: 'read',
    parameters: withKeys(parameters),
    ...(idempotencyHeader === undefined ? {} : { idempotencyHeader }),
  };
}

function readParameter(parameter: JsonObject, name: string, place: ParameterPlace): Omit<Parameter, 'key'> {
  const content = isJsonObject(parameter['content']) ? Object.values(parameter['content'])[0] : undefined;
  const style = styles[place].find((each) => each === parameter['style']) ?? styles[place][0] ?? 'simple';
  const explode = parameter['explode'];
  const { description } = parameter;
  return {
    name,
    in: place,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    allowReserved: parameter['allowReserved'] === true,
    isRequired: place === 'path' || parameter['required'] === true,
    isJson: content !== undefined,
    schema: isJsonObject(content) ? content['schema'] : parameter['schema'],
    description: typeof description === 'string' && description !== '' ? description : undefined,
    example: exampleOf(parameter),
  };
}

/** The first is the default. */
const styles: Readonly<Record<ParameterPlace, readonly ParameterStyle[]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
};

/** The first example of a parameter or a media type. */
export function exampleOf(holder: JsonObject): JsonValue | undefined {
  if (holder['example'] !== undefined) return holder['example'];
  const { examples, schema } = holder;
  const first = isJsonObject(examples) ? Object.values(examples)[0] : undefined;
  if (isJsonObject(first) && first['value'] !== undefined) return first['value'];
  const inSchema = isJsonObject(schema) ? schema['examples'] : undefined;
  return listOf(inSchema)[0];
}

/**
 * Names for the arguments: the parameter's own in the characters that providers take, with its place behind it where the same name stands in two places or
 * is that of the body.
 */
function withKeys(parameters: readonly Omit<Parameter, 'key'>[]): readonly Parameter[] {
  const plain = parameters.map(({ name }) => legalKey(name));
  const taken = new Set<string>(['body']);
  return parameters.map((parameter, index) => {
    const own = plain[index] ?? 'value';
    const isShared = own === 'body' || plain.filter((each) => each === own).length > 1;
    const wanted = isShared ? `${own}_in_${parameter.in}`.slice(0, 64) : own;
    let key = wanted;
    for (let count = 2; taken.has(key); count += 1) key = `${wanted.slice(0, 60)}_${count}`;
    taken.add(key);
    return { ...parameter, key };
  });
}

function legalKey(name: string): string {
  const legal = name
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+(?=.)|_+$/g, '')
    .slice(0, 64);
  return legal === '' || legal === '__proto__' || legal === 'constructor' || legal === 'prototype' ? 'value' : legal;
}

function isPlace(value: string): value is ParameterPlace {
  return value === 'path' || value === 'query' || value === 'header' || value === 'cookie';
}
