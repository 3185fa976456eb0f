/** A run as a comparison sees it: its steps, with what the model saw, said and asked for, and what came of it. */
import { stepOfCall } from '../call/call-id.ts';
import type { TranscriptItem } from '../call/message.ts';
import type { Outcome } from '../call/outcome.ts';
import { unknownRun } from '../journal/checks.ts';
import type { AttemptFinished, CallBound, CallRefused, Entry, ModelStarted } from '../journal/entry.ts';
import type { RunFork } from '../journal/fork-entries.ts';
import { readAppends } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import { evolve, passTime } from '../run/evolve.ts';
import { type CallPhase, newState, type RunState } from '../run/state.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import type { JsonValue } from '../util/json.ts';
import { outcomeIn } from './recorded-calls.ts';
import type { ComparedCall, ComparedRun, ComparedStep } from './run-comparison.ts';

export const maxShownLength = 2_048;

/** What a comparison reads of a run. */
export interface RunFacts {
  readonly run: ComparedRun;
  readonly instructions: string;
  /** By their number. */
  readonly steps: ReadonlyMap<number, StepFacts>;
  /** The conversation at the end: of each step the model saw the first `items` of it. */
  readonly items: readonly TranscriptItem[];
}

/** A step, with values whole. */
export interface StepFacts extends Omit<ComparedStep, 'said' | 'calls'> {
  readonly said: string;
  readonly calls: readonly CallFacts[];
}

export interface CallFacts extends Omit<ComparedCall, 'status' | 'output'> {
  readonly outcome?: Outcome;
  /** Where it stands without an outcome. */
  readonly standing: 'waiting' | 'in-doubt' | 'open';
}

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

interface OpenStep extends Writable<Omit<StepFacts, 'calls'>> {
  readonly calls: Writable<CallFacts>[];
}

/** @throws AxleError `run-unknown` */
export async function runFacts(store: Store, runId: string): Promise<RunFacts> {
  const summary = await store.run(runId);
  if (summary === undefined) throw unknownRun(runId);
  const steps = new Steps();
  let state = newState(runId);
  let fork: RunFork | undefined;
  for await (const append of readAppends(store, runId)) {
    state = passTime(state, append);
    for (const entry of append.entries) {
      if (entry.type === 'run-accepted') fork = entry.fork;
      const before = state;
      state = evolve(state, entry);
      steps.take(entry, before, state);
    }
  }
  steps.leave(state);
  const agent = state.task?.kind === 'agent' ? state.task.agent : undefined;
  const { ending, totals, workMs } = state;
  return {
    run: {
      runId,
      kind: summary.kind,
      subject: summary.subject,
      ...defined({ model: agent?.model, ending: ending?.kind }),
      ...(fork === undefined ? {} : { fork: { of: fork.of, step: fork.step } }),
      ...(ending === undefined ? {} : { output: shown(ending.output) }),
      steps: state.step,
      inputTokens: totals.inputTokens,
      outputTokens: totals.outputTokens,
      workedMs: workMs,
    },
    instructions: agent?.instructions ?? '',
    steps: steps.byNumber,
    items: state.transcript.items(),
  };
}

class Steps {
  readonly byNumber = new Map<number, OpenStep>();

  take(entry: Entry, before: RunState, after: RunState): void {
    switch (entry.type) {
      case 'model-started':
        this.#begin(entry, after);
        break;
      case 'model-finished': {
        const step = this.#step(after.step);
        step.said = entry.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
        step.modelMs += entry.tookMs;
        step.inputTokens += entry.usage.inputTokens ?? 0;
        step.outputTokens += entry.usage.outputTokens ?? 0;
        break;
      }
      case 'model-failed':
        this.#step(after.step).modelMs += entry.tookMs;
        break;
      case 'call-bound':
      case 'call-refused':
        this.#open(entry);
        break;
      case 'attempt-finished':
        this.#attempted(entry);
        break;
      case 'call-recorded': {
        const call = this.#call(entry.callId);
        if (call !== undefined) call.isRecorded = true;
        break;
      }
      default:
        break;
    }
    this.#settle(before, after);
  }

