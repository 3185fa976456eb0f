/** The examples of a contract, held to its schemas when it is declared: a wrong example teaches a model wrong arguments. */
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { isRecord, type JsonValue, toJson } from '../../util/json.ts';
import { type Fields, invalid, refuseUnknown } from './fields.ts';
import type { CheckedSchema, ContractExample } from '../contract.ts';

const maxExamples = 20;

/** @throws AxleError `contract-invalid` */
export function readExamples(
  fields: Fields,
  input: CheckedSchema,
  output: CheckedSchema | undefined,
): readonly ContractExample[] {
  const value: unknown = fields.values['examples'] ?? [];
  if (!Array.isArray(value) || value.length > maxExamples) {
    throw invalid(fields, 'examples', `a list of at most ${maxExamples} examples`);
  }
  const examples = value.map((item: unknown, index): ContractExample => {
    if (!isRecord(item)) throw invalid(fields, 'examples', 'a list of objects with input and perhaps output');
    const example: Fields = { owner: `${fields.owner}, example ${index + 1}`, values: item };
    refuseUnknown(example, ['input', 'output']);
    const shownInput = exampleValue(example, 'input', input);
    return item['output'] === undefined
      ? { input: shownInput }
      : { input: shownInput, output: exampleValue(example, 'output', output) };
  });
  return Object.freeze(examples.map((example) => Object.freeze(example)));
}

function exampleValue(example: Fields, field: 'input' | 'output', schema: CheckedSchema | undefined): JsonValue {
  const json = exampleJson(example, field);
  const checked = schema?.check(json);
  if (checked === undefined || checked.ok) return json;
  const [issue] = checked.issues;
  throw invalid(
    example,
    field,
    `what the schema admits (${issue?.path === '' ? 'the whole' : issue?.path}: ${issue?.message})`,
  );
}

function exampleJson(example: Fields, field: 'input' | 'output'): JsonValue {
  try {
    return toJson(example.values[field]);
  } catch (error) {
    throw new AxleError('contract-invalid', `${example.owner}: ${field} is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
