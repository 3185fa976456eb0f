/** Writes a journal by hand for the tests of the trace, and lets the fold of `run/` say that it is a possible one. */
import type { BoundCall, Repair } from '../../src/call/call.ts';
import type { Effect } from '../../src/call/effect.ts';
import type { ContractPin } from '../../src/call/pin.ts';
import type { ModelPart } from '../../src/call/message.ts';
import type { Failure } from '../../src/call/outcome.ts';
import type { Append, Entry, ModelFinished, RunAccepted } from '../../src/journal/entry.ts';
import { evolveAppend } from '../../src/run/evolve.ts';
import { newState } from '../../src/run/state.ts';
import type { JsonValue } from '../../src/util/json.ts';

/** 29 November 2026, noon. */
export const noonMs = Date.UTC(2026, 10, 29, 12);

export class JournalWriter {
  readonly #appends: Append[] = [];
  #epoch = 1;
  #seq = 0;

  /** Appends entries as one, `atMs` after noon. */
  at(atMs: number, ...entries: readonly Entry[]): this {
    this.#appends.push({ firstSeq: this.#seq + 1, epoch: this.#epoch, atMs: noonMs + atMs, entries });
    this.#seq += entries.length;
    return this;
  }

  /** Another driver takes the run. */
  claimed(atMs: number, worker = 'worker_b'): this {
    this.#epoch += 1;
    return this.at(atMs, { type: 'run-claimed', worker });
  }

  /** The appends; throws when no run could have written them. */
  appends(): readonly Append[] {
    let state = newState(runId);
    for (const append of this.#appends) state = evolveAppend(state, append);
    return this.#appends;
  }
}

export const runId = 'run_00000000000000000001';

export function accepted(input: string, onAnswer: 'finish' | 'wait' = 'finish'): RunAccepted {
  return {
    type: 'run-accepted',
    runId,
    durability: 'effects',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    task: {
      kind: 'agent',
      input,
      contracts: [pin('get_weather', 'read'), pin('send_mail', 'write'), pin('put_file', 'idempotent')],
      agent: {
        name: 'travel',
        hash: 'h',
        instructions: 'Help.',
        model: 'scripted',
        limits: { steps: 15, workMs: 60_000 },
        onDoubt: 'ask',
        onAnswer,
        approvalTtlMs: 86_400_000,
        settings: {},
      },
    },
  };
}

export function modelStarted(step: number, items: number, attempt = 1): Entry {
  return { type: 'model-started', step, attempt, items, contextHash: `context-${step}` };
}

export function answered(...parts: readonly ModelPart[]): ModelFinished {
  const asks = parts.some((part) => part.kind === 'call');
  return {
    type: 'model-finished',
    parts,
    finishReason: asks ? 'tool-calls' : 'stop',
    usage: { inputTokens: 800, outputTokens: 40 },
    tookMs: 0,
  };
}

export function asks(toolCallId: string, toolName: string, argumentsText: string): ModelPart {
  return { kind: 'call', toolCallId, toolName, argumentsText };
}

export function bound(callId: string, tool: string, input: JsonValue, repairs: readonly Repair[] = []): Entry {
  const call: BoundCall = {
    callId,
    toolCallId: `t${callId}`,
    tool,
    input,
    argsHash: `args-${callId}`,
    ...(repairs.length === 0 ? {} : { repairs }),
  };
  return { type: 'call-bound', call };
}

function pin(name: string, effect: Effect): ContractPin {
  return {
    name,
    version: 1,
    hash: `hash-${name}`,
    shape: `shape-${name}`,
    terms: {
      effect,
      risk: 'low',
      irreversible: false,
      maxAttempts: 4,
      backoffBaseMs: 1_000,
      backoffCapMs: 10_000,
      timeoutMs: 10_000,
      canVerify: effect === 'write',
      settleMs: 0,
      parallel: false,
    },
  };
}

export function allowed(callId: string): Entry {
  return { type: 'call-decided', callId, decision: { kind: 'allow', rule: 'default' } };
}

export function asked(callId: string, expiresAtMs: number): Entry {
  return {
    type: 'call-decided',
    callId,
    decision: { kind: 'ask', rule: 'default', reason: 'The call cannot be taken back.', expiresAfterMs: expiresAtMs },
    approval: { approvalId: `${runId}/${callId}`, expiresAtMs: noonMs + expiresAtMs },
  };
}

export function started(callId: string, attempt = 1): Entry {
  return { type: 'attempt-started', callId, attempt };
}

export function succeeded(callId: string, output: JsonValue, attempt = 1): Entry {
  return { type: 'attempt-finished', callId, attempt, result: { status: 'succeeded', output }, tookMs: 0 };
}

export function failedAttempt(callId: string, failure: Failure, attempt = 1): Entry {
  return { type: 'attempt-finished', callId, attempt, result: { status: 'failed', failure }, tookMs: 0 };
}

export function settled(callId: string): Entry {
  return { type: 'call-settled', callId, status: 'succeeded' };
}

export const overloaded: Failure = {
  code: 'upstream-unavailable',
  class: 'retryable',
  message: 'The weather service answered 503.',
  evidence: 'none',
  retryAfterMs: 2_000,
};
