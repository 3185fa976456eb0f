/** `agent()`: who decides, with which instructions and tools, within which limits. */
import type { Brain, BrainSettings } from '../brain/brain.ts';
import { parseDurationMs } from '../contract/duration.ts';
import { AxleError } from '../error/axle-error.ts';
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
  readonly kind: 'agent';
  readonly name: string;
  readonly model: Brain | ForeignModel;
  readonly instructions: string;
  readonly tools: readonly string[];
  readonly limits: { readonly steps: number; readonly workMs: number };
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

const fields = new Set([
  'name',
  'model',
  'instructions',
  'tools',
  'budget',
  'onAnswer',
  'onDoubt',
  'approvalTtl',
  'modelTimeout',
  'modelAttempts',
  'settings',
]);
const enforcedBudgets = new Set(['steps', 'time']);
const dayMs = 86_400_000;

/**
 * Declares an agent.
 * @throws AxleError `agent-invalid` naming the field; `contract-field-not-enforced` for a budget that is not enforced yet.
 */
export function agent(declaration: AgentDeclaration): Agent {
  for (const field of Object.keys(declaration))
    if (!fields.has(field)) throw invalid(declaration.name, field, 'is not a field of an agent');
  const { name, model, budget = {} } = declaration;
  assertText(name, name, 'name');
  if (!/^[\w.-]{1,64}$/u.test(name))
    throw invalid(name, 'name', 'must be 1 to 64 letters, digits, dots, underscores or hyphens');
  if (!isRecord(model)) throw invalid(name, 'model', 'must be a model object of the AI SDK or a Brain');
  for (const kind of Object.keys(budget)) {
    if (!enforcedBudgets.has(kind)) {
      throw new AxleError(
        'contract-field-not-enforced',
        `Agent ${name} declares budget.${kind}, which is not enforced yet; steps and time are.`,
      );
    }
  }
  const read = new Reader(name);
  return Object.freeze({
    kind: 'agent',
    name,
    model,
    instructions: declaration.instructions ?? defaultInstructions,
    tools: Object.freeze([...(declaration.tools ?? [])]),
    limits: Object.freeze({
      steps: read.whole('budget.steps', budget.steps ?? 15, 10_000),
      workMs: read.duration('budget.time', budget.time ?? 60_000, 30 * dayMs),
    }),
    onAnswer: read.oneOf('onAnswer', declaration.onAnswer ?? 'finish', ['finish', 'wait']),
    onDoubt: read.oneOf('onDoubt', declaration.onDoubt ?? 'ask', ['ask', 'tell']),
    approvalTtlMs: read.duration('approvalTtl', declaration.approvalTtl ?? dayMs, 366 * dayMs),
    modelTimeoutMs: read.duration('modelTimeout', declaration.modelTimeout ?? 60_000, dayMs),
    modelAttempts: read.whole('modelAttempts', declaration.modelAttempts ?? 2, 10),
    settings: Object.freeze({ ...declaration.settings }),
  });
}

/** Reads fields of one agent, whose name is in every complaint. */
class Reader {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  whole(field: string, value: number, max: number): number {
    if (Number.isInteger(value) && value >= 1 && value <= max) return value;
    throw invalid(this.#name, field, `must be a whole number from 1 to ${max}, and is ${value}`);
  }

  duration(field: string, value: number | string, maxMs: number): number {
    const ms = parseDurationMs(value);
    if (ms !== undefined && ms >= 1 && ms <= maxMs) return ms;
    throw invalid(
      this.#name,
      field,
      `must be a duration from 1 ms to ${maxMs} ms, such as 500 or '20s', and is ${value}`,
    );
  }

  oneOf<T extends string>(field: string, value: T, allowed: readonly T[]): T {
    if (allowed.includes(value)) return value;
    throw invalid(this.#name, field, `must be ${allowed.join(' or ')}, and is ${value}`);
  }
}

// Programs without types call this too.
function assertText(name: unknown, value: unknown, field: string): asserts value is string {
  if (typeof value !== 'string') throw invalid(String(name), field, 'must be a text');
}

function invalid(name: string, field: string, problem: string): AxleError {
  return new AxleError('agent-invalid', `Agent ${name}: ${field} ${problem}.`, { details: { agent: name, field } });
}
