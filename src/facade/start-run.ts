/** From what a caller asks for to an accepted run: everything that the run pins is in its first entry. */
import type { Contract } from '../contract/contract.ts';
import type { AgentPin, Durability, RunTask } from '../journal/entry.ts';
import type { NewRun } from '../journal/store.ts';
import { defaultApprovalTtlMs } from '../policy/default-policy.ts';
import type { Agent } from '../run/agent.ts';
import { sha256, traceIdFrom } from '../util/hash.ts';
import { canonicalJson, type JsonValue, toJson } from '../util/json.ts';

export interface StartOptions {
  /** The caller's own name for the request: the same key gives the same run, also after a restart. */
  readonly key?: string;
  /** A name by which runs can be listed together. They do not share a conversation yet. */
  readonly session?: string;
}

export interface Acceptance extends StartOptions {
  readonly runId: string;
  readonly atMs: number;
  readonly durability: Durability;
}

export function agentTask(
  agent: Agent,
  modelId: string,
  parts: { readonly contracts: readonly Contract[]; readonly input: string },
): RunTask {
  const { name, instructions, limits, onDoubt, onAnswer, approvalTtlMs } = agent;
  const settings = toJson(agent.settings);
  const contracts = parts.contracts.map((contract) => contract.pin);
  const declared = { name, instructions, limits, onDoubt, onAnswer, approvalTtlMs, settings, model: modelId };
  const hash = sha256(canonicalJson(toJson({ ...declared, contracts: contracts.map((pin) => pin.hash) })));
  const pin: AgentPin = { ...declared, hash };
  return { kind: 'agent', input: parts.input, agent: pin, contracts };
}

export function callTask(contract: Contract, input: JsonValue): RunTask {
  return { kind: 'call', tool: contract.name, input, contracts: [contract.pin], approvalTtlMs: defaultApprovalTtlMs };
}

export function newRun(task: RunTask, acceptance: Acceptance): Omit<NewRun, 'claim'> {
  const { runId, atMs, durability, key, session } = acceptance;
  const named = { ...(key === undefined ? {} : { key }), ...(session === undefined ? {} : { session }) };
  const subject = task.kind === 'agent' ? task.agent.name : task.tool;
  return {
    runId,
    kind: task.kind,
    subject,
    ...named,
    // The same request is the same input to the same agent or tool; its code may have changed in between.
    requestHash: sha256(canonicalJson(toJson({ kind: task.kind, subject, input: task.input, session }))),
    append: {
      firstSeq: 1,
      epoch: 0,
      atMs,
      entries: [{ type: 'run-accepted', runId, task, durability, traceId: traceIdFrom(runId), ...named }],
    },
  };
}