  /** What has no outcome at the end stands somewhere. */
  leave({ turn }: RunState): void {
    for (const { callId, phase } of turn?.calls ?? []) {
      const call = this.#call(callId);
      if (call !== undefined) call.standing = standingIn(phase);
    }
  }

  #begin({ step, items, contextHash }: ModelStarted, { seq, context }: RunState): void {
    const known = this.byNumber.get(step);
    this.byNumber.set(step, { ...(known ?? emptyStep(seq)), items, contextHash, toolsHash: context.toolsHash });
  }

  /** Runs without a model have a step too. */
  #step(number: number): OpenStep {
    const known = this.byNumber.get(number) ?? emptyStep(0);
    this.byNumber.set(number, known);
    return known;
  }

  #open(entry: CallBound | CallRefused): void {
    if (entry.type === 'call-refused' && entry.dropped === true) return;
    const fresh = { attempts: 0, isRecorded: false, standing: 'open' } as const;
    const call: Writable<CallFacts> =
      entry.type === 'call-bound'
        ? { callId: entry.call.callId, tool: entry.call.tool, input: entry.call.input, ...fresh }
        : {
            callId: entry.callId,
            tool: entry.toolName,
            input: entry.argumentsText,
            ...fresh,
            outcome: { status: 'failed', failure: entry.failure, effectMayHaveHappened: false },
          };
    this.#step(stepOfCall(call.callId)).calls.push(call);
  }

  #attempted({ callId, attempt, tookMs }: AttemptFinished): void {
    const call = this.#call(callId);
    if (call === undefined) return;
    call.attempts = attempt;
    this.#step(stepOfCall(callId)).callsMs += tookMs;
  }

  #settle(before: RunState, after: RunState): void {
    if (before.turn === after.turn) return;
    for (const { callId } of before.turn?.calls ?? []) {
      const call = this.#call(callId);
      const outcome = call?.outcome === undefined ? outcomeIn(after, callId) : undefined;
      if (call !== undefined && outcome !== undefined) call.outcome = outcome;
    }
  }

  #call(callId: string): Writable<CallFacts> | undefined {
    return this.byNumber.get(stepOfCall(callId))?.calls.find((call) => call.callId === callId);
  }
}

function standingIn(phase: CallPhase): CallFacts['standing'] {
  switch (phase.kind) {
    case 'asking':
    case 'authorizing':
    case 'backing-off':
      return 'waiting';
    case 'doubtful':
      return 'in-doubt';
    case 'bound':
    case 'ready':
    case 'attempting':
    case 'answered':
    case 'resolved':
    case 'settled':
      return 'open';
  }
}

function emptyStep(seq: number): OpenStep {
  return {
    seq,
    contextHash: '',
    toolsHash: '',
    items: 0,
    said: '',
    calls: [],
    inputTokens: 0,
    outputTokens: 0,
    modelMs: 0,
    callsMs: 0,
  };
}

/** A step as a comparison shows it. */
export function shownStep(step: StepFacts): ComparedStep {
  return {
    ...step,
    said: cutText(step.said, maxShownLength),
    calls: step.calls.map(({ outcome, standing, input, ...call }) => ({
      ...call,
      input: shown(input),
      status: outcome?.status ?? standing,
      ...(outcome === undefined ? {} : { output: shown(outputOf(outcome)) }),
    })),
  };
}

/** What came of a call, as one value. */
export function outputOf(outcome: Outcome): JsonValue {
  switch (outcome.status) {
    case 'succeeded':
      return outcome.output;
    case 'failed':
      return `${outcome.failure.code}: ${outcome.failure.message}`;
    case 'denied':
    case 'cancelled':
    case 'in-doubt':
      return outcome.reason;
  }
}

/** A value that is not too long to show, or a text of its beginning. */
export function shown(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  return text.length <= maxShownLength ? value : cutText(text, maxShownLength);
}
