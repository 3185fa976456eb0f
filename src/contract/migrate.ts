/**
 * From one version of a tool to another: the functions that a contract declares for arguments and results of versions before it.
 *
 * G1 Each step leads from its version to the next one that the contract names, the last to the contract's own: `{ 1: ..., 2: ... }` on version 3 leads 1 → 2 → 3.
 *    So the newest contract carries the whole way, and nothing older need be registered.
 * G2 What comes out is checked by the schema of the contract; what does not fit, or a function that throws, is a value with its reason, never an exception.
 * G3 These functions are the user's: their result is written down by whoever calls this, and the fold never asks for it again.
 */
import { AxleError, messageOf } from '../error/axle-error.ts';
import { copyOf, isRecord, type JsonValue, toJson } from '../util/json.ts';
import type { CheckedSchema, Contract, Migration, Migrations } from './contract.ts';
import { type Fields, invalid, refuseUnknown } from './declare/fields.ts';

/** Versions that one contract migrates from, at most. */
const maxMigrations = 50;

/** Reads `migrate` of a declaration. @throws AxleError `contract-invalid` */
export function readMigrations(fields: Fields, version: number): Migrations | undefined {
  const { migrate } = fields.values;
  if (migrate === undefined) return undefined;
  const wanted = 'an object from versions to { input, output }, which are functions';
  if (!isRecord(migrate)) throw invalid(fields, 'migrate', wanted);
  const steps = new Map<number, Migration>();
  for (const [key, step] of Object.entries(migrate)) {
    const from = Number(key);
    if (!Number.isInteger(from) || from < 1 || from >= version) {
      throw invalid(fields, `migrate.${key}`, `left out: versions to migrate from are 1 to ${version - 1}`);
    }
    if (!isRecord(step)) throw invalid(fields, `migrate.${key}`, 'an object with input, output or both');
    const part: Fields = { ...fields, owner: `${fields.owner}: migrate.${key}`, values: step };
    refuseUnknown(part, ['input', 'output']);
    const { input, output } = step;
    if (input !== undefined && !isStep(input)) throw invalid(part, 'input', 'a function');
    if (output !== undefined && !isStep(output)) throw invalid(part, 'output', 'a function');
    steps.set(from, Object.freeze({ ...(input && { input }), ...(output && { output }) }));
  }
  if (steps.size > maxMigrations) throw invalid(fields, 'migrate', `at most ${maxMigrations} versions`);
  return new Map([...steps].toSorted(([left], [right]) => left - right));
}

// That it takes and gives JSON cannot be seen from outside; what it gives is checked (G2).
function isStep(value: unknown): value is (value: JsonValue) => unknown {
  return typeof value === 'function';
}

/** True when the contract says how to come to it from `version`. */
export function migratesFrom(contract: Contract, version: number): boolean {
  return contract.migrations?.has(version) ?? false;
}

export type Migrated =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly reason: string };

/** What arguments or a result of an earlier version are under this contract. */
export function migrateValue(
  contract: Contract,
  from: { readonly version: number; readonly what: 'input' | 'output'; readonly value: JsonValue },
): Migrated {
  const { version, what, value } = from;
  let result = copyOf(value);
  for (const [step, migration] of contract.migrations ?? []) {
    if (step < version) continue;
    const change = migration[what];
    if (change === undefined) continue;
    try {
      result = toJson(change(result));
    } catch (error) {
      return { ok: false, reason: `its migration from version ${step} threw: ${messageOf(error)}` };
    }
  }
  return fitted(
    result,
    what === 'input' ? contract.input : contract.output,
    `the ${what} of version ${contract.version}`,
  );
}

function fitted(value: JsonValue, schema: CheckedSchema | undefined, name: string): Migrated {
  if (schema === undefined) return { ok: true, value };
  try {
    const checked = schema.check(value);
    if (checked.ok) return checked;
    const issues = checked.issues
      .slice(0, 3)
      .map(({ path, message }) => `${path === '' ? 'the whole' : path} ${message}`);
    return { ok: false, reason: `what its migration gives does not fit ${name}: ${issues.join('; ')}` };
  } catch (error) {
    if (error instanceof AxleError) return { ok: false, reason: error.message };
    throw error;
  }
}
