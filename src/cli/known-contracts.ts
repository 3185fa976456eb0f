/** The contracts that a configuration declares: for lists, and for checking what people answer before it is posted (the driver checks again: its code may be another). */
import type { Contract } from '../contract/contract.ts';
import type { AxleConfig } from '../facade/define-config.ts';
import type { ToolSource } from '../facade/options.ts';
import type { Terminal } from './terminal.ts';

export type ContractLookup = (name: string, version: number) => Contract | undefined;

/** Knows none without a configuration, and none of a tool source (an MCP server), which would have to be started. */
export function contractLookup(config: AxleConfig | undefined): ContractLookup {
  const contracts = (config?.tools ?? []).filter((item) => 'execute' in item);
  return (name, version) => contracts.find((contract) => contract.name === name && contract.version === version);
}

export interface KnownTools {
  readonly contracts: readonly Contract[];
  /** Names of those that others have written: of a server, or of a document. */
  readonly foreign: ReadonlySet<string>;
}

/** All of them, those of tool sources too, which are started and ended for it. */
export async function contractsOf(config: AxleConfig, terminal: Terminal): Promise<readonly Contract[]> {
  return (await toolsOf(config, terminal)).contracts;
}

/** The same, with who has written them. */
export async function toolsOf(config: AxleConfig, terminal: Terminal): Promise<KnownTools> {
  const tools = config.tools ?? [];
  const sources = tools.filter((item): item is ToolSource => 'connect' in item);
  const own = tools.filter((item): item is Contract => !('connect' in item));
  if (sources.length === 0) return { contracts: own, foreign: new Set() };
  terminal.note(`Connecting ${sources.map((source) => source.name).join(', ')} ...`);
  try {
    const offered = await Promise.all(sources.map((source) => source.connect()));
    const foreign = offered.flatMap((contracts, place) => (sources[place]?.isForeign === true ? contracts : []));
    return { contracts: [...own, ...offered.flat()], foreign: new Set(foreign.map(({ name }) => name)) };
  } finally {
    await Promise.allSettled(sources.map((source) => source.close()));
  }
}
