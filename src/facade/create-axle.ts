/** `createAxle`: composes store, dispatcher, tools and agents, and opens an Axle over them. */
import type { Brain } from '../brain/brain.ts';
import type { Contract } from '../contract/contract.ts';
import { describeTool } from '../contract/describe.ts';
import { LiveTools } from '../contract/live-tools.ts';
import { contractFor } from '../contract/registry.ts';
import { NamedLocks } from '../execute/locks/named-locks.ts';
import { type DeclaredUpstreams, InProcessUpstreams, storedUpstreams } from '../execute/upstreams/in-process.ts';
import { InProcessDispatcher } from '../dispatch/in-process.ts';
import { AxleError, isAxleError } from '../error/axle-error.ts';
import { Aliases } from '../execute/aliases/aliases.ts';
import { concealIn } from '../execute/aliases/conceal-in.ts';
import { programBody } from '../execute/sandbox/program-body.ts';
import { createSandboxes } from '../execute/sandbox/sandboxes.ts';
import { LiveRuns } from '../live/live-runs.ts';
import { createMemoryCache } from '../journal/memory/memory-cache.ts';
import { createMemoryDrifts } from '../journal/memory/memory-drifts.ts';
import { createMemoryStore } from '../journal/memory/memory-store.ts';
import { openSqliteStore } from '../journal/sqlite/sqlite-store.ts';
import type { Store } from '../journal/store.ts';
import { defaultPolicy } from '../policy/default-policy.ts';
import { builtInDeciders } from '../run/decide.ts';
import { QuickReads } from '../run/quick-reads.ts';
import type { Engine, Log, Watcher } from '../run/engine.ts';
import { defaultSandboxes } from '../sandbox/default-sandboxes.ts';
import { systemClock, systemTimers } from '../util/system-clock.ts';
import { systemIds, systemRandom } from '../util/system-identity.ts';
import { concealContract } from './alias-contracts.ts';
import { jsonLinesLog } from './json-lines-log.ts';
import type { AxleOptions, Observed, Ports, ToolSource } from './options.ts';
import { readAliases } from './read-aliases.ts';
import { assertOptions, readUpstreams } from './read-options.ts';
import { brainOf, type RunningAgent, runningAgent } from './running-agent.ts';
import { keepDeclarations } from './tools.ts';
import { type Axle, axleOf } from './axle.ts';

/**
 * Opens Axle on a store.
 * @throws AxleError `store-locked`, `store-too-new`, `store-invalid`, `store-unavailable`, `sqlite-too-old`, `contract-duplicate`, `tool-not-granted`,
 *   `agent-invalid`, `model-unsupported`, `configuration-invalid`, `fallback-invalid`, `upstream-contradictory`, `contract-field-not-enforced`,
 *   `mcp-unavailable`, `peer-missing`, `alias-unknown`, `alias-unusable`
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
  const aliases = await Aliases.open(readAliases(options), (name) => process.env[name]);
  const sources = (options.tools ?? []).filter(isSource);
  const sandboxes = createSandboxes(options.sandboxes ?? defaultSandboxes());
  const store = watchedStore(openStore(options), options);
  try {
    const tools = await liveTools(options, sources, aliases);
    const declared: DeclaredUpstreams = {
      names: () => tools.upstreams.names,
      settings: (name) => tools.upstreams.settings(name),
    };
    const agents = new Map<string, RunningAgent>();
    for (const agent of options.agents ?? []) {
      if (agents.has(agent.name)) throw new AxleError('agent-invalid', `Two agents are named ${agent.name}.`);
      agents.set(agent.name, runningAgent(agent, tools));
    }
    const models = modelsOf(options);
    const createUpstreams = options.createUpstreams ?? ((parts) => new InProcessUpstreams(parts));
    const worker = ports.ids.create('worker');
    const { clock, timers } = ports;
    const live = new LiveRuns({ store, timers });
    const told = Object.assign(concealedLog(safely(log), aliases), log.least === undefined ? {} : { least: log.least });
    const upstreams = createUpstreams({ declared, store, clock, timers, writer: worker, log: told });
    const control = store.canDrive ? upstreams : storedUpstreams({ declared, store, clock });
    const engine: Engine = {
      store,
      cache: options.cache ?? store.results ?? createMemoryCache(),
      drifts: store.drifts ?? createMemoryDrifts(),
      log: told,
      ...ports,
      upstreams,
      quickReads: new QuickReads(),
      watcher: alsoTelling(live, watchersOf(options, { store, upstreams: async () => control.list() })),
      locks: new NamedLocks({ store, clock, timers }),
      worker,
      deciders: builtInDeciders,
      policy: options.policy ?? defaultPolicy,
      agent: (name) => agents.get(name)?.code,
      model: (name) => models.get(name),
      contract: (name, version) => contractFor(tools.registry, name, version),
      versions: versionsIn(tools),
      // A function of its own: tool lists are kept by it (run-code.ts).
      describe: (contract) => describeTool(contract),
      aliases,
      sandboxes,
    };
    const dispatcher = store.canDrive
      ? new InProcessDispatcher(engine, { maxActiveRuns: options.maxActiveRuns ?? 1_000 })
      : undefined;
    await keepDeclarations(store, tools.contracts, engine.log);
    tools.onChange((names, added) => {
      dispatcher?.codeChanged(names);
      void keepDeclarations(store, added, engine.log);
    });
    if (dispatcher !== undefined) await proveSandboxes(engine, tools.contracts);
    await dispatcher?.start();
    return axleOf({
      engine,
      live,
      dispatcher,
      control,
      tools,
      agents,
      models,
      aliases,
      sources,
      sandboxes,
      durability: options.durability ?? 'effects',
      keys: options.context ?? [],
    });
  } catch (error) {
    await Promise.allSettled([...sources, sandboxes].map((each) => each.close()));
    await store.close();
    throw error;
  }
}

function versionsIn(tools: LiveTools): Engine['versions'] {
  return {
    revision: () => tools.revision,
    of: (name) => tools.versionsOf(name),
    retained: (hash) => tools.retained(hash),
  };
}

function modelsOf({ models = {} }: AxleOptions): ReadonlyMap<string, Brain> {
  return new Map(Object.entries(models).map(([name, model]) => [name, brainOf(model, `the name ${name}`)]));
}

/** Finds a place for each program before the first run needs it; one without a place is unavailable, and that is said now. */
async function proveSandboxes({ sandboxes, log }: Engine, contracts: readonly Contract[]): Promise<void> {
  const prove = async (contract: Contract): Promise<void> => {
    const body = await programBody(contract, sandboxes);
    if (body?.kind !== 'unavailable') return;
    log('warn', body.failure.message, { tool: contract.name, code: body.failure.code });
  };
  await Promise.all(contracts.map(prove));
}

