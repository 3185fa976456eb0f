/**
 * The code that a run needs, matched with what it pinned when it was accepted.
 *
 * C1 A run never goes on with a contract that it did not agree to: same hash, or same name, version, schemas and effect (recorded as a rebind).
 * C2 What is missing or has changed holds the run, with both hashes and the remedy; it never fails it. (R39, R40)
 */
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Contract } from '../contract/contract.ts';
import type { ContractRebound, RunHeld } from '../journal/entry.ts';
import { sha256 } from '../util/hash.ts';
import type { AgentCode, Engine } from './engine.ts';
import type { RunState } from './state.ts';

/** What a run executes with, as long as it stays with one driver. */
export interface RunCode {
  readonly agent?: AgentCode;
  readonly contracts: ReadonlyMap<string, Contract>;
  readonly names: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly toolsHash: string;
}

/** The code of a run whose own is missing: enough to end it, not to go on. */
export const noCode: RunCode = { contracts: new Map(), names: [], tools: [], toolsHash: '' };

export type CodeCheck =
  | { readonly kind: 'ready'; readonly code: RunCode; readonly rebound: readonly ContractRebound[] }
  | { readonly kind: 'held'; readonly entry: RunHeld };

export function checkCode(state: RunState, engine: Engine): CodeCheck {
  const { task } = state;
  if (task === undefined) return hold('The run has no accepted task.', 'Report it with the journal of the run.');
  const contracts = new Map<string, Contract>();
  const rebound: ContractRebound[] = [];
  for (const pin of state.contracts) {
    const contract = engine.contract(pin.name, pin.version);
    const problem = compare(pin, contract);
    if (problem !== undefined) return problem;
    if (contract === undefined) continue;
    contracts.set(pin.name, contract);
    if (contract.pin.hash !== pin.hash) rebound.push({ type: 'contract-rebound', contract: contract.pin });
  }
  if (task.kind === 'call') return { kind: 'ready', rebound, code: codeOf(contracts, undefined, engine) };
  const agent = engine.agent(task.agent.name);
  if (agent === undefined) {
    return hold(
      `The agent ${task.agent.name} is not registered here.`,
      `Register the agent ${task.agent.name}, or cancel the run.`,
    );
  }
  return { kind: 'ready', rebound, code: codeOf(contracts, agent, engine) };
}

function compare(pin: ContractPin, contract: Contract | undefined): CodeCheck | undefined {
  const label = `${pin.name} version ${pin.version}`;
  if (contract === undefined) {
    return hold(`The tool ${label} is not registered here.`, `Register ${label}, or cancel the run.`, {
      pinned: pin.hash,
    });
  }
  if (contract.pin.hash === pin.hash || (contract.pin.shape === pin.shape && contract.effect === pin.terms.effect)) {
    return undefined;
  }
  return hold(
    `The tool ${label} has another schema or effect than the one the run was accepted with.`,
    `Bring back the contract ${pin.hash}, or give the changed tool a new version and keep the old one beside it.`,
    { pinned: pin.hash, found: contract.pin.hash },
  );
}

function hold(reason: string, remedy: string, details?: Readonly<Record<string, string>>): CodeCheck {
  return { kind: 'held', entry: { type: 'run-held', reason, remedy, ...(details === undefined ? {} : { details }) } };
}

interface ToolList {
  readonly tools: readonly ToolDefinition[];
  readonly toolsHash: string;
}

// Runs of one agent show the same tools: definitions keep their identity, so that adapters can cache what they make of them.
const toolLists = new WeakMap<Engine, Map<string, ToolList>>();

/** Tool lists that a driver keeps; one for each set of pinned contracts. */
const maxToolLists = 1_000;

function codeOf(contracts: ReadonlyMap<string, Contract>, agent: AgentCode | undefined, engine: Engine): RunCode {
  const { tools, toolsHash } = toolListOf([...contracts.values()], engine);
  return { contracts, names: [...contracts.keys()], tools, toolsHash, ...(agent === undefined ? {} : { agent }) };
}

function toolListOf(contracts: readonly Contract[], engine: Engine): ToolList {
  const lists = toolLists.get(engine) ?? new Map<string, ToolList>();
  toolLists.set(engine, lists);
  const key = contracts.map((contract) => contract.pin.hash).join(' ');
  const known = lists.get(key);
  if (known !== undefined) return known;
  const tools = contracts.map((contract) => engine.describe(contract));
  const made: ToolList = { tools, toolsHash: sha256(JSON.stringify(tools)) };
  if (lists.size >= maxToolLists) lists.clear();
  lists.set(key, made);
  return made;
}
