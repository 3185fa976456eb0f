/** The arguments of one attempt: those that are aliases, as the contract says, with their real values. */
import type { AliasedArgument, Contract } from '../../contract/contract.ts';
import { valueUnder } from '../../contract/pointer.ts';
import { ToolError } from '../../contract/tool-error.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../util/json.ts';
import type { AliasPort } from './aliases.ts';

/** @throws ToolError `arguments-invalid` for what is no alias that the contract admits there, `alias-unknown`, `alias-unusable`; nothing was sent then */
export async function realInput(
  { aliases = [] }: Pick<Contract, 'aliases'>,
  input: JsonValue,
  port: Pick<AliasPort, 'real'>,
): Promise<JsonValue> {
  let filled = input;
  for (const argument of aliases) {
    const said = valueUnder(filled, argument.path);
    if (said === undefined || said === null) continue;
    filled = placed(filled, argument.path, await realOf(argument, said, port));
  }
  return filled;
}

async function realOf(argument: AliasedArgument, said: JsonValue, port: Pick<AliasPort, 'real'>): Promise<JsonValue> {
  if (isJsonArray(said)) return Promise.all(said.map((item) => realOf(argument, item, port)));
  if (typeof said === 'string' && argument.aliases.includes(said)) return port.real(said);
  throw new ToolError({
    code: 'arguments-invalid',
    class: 'recoverable',
    effect: 'none',
    message: `${argument.path.join('/')} must be one of ${argument.aliases.join(', ')}.`,
  });
}

function placed(value: JsonValue, [first, ...rest]: readonly string[], real: JsonValue): JsonValue {
  if (first === undefined) return real;
  const object = isJsonObject(value) ? value : {};
  return { ...object, [first]: placed(object[first] ?? null, rest, real) };
}
