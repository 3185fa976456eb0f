/** The hash by which two agents are told apart: over what a run pins of one, and the contracts that it was granted. */
import type { ContractPin } from '../call/pin.ts';
import type { AgentPin } from '../journal/entry.ts';
import { sha256 } from '../util/hash.ts';
import { canonicalJson, toJson } from '../util/json.ts';

/** @param agent A pin without its own hash. */
export function agentHashOf(agent: Omit<AgentPin, 'hash'>, contracts: readonly ContractPin[]): string {
  return sha256(canonicalJson(toJson({ ...agent, contracts: contracts.map((pin) => pin.hash) })));
}
