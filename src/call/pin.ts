/** A contract as a run pins it when it is accepted. */
import type { CallTerms } from './call.ts';

export interface ContractPin {
  readonly name: string;
  readonly version: number;
  /** SHA-256 over everything that the contract declares. */
  readonly hash: string;
  /** SHA-256 over input schema, output schema and effect: what must be equal for a run to go on with another `hash`. */
  readonly shape: string;
  /** What the call machine needs of it; `terms.effect` is part of `shape`. */
  readonly terms: CallTerms;
  /** True for a tool that the model is not shown: it is reached only as a stand-in for another. */
  readonly hidden?: true;
}
