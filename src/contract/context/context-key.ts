/** `contextKey()`: names a value that tools of a run share, with its schema, its version, and how to come to it from versions before. */
import { isKeyName, isPointer } from '../../call/selector.ts';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { copyOf, isRecord, type JsonValue, toJson } from '../../util/json.ts';
import type { ContextKey } from '../contract.ts';
import { toCheckedSchema } from '../schema/checked-schema.ts';
import type { OutputOf, StandardSchema } from '../schema/standard-schema.ts';

export interface ContextKeyOptions {
  /** A whole number; raised when the schema changes. @defaultValue 1 */
  readonly version?: number;
  /** From a version before to the next one named here, the last to this one; what comes out is checked by the schema. */
  readonly migrate?: Readonly<Record<number, (value: never) => unknown>>;
}

/**
 * Declares a context key.
 * @throws AxleError `context-invalid`, `schema-unsupported`
 */
export function contextKey<S extends StandardSchema>(
  name: string,
  schema: S,
  options?: ContextKeyOptions,
): ContextKey<OutputOf<S>>;
export function contextKey(
  name: string,
  schema: Readonly<Record<string, unknown>>,
  options?: ContextKeyOptions,
): ContextKey<JsonValue>;
export function contextKey(name: string, schema: unknown, options: ContextKeyOptions = {}): ContextKey {
  if (typeof name !== 'string' || !isKeyName(name)) {
    throw problem(`A context key is named by 1 to 128 letters, digits, _, - or ., and not ${JSON.stringify(name)}.`);
  }
  const { version = 1, migrate = {} } = options;
  if (!Number.isSafeInteger(version) || version < 1) {
    throw problem(`The version of the context key ${name} must be a whole number from 1.`);
  }
  const checked = toCheckedSchema(schema, 'output', `The schema of the context key ${name}`);
  return Object.freeze({
    name,
    version,
    schema: checked,
    migrations: readMigrations(name, version, migrate),
    at: (pointer = '') => {
      if (!isPointer(pointer)) throw problem(`${JSON.stringify(pointer)} is no JSON Pointer.`);
      return { [name]: { at: pointer, schema, version } };
    },
  });
}

function readMigrations(name: string, version: number, migrate: object): ContextKey['migrations'] {
  const steps = new Map<number, (value: JsonValue) => unknown>();
  for (const [key, step] of Object.entries(migrate)) {
    const from = Number(key);
    if (!Number.isInteger(from) || from < 1 || from >= version || !isStep(step)) {
      throw problem(
        `migrate of the context key ${name} takes functions for the versions before ${version}, and has ${key}.`,
      );
    }
    steps.set(from, step);
  }
  return new Map([...steps].toSorted(([left], [right]) => left - right));
}

// What it takes and gives cannot be seen from outside; what it gives is checked.
function isStep(value: unknown): value is (value: JsonValue) => unknown {
  return typeof value === 'function';
}

/** True for what `contextKey` gives back. */
export function isContextKey(value: unknown): value is ContextKey {
  return isRecord(value) && value['migrations'] instanceof Map && isRecord(value['schema']);
}

/** A value of a version of the key under the key's own version; what cannot be is said in words. */
export function valueUnder(
  key: ContextKey,
  { value, version }: { readonly value: JsonValue; readonly version: number },
): { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly reason: string } {
  let result = value;
  if (version !== key.version) {
    if (!key.migrations.has(version)) {
      return { ok: false, reason: `it has version ${version}, and nothing leads from there to version ${key.version}` };
    }
    try {
      for (const [step, migrate] of key.migrations) if (step >= version) result = toJson(migrate(copyOf(result)));
    } catch (error) {
      return { ok: false, reason: `its migration from version ${version} threw: ${messageOf(error)}` };
    }
  }
  const checked = key.schema.check(result);
  if (checked.ok) return checked;
  const [issue] = checked.issues;
  return {
    ok: false,
    reason: `it does not fit version ${key.version}: ${issue?.path ?? ''} ${issue?.message ?? ''}`.trim(),
  };
}

function problem(message: string): AxleError {
  return new AxleError('context-invalid', message);
}
