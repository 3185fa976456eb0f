/** The tools that take a lock: all of them the same one, which the first keeps while it is in doubt. */
import type { LockMode } from '../../../src/call/lock-terms.ts';
import { tool } from '../../../src/contract/tool.ts';
import { common, type Declared, toolSettleMs, unused, unusedVerify } from './declared.ts';

/** Longer than all that may stand before a call in these plans takes, a doubt apart. */
const maxWait = 60_000;

export const locked: readonly Declared[] = [
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'seal',
      description: 'Seals the vault.',
      effect: 'write',
      locks: [{ name: 'vault', keepInDoubt: true, maxWait }],
      execute: unused,
    }),
  },
  {
    kind: 'write',
    contract: tool({
      ...common,
      name: 'stow',
      description: 'Stows something in the vault.',
      effect: 'write',
      locks: [{ name: 'vault', maxWait }],
      settle: toolSettleMs,
      execute: unused,
      verify: unusedVerify,
    }),
  },
  {
    kind: 'read',
    contract: tool({
      ...common,
      name: 'peek',
      description: 'Looks into the vault.',
      effect: 'read',
      locks: [{ name: 'vault', mode: 'shared', maxWait }],
      execute: unused,
    }),
  },
];

/** How a tool has the lock; undefined for one that does not want it. */
export function lockModeOf(name: string): LockMode | undefined {
  return locked.find(({ contract }) => contract.name === name)?.contract.terms.locks?.[0]?.mode;
}
