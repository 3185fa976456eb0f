/** What a run has pinned of a contract is what the contract declares. */
import type { ContractPin } from '../call/pin.ts';
import type { Entry } from '../journal/entry.ts';
import type { JsonObject } from '../util/json.ts';
import { firstDifferenceOf } from './first-difference.ts';
import type { Misfit } from './misfit.ts';

/** `declared` says what the declaration of a pin makes of it, where one is known. */
export function misfitOfPins(entry: Entry, declared: (pin: ContractPin) => JsonObject | undefined): Misfit | undefined {
  for (const { path, pin } of pinsOf(entry)) {
    const expected = declared(pin);
    if (expected === undefined) continue;
    const { hidden: _, ...pinned } = pin;
    const difference = firstDifferenceOf(pinned, expected);
    if (difference === undefined) continue;
    const { right } = difference;
    const message = `What is pinned of ${pin.name} is not what its declaration says.`;
    return { path: `${path}${difference.path}`, message, ...(right === undefined ? {} : { recomputed: right }) };
  }
  return undefined;
}

function pinsOf(entry: Entry): readonly { readonly path: string; readonly pin: ContractPin }[] {
  switch (entry.type) {
    case 'run-accepted':
      return entry.task.contracts.map((pin, index) => ({ path: `/task/contracts/${index}`, pin }));
    case 'contract-rebound':
    case 'contract-migrated':
      return [{ path: '/contract', pin: entry.contract }];
    default:
      return [];
  }
}
