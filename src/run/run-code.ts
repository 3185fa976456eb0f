/**
 * The code that a run needs, matched with what it pinned.
 *
 *   same hash ──────────────────────────────────► goes on
 *   same name and version, same shape ──────────► goes on, as a rebind
 *   replaced, and retained under its hash ──────► goes on with what it began with
 *   gone, and a newer version migrates from it ─► goes on with that one (`migrate-run.ts`), once no call needs the old one
 *   anything else ──────────────────────────────► held, until the remedy is there
 *
 * C1 A run never goes on with a contract that it did not agree to: same hash, or same name, version, schemas and effect (recorded as a rebind), or a version that
 *    declares how to come to it (recorded as a migration, with what its functions gave).
 * C2 What is missing or has changed holds the run, with both hashes and the remedy; it never fails it. (R39, R40)
 */
import type { Brain } from '../brain/brain.ts';
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { ContractPin } from '../call/pin.ts';
import { askedByModel, askedByProgram } from '../contract/context/asked-contract.ts';
import type { Contract } from '../contract/contract.ts';
import type { SearchableTools } from '../contract/find-tools.ts';
import { findToolsName } from '../contract/found-tools.ts';
import { migratesFrom } from '../contract/migrate.ts';
import type { AgentPin, ContractMigrated, ContractRebound, RunHeld, RunKind } from '../journal/entry.ts';
import { defined } from '../util/defined.ts';
import { sha256 } from '../util/hash.ts';
import type { AgentCode, Engine } from './engine.ts';
import { callInTheWay, migrateRun } from './migrate-run.ts';
import type { RunState } from './state.ts';

/** What a run executes with, as long as it stays with one driver. */
export interface RunCode {
  readonly agent?: AgentCode;
  /** Everything that a call of the run may be performed by. */
  readonly contracts: ReadonlyMap<string, Contract>;
  /** Those that the brain may ask for, as it may ask: without the arguments that are filled from the context. */
  readonly granted: ReadonlyMap<string, Contract>;
  readonly names: readonly string[];
  /** All tools, as the model is shown them. */
  readonly tools: readonly ToolDefinition[];
  readonly toolsHash: string;
  /** A part of the tools, for an agent that is not shown all. */
  readonly listOf: (names: readonly string[]) => ToolList;
  /** Its tools, to be searched by a run that is not shown all of them. */
  readonly searchable?: () => SearchableTools;
}

/** Tools as a model is shown them, and the hash that names the list. */
export const noTools: ToolList = { tools: [], toolsHash: '' };

/** The code of a run whose own is missing: enough to end it, not to go on. */
export const noCode: RunCode = {
  contracts: new Map(),
  granted: new Map(),
  names: [],
  tools: [],
  toolsHash: '',
  listOf: () => noTools,
};

/** Why a run cannot go on. `found` is there when a contract has changed: what is different is worth a look (`explain-hold.ts`). */
export interface Hold {
  readonly kind: 'held';
  readonly entry: RunHeld;
  readonly found?: Contract;
}

export type CodeCheck =
  | {
      readonly kind: 'ready';
      readonly code: RunCode;
      readonly entries: readonly (ContractRebound | ContractMigrated)[];
      /** True when a call under way is finished with code in hand that is registered no longer. */
      readonly keepsOldCode: boolean;
    }
  | Hold;

type Ready = Extract<CodeCheck, { kind: 'ready' }>;

/** What the contracts that an agent pinned were last matched with. It holds as long as nothing is registered anew. */
interface Matched {
  readonly describe: Engine['describe'];
  readonly revision: number;
  readonly agent: AgentCode | undefined;
  readonly agentPin: AgentPin;
  readonly check: Ready;
}

// Run after run of an agent pins the same, as long as it is one process that accepts and drives them.
const matched = new WeakMap<RunState['contracts'], Matched>();

/** `inHand` is the code that the run has been executing with: a call under way is finished with it. */
export function checkCode(state: RunState, engine: Engine, inHand: RunCode = noCode): CodeCheck {
  const { task, contracts } = state;
  if (task?.kind !== 'agent' || task.agent.modelName !== undefined) return matchCode(state, engine, inHand);
  const { agent: agentPin } = task;
  const agent = engine.agent(agentPin.name);
  const { describe } = engine;
  const revision = engine.versions.revision();
  const last = matched.get(contracts);
  const isSame =
    last?.describe === describe && last.revision === revision && last.agent === agent && last.agentPin === agentPin;
  if (isSame) return last.check;
  const check = matchCode(state, engine, inHand);
  const isWhole = check.kind === 'ready' && check.entries.length === 0 && !check.keepsOldCode;
  if (isWhole) matched.set(contracts, { describe, revision, agent, agentPin, check });
  return check;
}

