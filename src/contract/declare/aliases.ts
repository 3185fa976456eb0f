/** Reads `aliases` of a declaration: which arguments are names that stand for real values, and which names each may be. */
import { isJsonObject, isRecord, type JsonObject } from '../../util/json.ts';
import type { AliasedArgument } from '../contract.ts';
import { type Fields, invalid } from './fields.ts';

const maxArguments = 32;
const maxAliases = 100;

/** True for a name that an alias may have: what stands as one word in a text, a URL and an argument. */
export function isAliasName(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value);
}

/** Undefined where none is declared. @throws AxleError `contract-invalid` */
export function readAliases(fields: Fields, input: JsonObject): readonly AliasedArgument[] | undefined {
  const { aliases } = fields.values;
  if (aliases === undefined) return undefined;
  const wanted = "an object from arguments to lists of aliases, such as { database: ['orders_db'] }";
  if (!isRecord(aliases) || Object.keys(aliases).length > maxArguments) throw invalid(fields, 'aliases', wanted);
  const properties = isJsonObject(input['properties']) ? input['properties'] : {};
  return Object.freeze(
    Object.entries(aliases).map(([argument, names]): AliasedArgument => {
      if (!Object.hasOwn(properties, argument)) {
        throw invalid(
          fields,
          'aliases',
          `about arguments that the input schema names, and ${argument} is none of them`,
        );
      }
      if (!Array.isArray(names) || names.length === 0 || names.length > maxAliases || !names.every(isAliasName)) {
        throw invalid(fields, 'aliases', `${wanted} (${argument} has none)`);
      }
      return Object.freeze({ path: Object.freeze([argument]), aliases: Object.freeze([...names]) });
    }),
  );
}
