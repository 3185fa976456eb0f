/**
 * What a declaration says about the context of its runs: what its calls publish, which arguments are filled from it, and what must be there before a call.
 *
 * `publishes: { 'user.id': '/id' }`, `inputs: { userId: 'user.id' }`, `requires: ['context:user.id', 'tool:login']`
 */
import type { Publication } from '../../call/publication.ts';
import { isKeyName, isPointer, parseSelector, type Selector, selectorText } from '../../call/selector.ts';
import { isJsonObject, isRecord, type JsonObject } from '../../util/json.ts';
import type { CheckedSchema, MappedInput, PublishedValue } from '../contract.ts';
import { type Fields, flag, invalid, refuseUnknown, optionalNumber } from '../declare/fields.ts';
import { toCheckedSchema } from '../schema/checked-schema.ts';
import { isContextKey } from './context-key.ts';

/** Of each kind, in one contract. */
const maxDeclared = 32;

export interface DeclaredContext {
  readonly publishes?: readonly PublishedValue[];
  readonly inputs?: readonly MappedInput[];
  readonly requires?: readonly Selector[];
}

/** @throws AxleError `contract-invalid` */
export function readContext(fields: Fields, input: CheckedSchema): DeclaredContext {
  const [publishes, inputs, requires] = [readPublishes(fields), readInputs(fields, input.json), readRequires(fields)];
  return {
    ...(publishes.length > 0 && { publishes }),
    ...(inputs.length > 0 && { inputs }),
    ...(requires.length > 0 && { requires }),
  };
}

/** The plain part, which is in the hash of the contract and in its shape. */
export function plainContext({ publishes, inputs, requires }: DeclaredContext): JsonObject {
  return {
    ...(publishes && {
      publishes: publishes.map(({ key, at, version, schema }) => ({ key, at, version, schema: schema?.json ?? null })),
    }),
    ...(inputs && {
      inputs: inputs.map(({ field, from, key, isUnchanged }) => ({
        field,
        from: selectorText(from),
        version: key?.version ?? null,
        ...(isUnchanged && { unchanged: true }),
      })),
    }),
    ...(requires && { requires: requires.map(selectorText) }),
  };
}

/** What the call machine needs of it. */
export function contextTerms({ publishes, inputs, requires }: DeclaredContext): {
  readonly publishes?: readonly Publication[];
  readonly needs?: readonly string[];
  readonly fills?: true;
  readonly unchanged?: readonly string[];
} {
  const needs = [
    ...(requires ?? []),
    ...(inputs ?? []).filter(({ isRequired }) => isRequired).map(({ from }) => from),
  ].map(selectorText);
  const unchanged = (inputs ?? []).filter(({ isUnchanged }) => isUnchanged).map(({ field }) => field);
  return {
    ...(publishes && { publishes: publishes.map(({ key, at, version }) => ({ key, at, version })) }),
    ...(needs.length > 0 && { needs: [...new Set(needs)] }),
    ...(inputs && { fills: true }),
    ...(unchanged.length > 0 && { unchanged }),
  };
}

function readPublishes(fields: Fields): readonly PublishedValue[] {
  return entriesOf(
    fields,
    'publishes',
    "an object from context keys to JSON Pointers, such as { 'user.id': '/id' }",
  ).map(([key, said]) => {
    if (!isKeyName(key)) {
      throw invalid(
        fields,
        'publishes',
        `an object whose keys are letters, digits, _, - or ., and not ${JSON.stringify(key)}`,
      );
    }
    const values = typeof said === 'string' ? { at: said } : said;
    if (!isRecord(values)) throw invalid(fields, `publishes.${key}`, 'a JSON Pointer, or { at, schema, version }');
    const part: Fields = { ...fields, owner: `${fields.owner}: publishes.${key}`, values };
    refuseUnknown(part, ['at', 'schema', 'version']);
    const { at = '', schema } = values;
    if (typeof at !== 'string' || !isPointer(at)) throw invalid(part, 'at', "a JSON Pointer such as '/id'");
    const version = optionalNumber(part, 'version', { from: 1, to: 1_000_000, whole: true }) ?? 1;
    const checked =
      schema === undefined ? {} : { schema: toCheckedSchema(schema, 'output', `The schema of ${part.owner}`) };
    return { key, at, version, ...checked };
  });
}

function readInputs(fields: Fields, json: JsonObject): readonly MappedInput[] {
  const properties = isJsonObject(json['properties']) ? json['properties'] : {};
  const required: unknown = json['required'];
  return entriesOf(fields, 'inputs', "an object from arguments to selectors, such as { userId: 'user.id' }").map(
    ([field, said]) => {
      if (!Object.hasOwn(properties, field)) {
        throw invalid(fields, 'inputs', `about arguments that the input schema names, and ${field} is none of them`);
      }
      const isRequired = Array.isArray(required) && required.includes(field);
      const { source, isUnchanged } = mapped(fields, field, said);
      if (isContextKey(source)) {
        return { field, from: { kind: 'key', key: source.name, at: '' }, key: source, isRequired, isUnchanged };
      }
      const from = typeof source === 'string' ? parseSelector(source) : undefined;
      if (from === undefined) {
        throw invalid(fields, `inputs.${field}`, "a context key, or a selector such as 'user#/id', 'tool:login#/id'");
      }
      return { field, from, isRequired, isUnchanged };
    },
  );
}

/** A source, or an object with one and what must hold of it. */
function mapped(
  fields: Fields,
  field: string,
  said: unknown,
): { readonly source: unknown; readonly isUnchanged: boolean } {
  if (isContextKey(said) || !isRecord(said)) return { source: said, isUnchanged: false };
  const own: Fields = { ...fields, owner: `${fields.owner}: inputs.${field}`, values: said };
  refuseUnknown(own, ['from', 'unchanged']);
  return { source: said['from'], isUnchanged: flag(own, 'unchanged') };
}

function readRequires(fields: Fields): readonly Selector[] {
  const { requires } = fields.values;
  if (requires === undefined) return [];
  const wanted = `a list of at most ${maxDeclared} selectors, such as ['context:user.id', 'tool:login']`;
  if (!Array.isArray(requires) || requires.length > maxDeclared) throw invalid(fields, 'requires', wanted);
  return requires.map((said: unknown) => {
    const selector = isContextKey(said)
      ? ({ kind: 'key', key: said.name, at: '' } as const)
      : typeof said === 'string'
        ? parseSelector(said)
        : undefined;
    if (selector === undefined) throw invalid(fields, 'requires', wanted);
    return selector;
  });
}

function entriesOf(fields: Fields, field: string, wanted: string): readonly (readonly [string, unknown])[] {
  const value = fields.values[field];
  if (value === undefined) return [];
  if (!isRecord(value)) throw invalid(fields, field, wanted);
  const entries = Object.entries(value);
  if (entries.length > maxDeclared) throw invalid(fields, field, `an object of at most ${maxDeclared} entries`);
  return entries;
}
