/** From what a caller asks for to an accepted run: everything that the run pins is in its first entry. */
import type { ContractPin } from '../call/pin.ts';
import type { Contract } from '../contract/contract.ts';
import { type Durability, type RunTask, subjectOf, type ToolViewLimits } from '../journal/entry.ts';
import type { RunFork } from '../journal/fork-entries.ts';
import type { NewRun } from '../journal/store.ts';
import { defaultApprovalTtlMs } from '../policy/default-policy.ts';
import type { StartContext } from './start-context.ts';
import type { Agent } from '../run/agent.ts';
import { agentHashOf } from '../run/agent-hash.ts';
import { defined } from '../util/defined.ts';
import { sha256, traceIdFrom } from '../util/hash.ts';
import { canonicalJson, deepFreeze, type JsonValue, toJson } from '../util/json.ts';

export interface StartOptions {
  /** The caller's own name for the request: the same key gives the same run, also after a restart. */
  readonly key?: string;
  /** A name by which runs can be listed together. They do not share a conversation yet. */
  readonly session?: string;
  /** Context keys that are set from the beginning; each must be declared by a tool of the run, or by `context` of the Axle. */
  readonly context?: Readonly<Record<string, unknown>>;
}

export interface Acceptance extends Omit<StartOptions, 'context'> {
  readonly context?: StartContext;
  readonly fork?: RunFork;
  readonly runId: string;
  readonly atMs: number;
  readonly durability: Durability;
}

/** What a run pins of its agent. */
export type PinnedAgent = Pick<Extract<RunTask, { kind: 'agent' }>, 'agent' | 'contracts'>;

export function pinAgent(
  agent: Agent,
  modelId: string,
  granted: {
    readonly contracts: readonly Contract[];
    readonly standIns: readonly Contract[];
    /** Present when the model is not shown all of the tools. */
    readonly toolView: ToolViewLimits | undefined;
  },
): PinnedAgent {
  const { name, instructions, limits, onDoubt, onAnswer, approvalTtlMs } = agent;
  const settings = toJson(agent.settings);
  const contracts = pinsOf(granted.contracts, granted.standIns);
  const declared = {
    name,
    instructions,
    limits,
    onDoubt,
    onAnswer,
    approvalTtlMs,
    settings,
    model: modelId,
    ...(granted.toolView === undefined ? {} : { toolView: granted.toolView }),
  };
  // Frozen, so that what was found right once, for one run, is known to be right for the next (entry-checks.ts, run-code.ts).
  return deepFreeze({ agent: { ...declared, hash: agentHashOf(declared, contracts) }, contracts });
}

export function agentTask({ agent, contracts }: PinnedAgent, input: string): RunTask {
  return { kind: 'agent', input, agent, contracts };
}

export function callTask(contract: Contract, standIns: readonly Contract[], input: JsonValue): RunTask {
  const contracts = pinsOf([contract], standIns);
  return { kind: 'call', tool: contract.name, input, contracts, approvalTtlMs: defaultApprovalTtlMs };
}

/** Whoever stands in for a tool is pinned with it, and is not shown. */
function pinsOf(contracts: readonly Contract[], standIns: readonly Contract[]): readonly ContractPin[] {
  const shown = contracts.map((contract) => contract.pin);
  return standIns.length === 0
    ? shown
    : [...shown, ...standIns.map(({ pin }): ContractPin => ({ ...pin, hidden: true }))];
}

/** The request hash of a run without a key: nobody can ask for it again, so nothing is ever compared with it. */
const unnamedRequest = 'unnamed';

/** What a task asks of whom it is for. */
function inputOf(task: RunTask): JsonValue {
  return task.kind === 'undo' ? toJson({ only: task.only, onProblem: task.onProblem, steps: task.steps }) : task.input;
}

export function newRun(task: RunTask, acceptance: Acceptance): Omit<NewRun, 'claim'> {
  const { runId, atMs, durability, key, session } = acceptance;
  const { context, fork } = acceptance;
  const named = { ...(key === undefined ? {} : { key }), ...(session === undefined ? {} : { session }) };
  const subject = subjectOf(task);
  return {
    runId,
    kind: task.kind,
    subject,
    ...named,
    requestHash:
      key === undefined
        ? unnamedRequest
        : // The same request is the same input to the same agent or tool; its code may have changed in between.
          sha256(canonicalJson(toJson({ kind: task.kind, subject, input: inputOf(task), session, context, fork }))),
    append: {
      firstSeq: 1,
      epoch: 0,
      atMs,
      entries: [
        {
          type: 'run-accepted',
          runId,
          task,
          durability,
          traceId: traceIdFrom(runId),
          ...named,
          ...defined({ context, fork }),
        },
      ],
    },
  };
}
