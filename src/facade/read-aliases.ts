/** Reads `aliases` of the options. */
import { isAliasName } from '../contract/declare/aliases.ts';
import { type Fields, invalid, refuseUnknown, texts } from '../contract/declare/fields.ts';
import type { AliasSource, DeclaredAlias } from '../execute/aliases/aliases.ts';
import { minWordLength } from '../execute/aliases/telling-texts.ts';
import { isRecord } from '../util/json.ts';
import type { AxleOptions } from './options.ts';

const maxAliases = 1_000;
const maxWords = 100;

/** @throws AxleError `configuration-invalid`, which names the alias and nothing of what stands behind it */
export function readAliases({ aliases = {} }: Pick<AxleOptions, 'aliases'>): Readonly<Record<string, DeclaredAlias>> {
  const said: unknown = aliases;
  const fields: Fields = { owner: 'createAxle', values: { aliases: said }, code: 'configuration-invalid' };
  if (!isRecord(said) || Object.keys(said).length > maxAliases) {
    throw invalid(fields, 'aliases', `an object of at most ${maxAliases} aliases by name`);
  }
  return Object.fromEntries(Object.entries(said).map(([name, one]) => [name, readAlias(fields, name, one)]));
}

function readAlias(fields: Fields, name: string, said: unknown): DeclaredAlias {
  if (!isAliasName(name)) {
    throw invalid(
      fields,
      'aliases',
      `named with letters, digits, _ and -, a letter first, which ${JSON.stringify(name)} is not`,
    );
  }
  if (typeof said === 'string' || isFunction(said)) return { from: said, also: [] };
  const own: Fields = { ...fields, owner: `createAxle, aliases: ${name}`, values: isRecord(said) ? said : {} };
  refuseUnknown(own, ['variable', 'value', 'also']);
  const also = texts(own, 'also', maxWords);
  if (also.some((word) => word.length < minWordLength)) {
    throw invalid(own, 'also', `a list of words of at least ${minWordLength} characters`);
  }
  return { from: sourceOf(own, name), also };
}

function sourceOf(fields: Fields, name: string): AliasSource {
  const { variable, value } = fields.values;
  if (typeof variable === 'string' && variable !== '' && value === undefined) return { variable };
  if (variable === undefined && (typeof value === 'string' || isFunction(value))) return value;
  // Nothing of what was given is repeated: it may be the value.
  throw invalid({ ...fields, values: {} }, name, "a text, a function, { variable: 'NAME' } or { value }");
}

function isFunction(value: unknown): value is () => string | Promise<string> {
  return typeof value === 'function';
}
