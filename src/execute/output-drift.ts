/**
 * What is made of an answer in another form than its contract declares: facts, what came, and a failure in words from which the model can go on.
 * The words name what was declared and what came, at which place, and never hold the answer itself.
 */
import { type Drift, maxRawLength, type ShapeDifference } from '../call/drift.ts';
import { failureOf } from '../call/failure.ts';
import type { AttemptResult } from '../call/outcome.ts';
import type { Contract, SchemaIssue } from '../contract/contract.ts';
import { shapeDifference } from '../contract/shape-difference.ts';
import { sha256 } from '../util/hash.ts';
import { canonicalJson, type JsonObject, type JsonValue, toJson } from '../util/json.ts';

/** Faults that the words name. */
const maxFaults = 5;
/** Hexadecimal digits that tell drifts of one tool version apart. */
const shapeLength = 16;

export function driftResult(
  contract: Contract,
  schema: JsonObject,
  { output, issues }: { readonly output: JsonValue; readonly issues: readonly SchemaIssue[] },
): AttemptResult {
  const difference = shapeDifference(schema, output);
  const happened =
    contract.effect === 'read'
      ? ''
      : ' It answered, so what it does has happened: do not send the call again for this.';
  const message = `${contract.name} answered in another form than version ${contract.version} of it declares: ${faultsText(difference, issues)}.${happened}`;
  const failure = failureOf('output-invalid', message, { class: 'recoverable', evidence: 'possible' });
  return { status: 'failed', failure, drift: driftOf(difference, { output, issues }) };
}

function driftOf(
  difference: ShapeDifference,
  { output, issues }: { readonly output: JsonValue; readonly issues: readonly SchemaIssue[] },
): Drift {
  const text = JSON.stringify(output);
  // A value out of range differs in no key and no kind: then the broken rules tell one drift from another.
  const rules = issues.map(({ path, keyword }) => `${path.replaceAll(/\/\d+(?=\/|$)/gu, '/*')} ${keyword ?? ''}`);
  const shape = canonicalJson(toJson({ ...difference, rules: isEmpty(difference) ? rules : [] }));
  return {
    ...difference,
    shape: sha256(shape).slice(0, shapeLength),
    raw: text.length <= maxRawLength ? output : text.slice(0, maxRawLength).toWellFormed(),
    rawHash: sha256(text),
    rawLength: text.length,
  };
}

function isEmpty({ missing, unexpected, changed }: ShapeDifference): boolean {
  return missing.length + unexpected.length + changed.length === 0;
}

function faultsText({ missing, unexpected, changed }: ShapeDifference, issues: readonly SchemaIssue[]): string {
  const faults = [
    ...changed.map(({ path, declared, came }) => `${placeText(path)} should be ${declared}, and ${came} came`),
    ...missing.map((path) => `${path} is missing`),
  ];
  // What is new explains what is missing; alone it is a fault only where the schema forbids it, which the issues say.
  if (faults.length > 0) faults.push(...unexpected.map((path) => `${path} is new`));
  else faults.push(...new Set(issues.map(({ path, message }) => `${placeText(path)} ${message}`)));
  const shown = faults.slice(0, maxFaults).join('; ');
  return faults.length > maxFaults ? `${shown}; and ${faults.length - maxFaults} more` : shown;
}

function placeText(path: string): string {
  return path === '' ? 'the result' : path;
}
