/** `createAxle`: composes store, dispatcher, tools and agents into one object with a life. */
import { brainFromModel, isAiSdkModel } from '../ai-sdk/brain-from-model.ts';
import type { Brain } from '../brain/brain.ts';
import type { Contract } from '../contract/contract.ts';
import { describeTool } from '../contract/describe.ts';
import { type Registry, registryOf } from '../contract/registry.ts';
import { InProcessDispatcher } from '../dispatch/in-process.ts';
import { AxleError, isAxleError } from '../error/axle-error.ts';
import type { Durability, RunTask } from '../journal/entry.ts';
import { createMemoryStore } from '../journal/memory/memory-store.ts';
import { openSqliteStore } from '../journal/sqlite/sqlite-store.ts';
import type { RunFilter, RunSummary, Store } from '../journal/store.ts';
import { defaultPolicy } from '../policy/default-policy.ts';
import type { Agent } from '../run/agent.ts';
import { builtInDeciders } from '../run/decide.ts';
import type { AgentCode, Engine } from '../run/engine.ts';
import { systemClock, systemTimers } from '../util/system-clock.ts';
import { systemIds, systemRandom } from '../util/system-identity.ts';
import { toJson } from '../util/json.ts';
import { Answers, type ApprovalAnswer, type DoubtAnswer, type OpenApproval, type OpenDoubt } from './answers.ts';
import { jsonLinesLog } from './json-lines-log.ts';
import type { AxleOptions, Ports, ToolSource } from './options.ts';
import { assertOptions, assertStartOptions } from './read-options.ts';
import { RunHandle } from './run-handle.ts';
import type { RunResult } from './run-result.ts';
import { agentTask, callTask, newRun, type StartOptions } from './start-run.ts';

/** Time that attempts under way get to end when an Axle is closed. */
const closeGraceMs = 5_000;

