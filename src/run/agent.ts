/** `agent()`: who decides, with which instructions and tools, within which limits. */
import type { Brain, BrainSettings } from '../brain/brain.ts';
import {
  type Fields,
  invalid,
  oneOf,
  optionalDurationMs,
  optionalNumber,
  optionalText,
  part,
  refuseUnknown,
  requiredText,
  texts,
} from '../contract/declare/fields.ts';
import { AxleError } from '../error/axle-error.ts';
import type { RunLimits, ToolViewLimits } from '../journal/entry.ts';
import { isRecord } from '../util/json.ts';

/** A model object of another library, as far as the core knows it; `ai-sdk/` turns it into a `Brain`. */
export interface ForeignModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

export interface AgentDeclaration {
  /** Unique among the agents of one Axle. Letters, digits, `.`, `_`, `-`; at most 64. */
  readonly name: string;
  /** Any AI SDK model object (specification v3 or v4), or a `Brain`. */
  readonly model: Brain | ForeignModel;
  /** What the model is told before everything else. @defaultValue a short text that prefers tools over memory */
  readonly instructions?: string;
  /** Names of tools, or beginnings followed by `*`. An agent sees only these. @defaultValue none */
  readonly tools?: readonly string[];
  /**
   * How many tools the model is shown at a time when it was granted more: it then finds the others with `find_tools`. `'all'` shows all of them,
   * however many. @defaultValue at most 15, chosen by what the run is about
   */
  readonly toolView?:
    | 'all'
    | {
        /** Tools shown at most, `find_tools` among them, 3 to 128. @defaultValue 15 */
        readonly most?: number;
        /** Names of tools that are always shown, at most two fewer than `most`. @defaultValue none */
        readonly always?: readonly string[];
      };
  readonly budget?: {
    /** Model calls at most, 1 to 10,000. @defaultValue 15 */
    readonly steps?: number;
    /** Time of work at most, in milliseconds or as `'60s'`, `'15m'`; waits for people and timers are not counted. @defaultValue 60 s */
    readonly time?: number | string;
  };
  /** What an answer without calls does: end the run, or wait for the next message. @defaultValue 'finish' */
  readonly onAnswer?: 'finish' | 'wait';
  /** What happens when nobody can tell whether a side effect happened: a person is asked, or the model is told. @defaultValue 'ask' */
  readonly onDoubt?: 'ask' | 'tell';
  /** How long a question to a person stays open. @defaultValue 24 h */
  readonly approvalTtl?: number | string;
  /** Time one model call may take. @defaultValue 60 s */
  readonly modelTimeout?: number | string;
  /** Attempts of one model call, the first included, 1 to 10. @defaultValue 2 */
  readonly modelAttempts?: number;
  readonly settings?: BrainSettings;
}

/** An agent, checked and frozen. */
export interface Agent {
  readonly name: string;
  readonly model: Brain | ForeignModel;
  readonly instructions: string;
  readonly tools: readonly string[];
  /** Undefined when all tools are shown. */
  readonly toolView: ToolViewLimits | undefined;
  readonly limits: RunLimits;
  readonly onAnswer: 'finish' | 'wait';
  readonly onDoubt: 'ask' | 'tell';
  readonly approvalTtlMs: number;
  readonly modelTimeoutMs: number;
  readonly modelAttempts: number;
  readonly settings: BrainSettings;
}

/** Used when an agent has no instructions of its own (A15: tools before memory). */
export const defaultInstructions =
  'Do what the user asks. Prefer a tool over your memory whenever one can give you the fact or do the work. When you have what you need, answer in plain text.';

const knownFields = [
  'name',
  'model',
  'instructions',
  'tools',
  'toolView',
  'budget',
  'onAnswer',
  'onDoubt',
  'approvalTtl',
  'modelTimeout',
  'modelAttempts',
  'settings',
];
/** Budgets that the design names and that nothing holds yet. */
const budgetsNotEnforced = ['usd', 'tokens', 'calls'];
const dayMs = 86_400_000;
const maxTools = 10_000;
/** Choosing among more tools than this, models miss the right one more often (T11). */
const defaultMostShown = 15;

