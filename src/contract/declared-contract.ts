/**
 * A contract out of the declaration that a store has kept: enough to bind and to describe, nothing to perform with.
 *
 * K1 What it says of the tool is what a model was shown of it: where aliases stand in the place of real values, they do so here.
 * K2 It has no functions. What functions did (a schema that changes values, a stand-in's mapping, a key's migration) it does not do, so whoever compares with it
 *    knows that a difference may be theirs.
 */
import type { ContractPin } from '../call/pin.ts';
import { effects, risks } from '../call/effect.ts';
import { parseSelector } from '../call/selector.ts';
import { AxleError } from '../error/axle-error.ts';
import { sha256 } from '../util/hash.ts';
import { defined } from '../util/defined.ts';
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  jsonObjectIn,
  type JsonValue,
} from '../util/json.ts';
import type { Contract, ContractExample, MappedInput, PublishedValue } from './contract.ts';
import { toCheckedSchema } from './schema/checked-schema.ts';

/** The contract of a declaration; undefined for a text that is none. Its hash and its terms are those that the run has pinned. */
export function declaredContract(
  text: string,
  { hash, shape, terms }: Pick<ContractPin, 'hash' | 'shape' | 'terms'>,
): Contract | undefined {
  const declared = jsonObjectIn(text);
  if (declared === undefined) return undefined;
  const { name, version, input, output, effect, risk } = declared;
  const knownEffect = effects.find((known) => known === effect);
  const knownRisk = risks.find((known) => known === risk);
  if (typeof name !== 'string' || typeof version !== 'number' || !isJsonObject(input)) return undefined;
  if (knownEffect === undefined || knownRisk === undefined) return undefined;
  return Object.freeze({
    name,
    version,
    description: textIn(declared, 'description') ?? '',
    ...textsIn(declared, 'whenToUse', 'limitations', 'category'),
    tags: [],
    examples: examplesIn(declared['examples']),
    effect: knownEffect,
    risk: knownRisk,
    irreversible: declared['irreversible'] === true,
    terms,
    input: toCheckedSchema(input, 'input', `The kept input schema of tool ${name}`),
    ...(isJsonObject(output) && {
      output: toCheckedSchema(output, 'output', `The kept output schema of tool ${name}`),
    }),
    pin: { name, version, hash, shape, terms },
    declaration: text,
    ...contextIn(declared, input),
    fallback: terms.fallback ?? [],
    execute: async () => {
      throw new AxleError('internal', `Only the declaration of ${name} is known here, and it was to be performed.`);
    },
  });
}

/** What a run pins of a declared contract, as plain data: made of its text alone. */
export function declaredPin(text: string): JsonObject | undefined {
  const declared = jsonObjectIn(text);
  if (declared === undefined) return undefined;
  const { name, version, terms, input, output = null, effect, publishes, inputs, requires } = declared;
  const shape = sha256(canonicalJson(defined({ input, output, effect, publishes, inputs, requires })));
  return defined({ name, version, hash: sha256(text), shape, terms });
}

function textIn(object: JsonObject, field: string): string | undefined {
  const value = object[field];
  return typeof value === 'string' ? value : undefined;
}

function textsIn<Field extends string>(
  object: JsonObject,
  ...fields: readonly Field[]
): { readonly [Name in Field]?: string } {
  const texts: { [Name in Field]?: string } = {};
  for (const field of fields) {
    const text = textIn(object, field);
    if (text !== undefined) texts[field] = text;
  }
  return texts;
}

function examplesIn(value: JsonValue | undefined): readonly ContractExample[] {
  return objectsIn(value).flatMap(({ input, output }) =>
    input === undefined ? [] : [{ input, ...(output === undefined ? {} : { output }) }],
  );
}

/** The other direction of `plainContext`. */
function contextIn(declared: JsonObject, inputSchema: JsonObject): Pick<Contract, 'publishes' | 'inputs' | 'requires'> {
  const required = inputSchema['required'];
  const inputs = objectsIn(declared['inputs']).flatMap(({ field, from, unchanged }): readonly MappedInput[] => {
    const selector = typeof from === 'string' ? parseSelector(from) : undefined;
    if (typeof field !== 'string' || selector === undefined) return [];
    const isRequired = isJsonArray(required) && required.includes(field);
    return [{ field, from: selector, isRequired, isUnchanged: unchanged === true }];
  });
  const publishes = objectsIn(declared['publishes']).flatMap(({ key, at, version }): readonly PublishedValue[] =>
    typeof key === 'string' && typeof at === 'string' && typeof version === 'number' ? [{ key, at, version }] : [],
  );
  const needs = declared['requires'];
  const requires = (isJsonArray(needs) ? needs : []).flatMap((need) =>
    typeof need === 'string' ? (parseSelector(need) ?? []) : [],
  );
  return {
    ...(publishes.length > 0 && { publishes }),
    ...(inputs.length > 0 && { inputs }),
    ...(requires.length > 0 && { requires }),
  };
}

function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter((item) => isJsonObject(item)) : [];
}
