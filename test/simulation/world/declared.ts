/** How every tool of the simulated world is declared. */
import type { Contract } from '../../../src/contract/contract.ts';
import type { EffectKind } from '../history/history.ts';

export const toolTimeoutMs = 1_000;
export const toolSettleMs = 3_000;
export const input = {
  type: 'object',
  additionalProperties: false,
  required: ['item', 'amount'],
  properties: { item: { type: 'string' }, amount: { type: 'integer' } },
} as const;
export const output = {
  type: 'object',
  additionalProperties: false,
  required: ['receipt'],
  properties: { receipt: { type: 'string' } },
} as const;
export const common = {
  version: 1,
  input,
  timeout: toolTimeoutMs,
  authorization: 'ask',
  retry: { attempts: 3, baseMs: 100, capMs: 1_000 },
} as const;
export const unused = (): never => {
  throw new Error('Tools of the simulation are carried out by its world.');
};
export const unusedVerify = (): never => unused();

/** A tool, and what it does to the world. */
export interface Declared {
  readonly kind: EffectKind;
  readonly contract: Contract;
}
