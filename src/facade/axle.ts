/** An Axle: what users start, call, answer and close, over its parts. */
import type { Brain } from '../brain/brain.ts';
import { standInsFor } from '../contract/check-chains.ts';
import type { ContextKey, Contract } from '../contract/contract.ts';
import type { LiveTools } from '../contract/live-tools.ts';
import { thereAre } from '../contract/near-miss.ts';
import type { UpstreamControl } from '../execute/upstreams/upstreams.ts';
import type { InProcessDispatcher } from '../dispatch/in-process.ts';
import { AxleError } from '../error/axle-error.ts';
import type { Aliases } from '../execute/aliases/aliases.ts';
import { concealIn } from '../execute/aliases/conceal-in.ts';
import type { Diagnosis } from '../diagnose/diagnose.ts';
import type { Sandboxes } from '../execute/sandbox/sandboxes.ts';
import type { Durability, RunTask } from '../journal/entry.ts';
import type { RunFilter, RunSummary, Store } from '../journal/store.ts';
import type { LiveRuns } from '../live/live-runs.ts';
import type { Engine } from '../run/engine.ts';
import { defined } from '../util/defined.ts';
import { toJson } from '../util/json.ts';
import { concealContract } from './alias-contracts.ts';
import {
  Answers,
  type ApprovalAnswer,
  type AuthorizationAnswer,
  type DoubtAnswer,
  type OpenApproval,
  type OpenAuthorization,
  type OpenDoubt,
} from './answers.ts';
import { diagnoseRun } from './diagnose-run.ts';
import type { ToolSource } from './options.ts';
import { assertStartOptions } from './read-options.ts';
import { type RecordingParts, type Recordings, recordingsOf } from './recordings.ts';
import { type ListedAgent, listedAgent, type RunningAgent } from './running-agent.ts';
import { RunHandle } from './run-handle.ts';
import type { RunResult } from './run-result.ts';
import { type Tools, toolsOf } from './tools.ts';
import { startContext } from './start-context.ts';
import { undoRun, type UndoOptions, type UndoPorts } from './undo-run.ts';
import { agentTask, callTask, newRun, type StartOptions } from './start-run.ts';
import { upstreamOrders, type UpstreamOrders } from './upstream-orders.ts';

/** Time that attempts under way get to end when an Axle is closed. */
const closeGraceMs = 5_000;

export interface CloseOptions {
  /** Milliseconds that what is in hand gets to end before it is aborted. @defaultValue 5,000 */
  readonly graceMs?: number;
}