function matchCode(state: RunState, engine: Engine, inHand: RunCode): CodeCheck {
  const { task } = state;
  if (task === undefined) return hold('The run has no accepted task.', 'Report it with the journal of the run.');
  const agent = task.kind === 'agent' ? engine.agent(task.agent.name) : undefined;
  if (task.kind === 'agent' && agent === undefined) {
    return hold(
      `The agent ${task.agent.name} is not registered here.`,
      `Register the agent ${task.agent.name}, or cancel the run.`,
    );
  }
  const modelName = task.kind === 'agent' ? task.agent.modelName : undefined;
  const brain = modelName === undefined ? agent?.brain : engine.model?.(modelName);
  if (modelName !== undefined && brain === undefined) {
    return hold(
      `The model ${modelName} is not registered here.`,
      `Name it in models of createAxle, or cancel the run.`,
    );
  }
  const isSearched = task.kind === 'agent' && task.agent.toolView !== undefined;
  const contracts = new Map<string, Contract>();
  const granted = new Map<string, Contract>();
  const entries: (ContractRebound | ContractMigrated)[] = [];
  let keepsOldCode = false;
  for (const pin of state.contracts) {
    const own = isSearched && pin.name === findToolsName ? agent?.searchable().findTools : undefined;
    const match = matchPin(pin, state, { engine, inHand, registered: own ?? engine.contract(pin.name, pin.version) });
    if (match.kind === 'held') return match;
    contracts.set(pin.name, match.contract);
    if (pin.hidden !== true) granted.set(pin.name, askedIn(task.kind, match.contract));
    if (match.entry !== undefined) entries.push(match.entry);
    if (match.isInHand === true) keepsOldCode = true;
  }
  return {
    kind: 'ready',
    entries,
    keepsOldCode,
    code: codeOf(task.kind, { contracts, granted }, { engine, agent: withBrain(agent, brain) }),
  };
}

/** The agent with the model that answers in this run. */
function withBrain(agent: AgentCode | undefined, brain: Brain | undefined): AgentCode | undefined {
  return agent === undefined || brain === undefined || brain === agent.brain ? agent : { ...agent, brain };
}

type Match =
  | {
      readonly kind: 'found';
      readonly contract: Contract;
      readonly entry?: ContractRebound | ContractMigrated;
      readonly isInHand?: true;
    }
  | Hold;

function matchPin(
  pin: ContractPin,
  state: RunState,
  {
    engine,
    inHand,
    registered,
  }: { readonly engine: Engine; readonly inHand: RunCode; readonly registered: Contract | undefined },
): Match {
  if (registered !== undefined && registered.pin.hash === pin.hash) return { kind: 'found', contract: registered };
  if (registered !== undefined && registered.pin.shape === pin.shape && registered.effect === pin.terms.effect) {
    return {
      kind: 'found',
      contract: registered,
      entry: { type: 'contract-rebound', contract: { ...registered.pin, ...defined({ hidden: pin.hidden }) } },
    };
  }
  const retained = engine.versions.retained(pin.hash);
  if (retained !== undefined) return { kind: 'found', contract: retained };
  if (registered !== undefined) return changed(pin, registered);
  const next = engine.versions.of(pin.name).find((contract) => migratesFrom(contract, pin.version));
  if (next === undefined) return missing(pin, engine);
  const inTheWay = callInTheWay(state, pin);
  if (inTheWay !== undefined) {
    const own = inHand.contracts.get(pin.name);
    return own?.pin.hash === pin.hash
      ? { kind: 'found', contract: own, isInHand: true }
      : begun(pin, next, inTheWay.callId);
  }
  const migrated = migrateRun(state, pin, next);
  return migrated.kind === 'migrated'
    ? { kind: 'found', contract: next, entry: migrated.entry }
    : notMigrated(pin, next, migrated.reason);
}

