/** The contracts that a configuration declares, for checking what people answer before it is posted. The driver checks again: its code may be another. */
import type { Contract } from '../contract/contract.ts';
import type { AxleConfig } from '../facade/define-config.ts';

export type ContractLookup = (name: string, version: number) => Contract | undefined;

/** Knows none without a configuration, and none of a tool source (an MCP server), which would have to be started. */
export function contractLookup(config: AxleConfig | undefined): ContractLookup {
  const contracts = (config?.tools ?? []).filter((item) => 'execute' in item);
  return (name, version) => contracts.find((contract) => contract.name === name && contract.version === version);
}