export interface Axle extends Recordings {
  /** True when this process drives runs; a client only reads, starts and answers. */
  readonly isDriver: boolean;
  readonly store: Store;
  /**
   * Starts a run of an agent. Durable when it resolves; the same `key` gives the same run.
   * @throws AxleError `agent-unknown`, `tool-not-granted`, `context-invalid`, `run-key-reused`, `usage-invalid`, `limit-exceeded`, `store-unavailable`, `closed`
   */
  start(agentName: string, options: StartOptions & { readonly input: string }): Promise<RunHandle>;
  /**
   * One governed call from any brain: checked, decided, performed and recorded like a model's call. Resolves like `run.result()`.
   * @throws AxleError `tool-unknown`, `context-invalid`, `run-key-reused`, `usage-invalid`, `value-not-storable`, `limit-exceeded`, `store-unavailable`, `closed`
   */
  call(toolName: string, input: unknown, options?: StartOptions): Promise<RunResult>;
  /** The same without waiting for it: durable when it resolves, like `start`. Throws what `call` throws. */
  startCall(toolName: string, input: unknown, options?: StartOptions): Promise<RunHandle>;
  /** The contracts, while runs are under way: list, replace, remove. */
  readonly tools: Tools;
  readonly agents: {
    /** The agents that this Axle can start, in the order in which they were given. */
    list(): readonly ListedAgent[];
  };
  /**
   * Takes back what a run that has ended did: its effects in reverse order, each by the `undo` of its tool, in a run of its own. Durable when it resolves; asked again
   * it is the same run. The result names what was undone, failed, cannot be taken back, and is left.
   * @throws AxleError `run-unknown`, `run-not-ended`, `undo-under-way`, `usage-invalid`, `store-unavailable`, `closed`
   */
  undo(runId: string, options?: UndoOptions): Promise<RunHandle>;
  /** What probably went wrong in a run, most likely first, from the journal alone. @throws AxleError `run-unknown` */
  diagnose(runId: string): Promise<Diagnosis>;
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
  readonly authorizations: {
    /** Logins and permissions that calls wait for, in one run or in all. @throws AxleError `run-unknown` */
    list(runId?: string): Promise<readonly OpenAuthorization[]>;
    /** Durable when it resolves. @throws AxleError `decision-invalid`, `decision-already-made` (the first answer in `details.first`), `run-unknown` */
    resolve(authorizationId: string, answer: AuthorizationAnswer): Promise<void>;
  };
  /** The services behind tools with limits: their breakers, queues and pauses. */
  readonly upstreams: UpstreamOrders;
  readonly calls: {
    /** Calls in doubt that need a person, of one run or of all. @throws AxleError `run-unknown` */
    inDoubt(runId?: string): Promise<readonly OpenDoubt[]>;
    /** `id` is `run/call`, as `inDoubt` gives it. Durable when it resolves. @throws AxleError `decision-invalid`, `decision-already-made`, `run-unknown` */
    resolve(id: string, answer: DoubtAnswer): Promise<void>;
  };
  readonly cache: {
    /** Forgets kept results of one tool, or all; what reads under way bring is not kept either. Resolves with how many there were. */
    clear(what?: { readonly tool?: string }): Promise<number>;
  };
  /** Ends what is in hand, then lets go of the store. Runs go on when the store is opened again. */
  close(options?: CloseOptions): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** What an Axle is made of. */
export interface AxleParts {
  readonly engine: Engine;
  readonly live: LiveRuns;
  readonly dispatcher: InProcessDispatcher | undefined;
  readonly control: UpstreamControl;
  readonly tools: LiveTools;
  readonly agents: ReadonlyMap<string, RunningAgent>;
  readonly models: ReadonlyMap<string, Brain>;
  readonly aliases: Aliases;
  readonly sources: readonly ToolSource[];
  readonly sandboxes: Sandboxes;
  readonly durability: Durability;
  readonly keys: readonly ContextKey[];
}

/** Accepts runs: durable when it resolves. */
function creatorOf(
  { engine, dispatcher, durability }: AxleParts,
  handle: (runId: string) => RunHandle,
): RecordingParts['create'] {
  const { store } = engine;
  return async (task, accepted) => {
    const run = newRun(task, {
      ...accepted,
      runId: engine.ids.create('run'),
      atMs: engine.clock.nowMs(),
      durability,
    });
    /* @crashpoint accept-before-create */
    const made = await (dispatcher === undefined ? store.create(run) : dispatcher.create(run));
    /* @crashpoint accept-before-sync */
    await store.synced(made.position);
    /* @crashpoint accept-after-sync */
    return handle(made.runId);
  };
}

/** The object that users hold. */
export function axleOf(parts: AxleParts): Axle {
  const { engine, live, dispatcher, tools, agents, aliases } = parts;
  const { store } = engine;
  const nowMs = (): number => engine.clock.nowMs();
  const conceal = (text: string): string => aliases.conceal(text);
  const answers = new Answers(store, nowMs, engine.contract);
  const handle = (runId: string): RunHandle =>
    new RunHandle(runId, { store, live, timers: engine.timers, nowMs, dispatcher, conceal });
  let closed: Promise<void> | undefined;

  const assertOpen = (): void => {
    if (closed !== undefined) throw new AxleError('closed', 'This Axle was closed.');
  };

  const create = creatorOf(parts, handle);

  const accept = async (task: RunTask, options: StartOptions, contracts: readonly Contract[]): Promise<RunHandle> => {
    const { key, session } = options;
    const context = concealIn(startContext(options.context, { keys: parts.keys, contracts }), conceal);
    return create(task, defined({ key, session, context }));
  };

  const startCall = async (toolName: string, input: unknown, options: StartOptions = {}): Promise<RunHandle> => {
    assertOpen();
    assertStartOptions('call', options);
    const { registry } = tools;
    const contract = registry.get(toolName);
    if (contract === undefined) {
      throw new AxleError('tool-unknown', `No tool is named ${toolName}; ${thereAre(toolName, registry.names)}.`);
    }
    return accept(callTask(contract, standInsFor([contract], registry), concealIn(toJson(input), conceal)), options, [
      contract,
    ]);
  };

  const undoPorts: UndoPorts = {
    store,
    contract: (name, version) => tools.registry.get(name, version),
    run: handle,
    accept: async (task, key) => accept(task, { key }, []),
  };

  return {
    isDriver: dispatcher !== undefined,
    store,
    start: async (agentName, options) => {
      assertOpen();
      assertStartOptions('start', options, ['input']);
      const found = agents.get(agentName);
      if (found === undefined) {
        throw new AxleError('agent-unknown', `No agent is named ${agentName}; ${thereAre(agentName, agents.keys())}.`);
      }
      if (typeof options.input !== 'string') {
        throw new AxleError('usage-invalid', `The input of a run is a text, not ${typeof options.input}.`);
      }
      const pinned = found.pinned(conceal(found.agent.instructions));
      return accept(agentTask(pinned, conceal(options.input)), options, found.grant().contracts);
    },
    call: async (toolName, input, options) => (await startCall(toolName, input, options)).result(),
    startCall,
    tools: toolsOf(tools, {
      assertOpen,
      drifts: engine.drifts,
      shown: (contract) => concealContract(contract, aliases),
    }),
    agents: { list: () => [...agents.values()].map((each) => concealIn(listedAgent(each), conceal)) },
    undo: async (runId, options = {}) => {
      assertOpen();
      return undoRun(runId, options, undoPorts);
    },
    diagnose: (runId) => diagnoseRun(store, runId),
    ...recordingsOf({ engine, models: parts.models, assertOpen, conceal, create }),
    run: handle,
    runs: (filter) => store.runs(filter),
    ...questionsOf(answers, conceal),
    upstreams: upstreamOrders(parts.control),
    cache: { clear: (what = {}) => engine.cache.clear({ ...defined({ tool: what.tool }), atMs: nowMs() }) },
    close: (options) => (closed ??= closeAll(parts, options)),
    [Symbol.asyncDispose]: () => (closed ??= closeAll(parts)),
  };
}

async function closeAll(
  { engine, dispatcher, sources, sandboxes }: AxleParts,
  { graceMs = closeGraceMs }: CloseOptions = {},
): Promise<void> {
  await dispatcher?.close(graceMs);
  await engine.upstreams.close();
  await Promise.allSettled([...sources, sandboxes].map((each) => each.close()));
  await engine.store.close();
}

/** What waits for a person, and the answers. */
function questionsOf(
  answers: Answers,
  conceal: (text: string) => string,
): Pick<Axle, 'approvals' | 'authorizations' | 'calls'> {
  return {
    approvals: {
      list: (runId) => answers.approvals(runId),
      resolve: (approvalId, answer) => answers.resolveApproval(approvalId, shownAnswer(answer, conceal)),
    },
    authorizations: {
      list: (runId) => answers.authorizations(runId),
      resolve: (authorizationId, answer) => answers.resolveAuthorization(authorizationId, shownAnswer(answer, conceal)),
    },
    calls: {
      inDoubt: (runId) => answers.doubts(runId),
      resolve: (id, answer) => answers.resolveDoubt(id, shownAnswer(answer, conceal)),
    },
  };
}

/** An answer of a person without real values: `edit` and `output` become JSON first. */
function shownAnswer<Answer extends ApprovalAnswer | AuthorizationAnswer | DoubtAnswer>(
  answer: Answer,
  conceal: (text: string) => string,
): Answer {
  const plain = Object.entries(answer).filter(([, value]) => value !== undefined);
  const shown = Object.fromEntries(plain.map(([name, value]) => [name, concealIn(toJson(value), conceal)]));
  return { ...answer, ...shown };
}
