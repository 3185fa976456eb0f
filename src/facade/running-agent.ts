/** An agent as one Axle has it: its model, and what it is granted of the tools that are registered now. */
import { brainFromModel, isAiSdkModel } from '../ai-sdk/brain-from-model.ts';
import type { Brain } from '../brain/brain.ts';
import { standInsFor } from '../contract/check-chains.ts';
import type { Contract } from '../contract/contract.ts';
import { searchableTools, type SearchableTools } from '../contract/find-tools.ts';
import { findToolsName } from '../contract/found-tools.ts';
import type { LiveTools } from '../contract/live-tools.ts';
import { AxleError, isAxleError } from '../error/axle-error.ts';
import type { ToolViewLimits } from '../journal/entry.ts';
import type { Agent } from '../run/agent.ts';
import type { AgentCode } from '../run/engine.ts';
import { isRecord } from '../util/json.ts';
import { pinAgent, type PinnedAgent } from './start-run.ts';

/** What a run of an agent that begins now is given. */
export interface Grant {
  readonly contracts: readonly Contract[];
  /** Present when the model is shown a part of the contracts. */
  readonly toolView: ToolViewLimits | undefined;
  readonly standIns: readonly Contract[];
  readonly searchable: () => SearchableTools;
}

export interface RunningAgent {
  readonly agent: Agent;
  readonly code: AgentCode;
  /** @throws AxleError `tool-not-granted` when a tool that it names was removed */
  readonly grant: () => Grant;
  /** What a run of it pins that begins now. @param instructions Its own, without real values. @throws AxleError `tool-not-granted` */
  readonly pinned: (instructions: string) => PinnedAgent;
}

/** An agent as `axle.agents.list` shows it. */
export interface ListedAgent extends Pick<Agent, 'name' | 'instructions' | 'tools' | 'limits'> {
  /** The id of its model. */
  readonly model: string;
}

export function listedAgent({ agent, code }: RunningAgent): ListedAgent {
  const { name, instructions, tools, limits } = agent;
  return { name, model: code.brain.id, instructions, tools, limits };
}

/** @throws AxleError `tool-not-granted`, `agent-invalid`, `model-unsupported` */
export function runningAgent(agent: Agent, tools: LiveTools): RunningAgent {
  const { name, settings, modelTimeoutMs, modelAttempts } = agent;
  let known = { revision: tools.revision, grant: grantOf(agent, tools) };
  const grant = (): Grant => {
    if (known.revision !== tools.revision) known = { revision: tools.revision, grant: grantOf(agent, tools) };
    return known.grant;
  };
  const brain = brainOf(agent.model, `agent ${name}`);
  // Run after run pins the same: its hash is made once.
  let last: { readonly of: Grant; readonly instructions: string; readonly pinned: PinnedAgent } | undefined;
  const pinned = (instructions: string): PinnedAgent => {
    const of = grant();
    if (last?.of !== of || last.instructions !== instructions) {
      last = { of, instructions, pinned: pinAgent({ ...agent, instructions }, brain.id, of) };
    }
    return last.pinned;
  };
  // A run under way goes on searching what its agent was last granted.
  const searchable = (): SearchableTools => {
    try {
      return grant().searchable();
    } catch (error) {
      if (isAxleError(error, 'tool-not-granted')) return known.grant.searchable();
      throw error;
    }
  };
  return {
    agent,
    grant,
    pinned,
    code: { name, brain, settings, modelTimeoutMs, modelAttempts, searchable },
  };
}

function grantOf(agent: Agent, { registry }: LiveTools): Grant {
  const granted = registry.select(agent.tools);
  const standIns = standInsFor(granted, registry);
  let made: SearchableTools | undefined;
  const searchable = (): SearchableTools => (made ??= searchableTools(granted));
  const { toolView } = agent;
  if (toolView === undefined || granted.length <= toolView.most) {
    return { contracts: granted, standIns, toolView: undefined, searchable };
  }
  assertSearchable(agent, toolView, granted);
  return { contracts: [searchable().findTools, ...granted], standIns, toolView, searchable };
}

function assertSearchable({ name }: Agent, toolView: ToolViewLimits, granted: readonly Contract[]): void {
  const names = new Set(granted.map((contract) => contract.name));
  if (names.has(findToolsName)) {
    const message = `Agent ${name} is granted a tool of its own named ${findToolsName}, the name under which tools are searched.`;
    throw new AxleError('agent-invalid', message, { remedy: "Rename the tool, or declare toolView: 'all'." });
  }
  const stranger = toolView.always.find((always) => !names.has(always));
  if (stranger === undefined) return;
  throw new AxleError('tool-not-granted', `Agent ${name} always shows ${stranger}, which it is not granted.`);
}

/** @param owner Names it in messages, for example `agent clerk`. @throws AxleError `model-unsupported` */
export function brainOf(model: Agent['model'], owner: string): Brain {
  const given: unknown = model;
  if (isRecord(given) && 'generate' in model) return model;
  if (isRecord(given) && isAiSdkModel(model)) return brainFromModel(model);
  throw new AxleError(
    'model-unsupported',
    `The model of ${owner} is neither a Brain nor an AI SDK model of specification v3 or v4.`,
  );
}
