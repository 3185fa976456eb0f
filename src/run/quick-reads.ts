/**
 * Which tools answer a read at once: functions that look into memory, and wait for nothing. Known of a tool from what it last did in this process. A tool that
 * ends the process has not answered, so whatever does that is always announced before it begins.
 */
import type { Contract } from '../contract/contract.ts';
import type { FreeRead } from './next.ts';

type Contracts = ReadonlyMap<string, Contract>;

/** Turns of the promise queue that a read is given to answer at once. One whose function returns takes 5, one whose promise is resolved 7. */
const maxPromiseTurns = 16;
const theNextTurn = Promise.resolve();

export class QuickReads {
  readonly #quick = new WeakSet<Contract>();

  isKnown({ call }: FreeRead, contracts: Contracts): boolean {
    const contract = contracts.get(call.tool);
    return contract !== undefined && this.#quick.has(contract);
  }

  /** Gives reads that have begun the time to answer at once, and keeps in mind which did. The loop is not waited for. */
  async watch(
    reads: readonly FreeRead[],
    { contracts, hasAnswered }: { readonly contracts: Contracts; readonly hasAnswered: (read: FreeRead) => boolean },
  ): Promise<void> {
    for (let turn = 0; turn < maxPromiseTurns && !reads.every(hasAnswered); turn += 1) await theNextTurn;
    for (const read of reads) {
      const contract = contracts.get(read.call.tool);
      if (contract === undefined) continue;
      if (hasAnswered(read)) this.#quick.add(contract);
      else this.#quick.delete(contract);
    }
  }
}