/**
 * Declares an agent.
 * @throws AxleError `agent-invalid` naming the field; `contract-field-not-enforced` for a budget that is not enforced yet.
 */
export function agent(declaration: AgentDeclaration): Agent {
  const values: unknown = declaration;
  if (!isRecord(values)) throw new AxleError('agent-invalid', 'An agent is declared with an object.');
  const fields: Fields = {
    owner: `Agent ${typeof values['name'] === 'string' ? values['name'] : '(without a name)'}`,
    values,
    code: 'agent-invalid',
  };
  refuseUnknown(fields, knownFields);
  const name = requiredText(fields, 'name');
  if (!/^[\w.-]{1,64}$/u.test(name)) {
    throw invalid(fields, 'name', '1 to 64 letters, digits, dots, underscores or hyphens');
  }
  const { model } = declaration;
  if (!isRecord(model)) throw invalid(fields, 'model', 'a model object of the AI SDK or a Brain');
  refuseBudgets(fields);
  const budget = part(fields, 'budget', ['steps', 'time']);
  const upTo = (toMs: number): { readonly fromMs: number; readonly toMs: number } => ({ fromMs: 1, toMs });
  return Object.freeze({
    name,
    model,
    instructions: optionalText(fields, 'instructions') ?? defaultInstructions,
    tools: texts(fields, 'tools', maxTools),
    toolView: readToolView(fields),
    limits: Object.freeze({
      steps: optionalNumber(budget, 'steps', { from: 1, to: 10_000, whole: true }) ?? 15,
      workMs: optionalDurationMs(budget, 'time', upTo(30 * dayMs)) ?? 60_000,
    }),
    onAnswer: oneOf(fields, 'onAnswer', ['finish', 'wait']) ?? 'finish',
    onDoubt: oneOf(fields, 'onDoubt', ['ask', 'tell']) ?? 'ask',
    approvalTtlMs: optionalDurationMs(fields, 'approvalTtl', upTo(366 * dayMs)) ?? dayMs,
    modelTimeoutMs: optionalDurationMs(fields, 'modelTimeout', upTo(dayMs)) ?? 60_000,
    modelAttempts: optionalNumber(fields, 'modelAttempts', { from: 1, to: 10, whole: true }) ?? 2,
    settings: readSettings(fields),
  });
}

function readToolView(fields: Fields): ToolViewLimits | undefined {
  if (fields.values['toolView'] === 'all') return undefined;
  const view = part(fields, 'toolView', ['most', 'always']);
  const most = optionalNumber(view, 'most', { from: 3, to: 128, whole: true }) ?? defaultMostShown;
  return Object.freeze({ most, always: texts(view, 'always', most - 2) });
}

function refuseBudgets({ owner, values }: Fields): void {
  const { budget } = values;
  const promised = isRecord(budget) ? budgetsNotEnforced.find((kind) => budget[kind] !== undefined) : undefined;
  if (promised === undefined) return;
  const message = `${owner} declares budget.${promised}, which is not enforced yet; steps and time are.`;
  throw new AxleError('contract-field-not-enforced', message);
}

function readSettings(fields: Fields): BrainSettings {
  const settings = part(fields, 'settings', ['temperature', 'maxOutputTokens', 'topP', 'seed']);
  const numbers = {
    temperature: optionalNumber(settings, 'temperature', { from: 0, to: 10 }),
    maxOutputTokens: optionalNumber(settings, 'maxOutputTokens', { from: 1, to: 100_000_000, whole: true }),
    topP: optionalNumber(settings, 'topP', { from: 0, to: 1 }),
    seed: optionalNumber(settings, 'seed', { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER, whole: true }),
  };
  return Object.freeze(Object.fromEntries(Object.entries(numbers).filter(([, value]) => value !== undefined)));
}
