/** Tells a model, in one message, what is wrong with its arguments: the field, its value, what is allowed, what it may have meant, an example. */
import { cutText } from '../util/cut-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import type { Contract, SchemaIssue } from './contract.ts';
import { exampleText } from './describe.ts';
import { nearMisses } from './near-miss.ts';
import { pointerMembers, valueUnder } from './pointer.ts';
import { listedValues, ownMember, SchemaView } from './schema/schema-view.ts';

/** Faults that one message names; more of them only bury the first. */
const maxFaults = 6;
const maxValueLength = 80;
const maxListed = 20;

/** The message for arguments that were read but do not fit. */
export function explainIssues(contract: Contract, input: JsonValue, issues: readonly SchemaIssue[]): string {
  const faults = [...new Set(issues.map((issue) => faultText(contract.input.json, input, issue)))];
  const shown = faults.slice(0, maxFaults).join('; ');
  return messageFor(contract, faults.length > maxFaults ? `${shown}; and ${faults.length - maxFaults} more` : shown);
}

/** The message for arguments of which `what` is wrong; with the first example of the contract, when it has one. */
export function messageFor(contract: Contract, what: string): string {
  const example = exampleText(contract);
  const ending = example === undefined ? '' : ` Example of arguments that fit: ${example}`;
  return `${contract.name} was not run, because of its arguments: ${what}${what.endsWith('?') ? '' : '.'}${ending}`;
}

/** A key that the tool does not have, with those that it has. */
export function unknownKeyText(path: string, known: readonly string[]): string {
  const key = pointerMembers(path).at(-1) ?? '';
  const [near] = nearMisses(key, known);
  const hint = near === undefined ? `known: ${list(known)}` : `did you mean ${near}?`;
  return `${fieldName(path)} is not a parameter (${hint})`;
}

/** `conditions[0].value` for `/conditions/0/value`. */
export function fieldName(path: string): string {
  let name = '';
  for (const member of pointerMembers(path)) {
    name += /^\d+$/.test(member) ? `[${member}]` : `${name === '' ? '' : '.'}${member}`;
  }
  return cutText(name === '' ? 'the whole' : name, 200);
}

function faultText(schema: JsonObject, input: JsonValue, issue: SchemaIssue): string {
  const view = new SchemaView(schema);
  const members = pointerMembers(issue.path);
  const value = valueUnder(input, members);
  const { place, around } = schemaAt(view, members);
  const declared = isJsonObject(around?.['properties']) ? Object.keys(around['properties']) : [];
  if (issue.keyword === 'additionalProperties' || issue.keyword === 'unevaluatedProperties') {
    return unknownKeyText(issue.path, declared);
  }
  const allowed = place === undefined ? undefined : allowedText(place);
  if (value === undefined) {
    const written = strayKeys(valueUnder(input, members.slice(0, -1)), declared);
    const [near] = nearMisses(members.at(-1) ?? '', written);
    const hint = near === undefined ? '' : `; is it what you sent as ${near}?`;
    return `${fieldName(issue.path)} is missing${allowed === undefined ? '' : ` (${allowed})`}${hint}`;
  }
  const listed = place === undefined ? undefined : listedValues(place);
  const near =
    typeof value === 'string'
      ? nearMisses(
          value,
          (listed ?? []).filter((each) => typeof each === 'string'),
        )[0]
      : undefined;
  const hint = near === undefined ? '' : `; did you mean ${JSON.stringify(near)}?`;
  const wanted =
    allowed === undefined ? issue.message : `must be ${allowed}${saysMore(issue) ? `: ${issue.message}` : ''}`;
  return `${fieldName(issue.path)} is ${cutText(JSON.stringify(value), maxValueLength)} and ${wanted}${hint}`;
}

/** Whether the validator's own words add something to type and listed values. */
function saysMore(issue: SchemaIssue): boolean {
  return issue.keyword !== 'type' && issue.keyword !== 'enum' && issue.keyword !== 'const';
}

function strayKeys(object: JsonValue | undefined, declared: readonly string[]): readonly string[] {
  return isJsonObject(object) ? Object.keys(object).filter((key) => !declared.includes(key)) : [];
}

const kindWords: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  array: 'an array',
  object: 'an object',
};

/** What a schema admits, in a few words. */
function allowedText(schema: JsonObject): string | undefined {
  const listed = listedValues(schema);
  if (listed !== undefined) {
    return `${listed.length === 1 ? '' : 'one of '}${list(listed.map((value) => JSON.stringify(value)))}`;
  }
  const { type } = schema;
  const names = isJsonArray(type) ? type : [type];
  const kinds = names.flatMap((name) => (typeof name === 'string' ? [kindWords[name] ?? name] : []));
  if (kinds.length === 0) return undefined;
  const bounds = [
    ['minimum', 'at least'],
    ['maximum', 'at most'],
    ['exclusiveMinimum', 'more than'],
    ['exclusiveMaximum', 'less than'],
    ['format', 'format'],
  ].flatMap(([keyword = '', word]) =>
    schema[keyword] === undefined || isTechnical(schema[keyword]) ? [] : [`${word} ${JSON.stringify(schema[keyword])}`],
  );
  return [kinds.join(' or '), ...bounds].join(', ');
}

/** Bounds that come from the machine and not from the tool: the safe integers. */
function isTechnical(bound: JsonValue): boolean {
  return typeof bound === 'number' && Math.abs(bound) === Number.MAX_SAFE_INTEGER;
}

function list(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const shown = names.slice(0, maxListed).map((name) => cutText(name, maxValueLength));
  return names.length > maxListed ? `${shown.join(', ')} and ${names.length - maxListed} more` : shown.join(', ');
}

/** The schema of a place and of the object around it, as far as plain `properties` and `items` lead there. */
function schemaAt(
  view: SchemaView,
  members: readonly string[],
): { readonly place: JsonObject | undefined; readonly around: JsonObject | undefined } {
  let around: JsonObject | undefined;
  let place = view.resolve(view.root);
  for (const member of members) {
    around = place;
    const properties = place?.['properties'];
    const inProperties = isJsonObject(properties) ? ownMember(properties, member) : undefined;
    place = view.resolve(inProperties ?? (/^\d+$/.test(member) ? place?.['items'] : undefined));
  }
  return { place, around };
}