function changed(pin: ContractPin, found: Contract): Hold {
  const label = labelOf(pin);
  return {
    ...hold(
      `The tool ${label} has another schema or effect than the one the run was accepted with.`,
      `Bring back the contract ${pin.hash}, or give the changed tool a new version and keep the old one beside it.`,
      { tool: pin.name, details: { pinned: pin.hash, found: found.pin.hash } },
    ),
    found,
  };
}

function missing(pin: ContractPin, engine: Engine): Hold {
  const label = labelOf(pin);
  const [newest] = engine.versions.of(pin.name);
  if (newest === undefined) {
    return hold(`The tool ${label} is not registered here.`, `Register ${label}, or cancel the run.`, {
      tool: pin.name,
      details: { pinned: pin.hash },
    });
  }
  return {
    ...hold(
      `The tool ${label} is not registered here; version ${newest.version} is, which does not say how to come to it from version ${pin.version}.`,
      `Register ${label} beside it, or declare migrate: { ${pin.version}: ... } on version ${newest.version}, or cancel the run.`,
      { tool: pin.name, details: { pinned: pin.hash, found: newest.pin.hash } },
    ),
    found: newest,
  };
}

function begun(pin: ContractPin, next: Contract, callId: string): Hold {
  const label = labelOf(pin);
  return hold(
    `The call ${callId} began under ${label}, which is not registered here: only that version may go on with it.`,
    `Register ${label} beside version ${next.version} until the call is settled, or cancel the run.`,
    { tool: pin.name, details: { pinned: pin.hash, found: next.pin.hash } },
  );
}

function notMigrated(pin: ContractPin, next: Contract, reason: string): Hold {
  const label = labelOf(pin);
  return hold(
    `The run cannot be brought from ${label} to version ${next.version}: ${reason}`,
    `Correct migrate of version ${next.version}, or register ${label} beside it, or cancel the run.`,
    { tool: pin.name, details: { pinned: pin.hash, found: next.pin.hash } },
  );
}

function labelOf({ name, version }: ContractPin): string {
  return `${name} version ${version}`;
}

function hold(reason: string, remedy: string, about: Pick<RunHeld, 'tool' | 'details'> = {}): Hold {
  return { kind: 'held', entry: { type: 'run-held', reason, remedy, ...about } };
}

interface ToolList {
  readonly tools: readonly ToolDefinition[];
  readonly toolsHash: string;
}

/** How a brain of this kind of run may ask for a contract. */
export function askedIn(kind: RunKind, contract: Contract): Contract {
  return kind === 'agent' ? askedByModel(contract) : askedByProgram(contract);
}

type Describing = Pick<Engine, 'describe'>;

// Runs of one agent show the same tools: definitions keep their identity, so that adapters can cache what they make of them. Kept by what describes
// them, which every Axle has for itself: a driver has an engine of its own, and contracts of one hash may be shown in two ways where there are aliases.
const toolLists = new WeakMap<Engine['describe'], Map<string, ToolList>>();

/** Tool lists that a driver keeps; one for each set of pinned contracts. */
const maxToolLists = 1_000;

/** The code of a run out of its contracts. */
export function codeOf(
  kind: RunKind,
  { contracts, granted }: Pick<RunCode, 'contracts' | 'granted'>,
  of: {
    readonly engine: Describing;
    readonly agent?: AgentCode | undefined;
    readonly searchable?: RunCode['searchable'];
  },
): RunCode {
  const { agent, engine, searchable = agent?.searchable } = of;
  const listOf = (list: readonly Contract[]): ToolList => toolListOf(kind, list, engine);
  return {
    contracts,
    granted,
    names: [...granted.keys()],
    ...listOf([...granted.values()]),
    listOf: (names) => listOf(names.flatMap((name) => granted.get(name) ?? [])),
    ...defined({ agent, searchable }),
  };
}

function toolListOf(kind: RunKind, contracts: readonly Contract[], { describe }: Describing): ToolList {
  const lists = toolLists.get(describe) ?? new Map<string, ToolList>();
  toolLists.set(describe, lists);
  // A model and a program are shown the same contract in two ways.
  const key = [kind, ...contracts.map((contract) => contract.pin.hash)].join(' ');
  const known = lists.get(key);
  if (known !== undefined) return known;
  const tools = contracts.map((contract) => describe(contract));
  const made: ToolList = { tools, toolsHash: sha256(JSON.stringify(tools)) };
  if (lists.size >= maxToolLists) lists.clear();
  lists.set(key, made);
  return made;
}
