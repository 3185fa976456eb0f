/** The keywords of JSON Schema 2020-12 without schemas in them that are kept of a schema, and what their values must be: documents in the wild carry others, and wrong ones. */
import { isJsonArray, isJsonObject, type JsonValue } from '../util/json.ts';

const types: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isText = (value: JsonValue): boolean => typeof value === 'string';
const isFlag = (value: JsonValue): boolean => typeof value === 'boolean';
const isNumber = (value: JsonValue): boolean => typeof value === 'number';
const isCount = (value: JsonValue): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isTextList = (value: JsonValue): boolean => isJsonArray(value) && value.every(isText);
const isAnything = (): boolean => true;

const dataKeywords: ReadonlyMap<string, (value: JsonValue) => boolean> = new Map([
  ['const', isAnything],
  ['contentEncoding', isText],
  ['contentMediaType', isText],
  ['default', isAnything],
  ['dependentRequired', (value) => isJsonObject(value) && Object.values(value).every(isTextList)],
  ['deprecated', isFlag],
  ['description', isText],
  ['enum', (value) => isJsonArray(value) && value.length > 0],
  ['examples', isJsonArray],
  ['exclusiveMaximum', isNumber],
  ['exclusiveMinimum', isNumber],
  ['format', isText],
  ['maxContains', isCount],
  ['maxItems', isCount],
  ['maxLength', isCount],
  ['maxProperties', isCount],
  ['maximum', isNumber],
  ['minContains', isCount],
  ['minItems', isCount],
  ['minLength', isCount],
  ['minProperties', isCount],
  ['minimum', isNumber],
  ['multipleOf', (value) => typeof value === 'number' && value > 0],
  ['pattern', isPattern],
  ['required', isTextList],
  ['title', isText],
  [
    'type',
    (value) => types.has(value) || (isJsonArray(value) && value.length > 0 && value.every((each) => types.has(each))),
  ],
  ['uniqueItems', isFlag],
]);

/** True for a keyword that is kept as it is, with a value that it can have. */
export function isDataKeyword(keyword: string, value: JsonValue): boolean {
  return dataKeywords.get(keyword)?.(value) === true;
}

/** A pattern that JavaScript can read, in one of its two ways. */
function isPattern(value: JsonValue): boolean {
  if (typeof value !== 'string') return false;
  return compiles(value, 'u') || compiles(value, '');
}

function compiles(text: string, flags: string): boolean {
  try {
    return new RegExp(text, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