/** The store as those want it who watch what it does. */
function watchedStore(store: Store, { observers = [] }: AxleOptions): Store {
  let watched = store;
  for (const observer of observers) {
    try {
      watched = observer.watchStore?.(watched) ?? watched;
    } catch {
      // Then it is not watched.
    }
  }
  return watched;
}

/** Those who watch beside the readers of streams. */
function watchersOf({ onLive, observers = [] }: AxleOptions, observed: Observed): readonly Watcher[] {
  const listener: readonly Watcher[] =
    onLive === undefined
      ? []
      : [{ told: (event, { runId }) => onLive({ ...event, runId }), committed: () => {}, rested: () => {} }];
  return [...listener, ...observers.map((observer) => observer.observe(observed))];
}

/** The same with others who hear it too; what they throw ends here. */
function alsoTelling(live: LiveRuns, others: readonly Watcher[]): Watcher {
  if (others.length === 0) return live;
  const each = (tell: (watcher: Watcher) => void): void => {
    for (const other of others) {
      try {
        tell(other);
      } catch {
        // There is nobody left to tell.
      }
    }
  };
  return {
    accepted: (runId, append) => each((other) => other.accepted?.(runId, append)),
    told: (event, by) => {
      live.told(event, by);
      each((other) => other.told(event, by));
    },
    committed: (runId, append, status) => {
      live.committed(runId, append, status);
      each((other) => other.committed(runId, append, status));
    },
    rested: (runId) => {
      live.rested(runId);
      each((other) => other.rested(runId));
    },
  };
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

/** Lines of the log have aliases in the place of real values, like everything else. */
function concealedLog(log: Log, aliases: Aliases): Log {
  const conceal = (text: string): string => aliases.conceal(text);
  return (level, message, fields) => log(level, conceal(message), concealIn(fields, conceal));
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

/** What the program and its sources offer. What a source says before all of them have answered counts instead of its first answer. */
async function liveTools(options: AxleOptions, sources: readonly ToolSource[], aliases: Aliases): Promise<LiveTools> {
  const given = options.tools ?? [];
  const shown = (contracts: readonly Contract[]): readonly Contract[] =>
    contracts.map((contract) => concealContract(contract, aliases));
  const said = new Map<ToolSource, readonly Contract[]>();
  let change = (source: ToolSource, contracts: readonly Contract[]): void => void said.set(source, contracts);
  const connected = await Promise.all(
    sources.map(async (source) => ({
      owner: source,
      contracts: await source.connect((contracts) => change(source, contracts)),
    })),
  );
  const offers = connected.map(({ owner, contracts }) => ({ owner, contracts: shown(said.get(owner) ?? contracts) }));
  const live = new LiveTools([{ contracts: shown(given.filter(isContract)) }, ...offers], readUpstreams(options));
  change = (source, contracts) => live.offer(source, shown(contracts));
  return live;
}
