/**
 * Contracts as an Axle with aliases has them: what is shown of them has no real value in it.
 *
 * C1 Texts and schemas that a model is shown, and what is kept of a contract in the store, have the alias in the place of a real value; what is checked and run stays.
 * C2 A contract is known by its name, its upstream and its context keys: none of these may have a real value in it.
 */
import type { Contract } from '../contract/contract.ts';
import { AxleError } from '../error/axle-error.ts';
import { programAliases } from '../contract/program.ts';
import type { Aliases } from '../execute/aliases/aliases.ts';
import { concealIn } from '../execute/aliases/conceal-in.ts';
import type { JsonValue } from '../util/json.ts';

/** @throws AxleError `alias-unknown` for a contract that names an alias that is not there, `alias-unusable` for a name with a real value in it */
export function concealContract(contract: Contract, aliases: Aliases): Contract {
  const missing = [...(contract.aliases ?? []).flatMap((each) => each.aliases), ...programAliases(contract)].find(
    (alias) => !aliases.has(alias),
  );
  if (missing !== undefined) {
    const there = aliases.names.length === 0 ? 'none is declared' : `there are ${aliases.names.join(', ')}`;
    throw new AxleError('alias-unknown', `Tool ${contract.name} names the alias ${missing}; ${there}.`);
  }
  if (aliases.names.length === 0) return contract;
  const conceal = (text: string): string => aliases.conceal(text);
  if (concealIn(contract.pin, conceal) !== contract.pin) {
    const name = conceal(contract.name);
    throw new AxleError(
      'alias-unusable',
      `Tool ${name}, its upstream or a key of it has a name with a real value in it.`,
    );
  }
  const { description, examples, declaration, input, output, undo } = contract;
  const shown = {
    description: conceal(description),
    declaration: conceal(declaration),
    examples: concealIn(examples, conceal),
    ...concealIn(optionalTexts(contract), conceal),
    // What it says of a value, and what it fills in, may be from the schema.
    input: {
      json: concealIn(input.json, conceal),
      check: (value: JsonValue) => concealIn(input.check(value), conceal),
    },
    ...(output === undefined ? {} : { output: { json: concealIn(output.json, conceal), check: output.check } }),
    ...(undo === undefined ? {} : { undo: concealContract(undo, aliases) }),
  };
  return shown.declaration === declaration ? contract : Object.freeze({ ...contract, ...shown });
}

function optionalTexts({ whenToUse, limitations, category }: Contract): Partial<Contract> {
  return {
    ...(whenToUse === undefined ? {} : { whenToUse }),
    ...(limitations === undefined ? {} : { limitations }),
    ...(category === undefined ? {} : { category }),
  };
}