export interface Axle {
  /** True when this process drives runs; a client only reads, starts and answers. */
  readonly isDriver: boolean;
  readonly store: Store;
  /**
   * Starts a run of an agent. Durable when it resolves; the same `key` gives the same run.
   * @throws AxleError `agent-unknown`, `run-key-reused`, `usage-invalid`, `limit-exceeded`, `store-unavailable`, `closed`
   */
  start(agentName: string, options: StartOptions & { readonly input: string }): Promise<RunHandle>;
  /**
   * One governed call from any brain: checked, decided, performed and recorded like a model's call. Resolves like `run.result()`.
   * @throws AxleError `tool-unknown`, `run-key-reused`, `usage-invalid`, `value-not-storable`, `limit-exceeded`, `store-unavailable`, `closed`
   */
  call(toolName: string, input: unknown, options?: StartOptions): Promise<RunResult>;
  /** The same without waiting for it: durable when it resolves, like `start`. Throws what `call` throws. */
  startCall(toolName: string, input: unknown, options?: StartOptions): Promise<RunHandle>;
  /** A run by its id; no look-up is made until it is used. */
  run(runId: string): RunHandle;
  /** Runs, newest first. */
  runs(filter?: RunFilter): Promise<readonly RunSummary[]>;
  readonly approvals: {
    /** Open questions, of one run or of all. @throws AxleError `run-unknown` */
    list(runId?: string): Promise<readonly OpenApproval[]>;
    /** Durable when it resolves. @throws AxleError `decision-invalid`, `decision-already-made` (the first answer in `details.first`), `run-unknown` */
    resolve(approvalId: string, answer: ApprovalAnswer): Promise<void>;
  };
  readonly calls: {
    /** Calls in doubt that need a person, of one run or of all. @throws AxleError `run-unknown` */
    inDoubt(runId?: string): Promise<readonly OpenDoubt[]>;
    /** `id` is `run/call`, as `inDoubt` gives it. Durable when it resolves. @throws AxleError `decision-invalid`, `decision-already-made`, `run-unknown` */
    resolve(id: string, answer: DoubtAnswer): Promise<void>;
  };
  /** Ends what is in hand (up to 5 s), then lets go of the store. Runs go on when the store is opened again. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens Axle on a store.
 * @throws AxleError `store-locked`, `store-too-new`, `store-invalid`, `store-unavailable`, `sqlite-too-old`, `contract-duplicate`, `tool-not-granted`,
 *   `agent-invalid`, `model-unsupported`, `configuration-invalid`, `contract-field-not-enforced`, `mcp-unavailable`, `peer-missing`
 */
export async function createAxle(options: AxleOptions): Promise<Axle> {
  assertOptions(options);
  const ports: Ports = {
    clock: systemClock,
    timers: systemTimers,
    random: systemRandom,
    ids: systemIds,
    ...options.ports,
  };
  const log =
    options.log ??
    jsonLinesLog(
      'warn',
      (line) => process.stderr.write(line),
      () => ports.clock.nowMs(),
    );
  const sources = (options.tools ?? []).filter(isSource);
  const store = openStore(options);
  try {
    const registry = registryOf([...(options.tools ?? []).filter(isContract), ...(await connectAll(sources))]);
    const agents = new Map<string, RunningAgent>();
    for (const agent of options.agents ?? []) {
      if (agents.has(agent.name)) throw new AxleError('agent-invalid', `Two agents are named ${agent.name}.`);
      agents.set(agent.name, runningAgent(agent, registry));
    }
    const engine: Engine = {
      store,
      log: safely(log),
      ...ports,
      live: safely(options.onLive ?? (() => {})),
      worker: ports.ids.create('worker'),
      deciders: builtInDeciders,
      policy: options.policy ?? defaultPolicy,
      agent: (name) => agents.get(name)?.code,
      contract: (name, version) => registry.get(name, version),
      describe: describeTool,
    };
    const dispatcher = store.canDrive
      ? new InProcessDispatcher(engine, { maxActiveRuns: options.maxActiveRuns ?? 1_000 })
      : undefined;
    await dispatcher?.start();
    return facade({ engine, dispatcher, registry, agents, sources, durability: options.durability ?? 'effects' });
  } catch (error) {
    await Promise.allSettled(sources.map((source) => source.close()));
    await store.close();
    throw error;
  }
}

/** Whoever watches cannot disturb what is watched: what a log or an observer throws ends there. */
function safely<Arguments extends readonly unknown[]>(
  tell: (...told: Arguments) => void,
): (...told: Arguments) => void {
  return (...told) => {
    try {
      tell(...told);
    } catch {
      // There is nobody left to tell.
    }
  };
}

function openStore({ store, role = 'driver' }: AxleOptions): Store {
  if (typeof store !== 'string') return store;
  if (store === ':memory:') return createMemoryStore();
  if (role !== 'auto') return openSqliteStore(store, { role });
  try {
    return openSqliteStore(store, { role: 'driver' });
  } catch (error) {
    if (isAxleError(error, 'store-locked')) return openSqliteStore(store, { role: 'client' });
    throw error;
  }
}

function isSource(item: Contract | ToolSource): item is ToolSource {
  return 'connect' in item;
}

function isContract(item: Contract | ToolSource): item is Contract {
  return !('connect' in item);
}

async function connectAll(sources: readonly ToolSource[]): Promise<readonly Contract[]> {
  return (await Promise.all(sources.map((source) => source.connect()))).flat();
}

interface RunningAgent {
  readonly agent: Agent;
  readonly code: AgentCode;
  readonly contracts: readonly Contract[];
}

function runningAgent(agent: Agent, registry: Registry): RunningAgent {
  const { name, settings, modelTimeoutMs, modelAttempts } = agent;
  return {
    agent,
    contracts: registry.select(agent.tools),
    code: { name, brain: brainOf(agent), settings, modelTimeoutMs, modelAttempts },
  };
}

function brainOf(agent: Agent): Brain {
  const { model } = agent;
  if ('generate' in model) return model;
  if (isAiSdkModel(model)) return brainFromModel(model);
  throw new AxleError(
    'model-unsupported',
    `The model of agent ${agent.name} is neither a Brain nor an AI SDK model of specification v3 or v4.`,
  );
}

interface Parts {
  readonly engine: Engine;
  readonly dispatcher: InProcessDispatcher | undefined;
  readonly registry: Registry;
  readonly agents: ReadonlyMap<string, RunningAgent>;
  readonly sources: readonly ToolSource[];
  readonly durability: Durability;
}

function facade(parts: Parts): Axle {
  const { engine, dispatcher, registry, agents, sources } = parts;
  const { store } = engine;
  const nowMs = (): number => engine.clock.nowMs();
  const answers = new Answers(store, nowMs, (name, version) => registry.get(name, version));
  const handle = (runId: string): RunHandle =>
    new RunHandle(runId, { store, timers: engine.timers, nowMs, dispatcher });
  let closed: Promise<void> | undefined;

  const assertOpen = (): void => {
    if (closed !== undefined) throw new AxleError('closed', 'This Axle was closed.');
  };

  const accept = async (task: RunTask, options: StartOptions): Promise<RunHandle> => {
    const { key, session } = options;
    const run = newRun(task, {
      runId: engine.ids.create('run'),
      atMs: nowMs(),
      durability: parts.durability,
      ...(key === undefined ? {} : { key }),
      ...(session === undefined ? {} : { session }),
    });
    /* @crashpoint accept-before-create */
    const made = await (dispatcher === undefined ? store.create(run) : dispatcher.create(run));
    /* @crashpoint accept-before-sync */
    await store.synced(made.position);
    /* @crashpoint accept-after-sync */
    return handle(made.runId);
  };

  const close = async (): Promise<void> => {
    await dispatcher?.close(closeGraceMs);
    await Promise.allSettled(sources.map((source) => source.close()));
    await store.close();
  };

  const startCall = async (toolName: string, input: unknown, options: StartOptions = {}): Promise<RunHandle> => {
    assertOpen();
    assertStartOptions('call', options);
    const contract = registry.get(toolName);
    if (contract === undefined) {
      throw new AxleError('tool-unknown', `No tool is named ${toolName}; there ${listOf(registry.names)}.`);
    }
    return accept(callTask(contract, toJson(input)), options);
  };

  return {
    isDriver: dispatcher !== undefined,
    store,
    start: async (agentName, options) => {
      assertOpen();
      assertStartOptions('start', options, ['input']);
      const found = agents.get(agentName);
      if (found === undefined) {
        throw new AxleError('agent-unknown', `No agent is named ${agentName}; there ${listOf([...agents.keys()])}.`);
      }
      if (typeof options.input !== 'string') {
        throw new AxleError('usage-invalid', `The input of a run is a text, not ${typeof options.input}.`);
      }
      return accept(
        agentTask(found.agent, found.code.brain.id, { contracts: found.contracts, input: options.input }),
        options,
      );
    },
    call: async (toolName, input, options) => (await startCall(toolName, input, options)).result(),
    startCall,
    run: handle,
    runs: (filter) => store.runs(filter),
    approvals: {
      list: (runId) => answers.approvals(runId),
      resolve: (approvalId, answer) => answers.resolveApproval(approvalId, answer),
    },
    calls: { inDoubt: (runId) => answers.doubts(runId), resolve: (id, answer) => answers.resolveDoubt(id, answer) },
    close: () => (closed ??= close()),
    [Symbol.asyncDispose]: () => (closed ??= close()),
  };
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'are none' : `are ${names.slice(0, 20).join(', ')}`;
}
