/** What a caller sets in the context of a run that it starts: keys that somebody declares, with values that fit. */
import type { CheckedSchema, ContextKey, Contract } from '../contract/contract.ts';
import { nearMisses } from '../contract/near-miss.ts';
import { AxleError, isAxleError } from '../error/axle-error.ts';
import { maxBusLength, maxKeys, maxValueLength } from '../run/data-bus.ts';
import { isRecord, type JsonValue, toJson } from '../util/json.ts';

/** Values that a run is started with, as its first entry has them. */
export type StartContext = Readonly<Record<string, { readonly value: JsonValue; readonly version: number }>>;

interface Declared {
  readonly schema?: CheckedSchema;
  readonly version: number;
}

/**
 * Checks and takes over what was given. Undefined when nothing was.
 * @throws AxleError `context-invalid`, `value-not-storable`, `limit-exceeded`
 */
export function startContext(
  given: unknown,
  { keys, contracts }: { readonly keys: readonly ContextKey[]; readonly contracts: readonly Contract[] },
): StartContext | undefined {
  if (given === undefined) return undefined;
  if (!isRecord(given)) {
    throw new AxleError('context-invalid', 'The context of a run is an object from keys to values.');
  }
  const declared = declaredKeys(keys, contracts);
  const context: Record<string, { readonly value: JsonValue; readonly version: number }> = {};
  let length = 0;
  for (const [key, set] of Object.entries(given)) {
    if (set === undefined) continue;
    const known = declared.get(key);
    if (known === undefined) throw unknownKey(key, declared.keys());
    const value = checked(key, toJson(set), known);
    const own = JSON.stringify(value).length;
    length += own;
    if (own > maxValueLength) {
      throw new AxleError(
        'limit-exceeded',
        `The context key ${key} has ${own} characters; ${maxValueLength} are taken.`,
      );
    }
    context[key] = { value, version: known.version };
  }
  const count = Object.keys(context).length;
  if (length > maxBusLength || count > maxKeys) {
    throw new AxleError(
      'limit-exceeded',
      `The context has ${count} keys with ${length} characters; ${maxKeys} and ${maxBusLength} are taken.`,
    );
  }
  return count === 0 ? undefined : context;
}

/** What is declared with a schema says more than what is only used. */
function declaredKeys(keys: readonly ContextKey[], contracts: readonly Contract[]): ReadonlyMap<string, Declared> {
  const declared = new Map<string, Declared>();
  for (const { inputs = [], requires = [] } of contracts) {
    const used = [...inputs.map((mapped) => mapped.from), ...requires].filter((from) => from.kind === 'key');
    for (const { key } of used) declared.set(key, { version: 1 });
    for (const { from, key } of inputs) {
      if (from.kind === 'key' && key !== undefined) declared.set(from.key, key);
    }
  }
  for (const { publishes = [] } of contracts) for (const published of publishes) declared.set(published.key, published);
  for (const key of keys) declared.set(key.name, key);
  return declared;
}

function checked(key: string, value: JsonValue, { schema }: Declared): JsonValue {
  if (schema === undefined) return value;
  const result = check(schema, value);
  if (result.ok) return result.value;
  const [issue] = result.issues;
  throw new AxleError(
    'context-invalid',
    `The value of the context key ${key} does not fit: ${issue?.path ?? ''} ${issue?.message ?? ''}.`,
  );
}

function check(schema: CheckedSchema, value: JsonValue): ReturnType<CheckedSchema['check']> {
  try {
    return schema.check(value);
  } catch (error) {
    if (isAxleError(error)) throw new AxleError('context-invalid', error.message, { cause: error });
    throw error;
  }
}

function unknownKey(key: string, names: Iterable<string>): AxleError {
  const known = [...names];
  const [near] = nearMisses(key, known);
  const hint = near === undefined ? '' : ` The nearest is ${near}.`;
  return new AxleError(
    'context-invalid',
    `No tool of the run, and no key of this Axle, declares the context key ${key}.${hint}`,
    { details: { key } },
  );
}
