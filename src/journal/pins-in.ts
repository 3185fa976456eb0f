/** The contracts that an entry makes count for its run. */
import type { ContractPin } from '../call/pin.ts';
import type { Entry } from './entry.ts';

export function pinsIn(entry: Entry): readonly ContractPin[] {
  switch (entry.type) {
    case 'run-accepted':
      return entry.task.contracts;
    case 'contract-rebound':
    case 'contract-migrated':
      return [entry.contract];
    default:
      return [];
  }
}
