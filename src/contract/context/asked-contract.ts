/**
 * A contract as a brain sees it whose arguments are partly filled from the context: a model is not shown those, and does not write them; a program may.
 * Made once for each contract, so that what adapters keep of it holds.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../util/json.ts';
import type { Contract } from '../contract.ts';
import { toCheckedSchema } from '../schema/checked-schema.ts';

const forModels = new WeakMap<Contract, Contract>();
const forPrograms = new WeakMap<Contract, Contract>();

/** Without the arguments that are filled. The same contract when none is. */
export function askedByModel(contract: Contract): Contract {
  return viewOf(contract, forModels, (json, fields) => ({
    ...withoutRequired(json, fields),
    properties: without(isJsonObject(json['properties']) ? json['properties'] : {}, fields),
  }));
}

/** With these arguments, none of which must be written. */
export function askedByProgram(contract: Contract): Contract {
  return viewOf(contract, forPrograms, withoutRequired);
}

function viewOf(
  contract: Contract,
  known: WeakMap<Contract, Contract>,
  change: (json: JsonObject, fields: readonly string[]) => JsonObject,
): Contract {
  if (contract.inputs === undefined) return contract;
  const made = known.get(contract);
  if (made !== undefined) return made;
  const fields = contract.inputs.map(({ field }) => field);
  const view: Contract = Object.freeze({
    ...contract,
    input: toCheckedSchema(change(contract.input.json, fields), 'input', `The input schema of tool ${contract.name}`),
    examples: contract.examples.map((example) => ({ ...example, input: withoutIn(example.input, fields) })),
  });
  known.set(contract, view);
  return view;
}

function withoutRequired(json: JsonObject, fields: readonly string[]): JsonObject {
  const required: unknown = json['required'];
  if (!Array.isArray(required)) return json;
  const kept = required.filter((name: unknown) => typeof name === 'string' && !fields.includes(name));
  const { required: _, ...rest } = json;
  return kept.length === 0 ? rest : { ...rest, required: kept };
}

function without(object: JsonObject, fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}

function withoutIn(value: JsonValue, fields: readonly string[]): JsonValue {
  return isJsonObject(value) ? without(value, fields) : value;
}
