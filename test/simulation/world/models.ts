/**
 * The models of the simulated world. What one says is a function of the conversation it is shown and of how often it was asked: asked again after a crash it
 * wants the same tools with other arguments, as real ones do.
 */
import type { Brain, BrainAnswer, BrainRequest } from '../../../src/brain/brain.ts';
import type { ModelPart, TranscriptItem } from '../../../src/call/message.ts';
import type { History } from '../history/history.ts';
import type { Incarnation } from '../machine/incarnation.ts';
import type { CallPlan, ModelFault, RunPlan } from '../scenario/scenario.ts';
import type { Scheduler } from '../machine/scheduler.ts';

export const modelTimeoutMs = 4_000;

/** One model, behind its provider. It outlives the processes that ask it. */
export class ScriptedModel {
  readonly #runId: () => string;
  readonly #plan: RunPlan;
  readonly #scheduler: Scheduler;
  readonly #history: History;
  readonly #hear: (asked: number) => void;
  #asked = 0;

  /** `hear` is told each time the model is asked. */
  constructor(
    plan: RunPlan,
    runId: () => string,
    parts: { readonly scheduler: Scheduler; readonly history: History; readonly hear: (asked: number) => void },
  ) {
    this.#plan = plan;
    this.#runId = runId;
    this.#scheduler = parts.scheduler;
    this.#history = parts.history;
    this.#hear = parts.hear;
  }

  /** The model as one process reaches it. */
  brainFor(from: Incarnation): Brain {
    return { id: 'scripted', generate: (request) => this.#generate(request, from) };
  }

  async #generate(request: BrainRequest, from: Incarnation): Promise<BrainAnswer> {
    const { items } = request;
    const asked = await from.call('ask model', 'model', () => {
      this.#history.asked.push({ runId: this.#runId(), by: from.name, at: this.#history.tick(), items });
      this.#asked += 1;
      this.#hear(this.#asked);
      return this.#asked;
    });
    const fault = this.#plan.models[asked - 1] ?? 'ok';
    if (fault === 'silent') return new Promise(() => {});
    return new Promise((resolve, reject) => {
      this.#scheduler.after(fault === 'slow' ? 1_500 : 3, {
        label: 'model answers',
        run: () =>
          void from
            .call('hear model', 'model', () => failing(fault) ?? this.#answer(items, asked))
            .then(resolve, reject),
      });
    });
  }

  #answer(items: readonly TranscriptItem[], asked: number): BrainAnswer {
    const turn = this.#plan.turns[turnsSeen(items)];
    const usage = { inputTokens: 10, outputTokens: 5 };
    if (turn === undefined) {
      return {
        status: 'answered',
        parts: [{ kind: 'text', text: `Done after ${items.length} items.` }],
        finishReason: 'stop',
        usage,
      };
    }
    switch (turn.kind) {
      case 'empty':
        return { status: 'answered', parts: [], finishReason: 'stop', usage };
      case 'unreadable':
        return { status: 'answered', parts: [{ kind: 'text', text: '<tool>look' }], finishReason: 'error', usage };
      case 'says-nothing-useful':
        return { status: 'answered', parts: [{ kind: 'text', text: '   ' }], finishReason: 'stop', usage };
      case 'calls':
      case 'truncated': {
        const parts = turn.calls.flatMap((call, place) =>
          partsOf(call, { items, place, asked, turn: turnsSeen(items) }),
        );
        return {
          status: 'answered',
          parts: [{ kind: 'text', text: 'Working.' }, ...parts],
          finishReason: turn.kind === 'truncated' ? 'length' : 'tool-calls',
          usage,
        };
      }
    }
  }
}

/** How many of its turns a model finds in what it is shown. */
function turnsSeen(items: readonly TranscriptItem[]): number {
  return items.filter((item) => item.kind === 'notice' || (item.kind === 'assistant' && item.calls.length > 0)).length;
}

interface Place {
  readonly items: readonly TranscriptItem[];
  readonly place: number;
  readonly asked: number;
  readonly turn: number;
}

function partsOf(call: CallPlan, at: Place): readonly ModelPart[] {
  const id = `call_${at.turn}_${at.place}`;
  const input = { item: `${call.tool} ${at.turn}.${at.place}`, amount: at.asked };
  const good: ModelPart = { kind: 'call', toolCallId: id, toolName: call.tool, argumentsText: JSON.stringify(input) };
  switch (call.form) {
    case 'good':
      return [good];
    case 'same-id-again':
      return [good, good];
    case 'id-of-before':
      return [repetition(at.items) ?? good];
    case 'same-arguments':
      return [{ ...good, argumentsText: JSON.stringify({ item: 'the same', amount: 1 }) }];
    case 'no-id':
      return [{ ...good, toolCallId: '' }];
    case 'bad-arguments':
      return [{ ...good, argumentsText: JSON.stringify({ item: 7, amount: 'many' }) }];
    case 'not-json':
      return [{ ...good, argumentsText: '{"item": "cut of' }];
    case 'unknown-tool':
      return [{ ...good, toolName: 'dance' }];
    case 'needs-repair':
      return [{ ...good, argumentsText: JSON.stringify({ ...input, amount: String(input.amount) }) }];
  }
}

/** The last call of the conversation once more, id and all. */
function repetition(items: readonly TranscriptItem[]): ModelPart | undefined {
  const last = items.findLast((item) => item.kind === 'assistant' && item.calls.length > 0);
  const call = last?.kind === 'assistant' ? last.calls.at(-1) : undefined;
  return call === undefined
    ? undefined
    : { kind: 'call', toolCallId: call.toolCallId, toolName: call.toolName, argumentsText: JSON.stringify(call.input) };
}

function failing(fault: ModelFault): BrainAnswer | undefined {
  switch (fault) {
    case 'limited':
      return {
        status: 'failed',
        failure: {
          code: 'upstream-rate-limited',
          class: 'retryable',
          message: 'Slow down.',
          evidence: 'none',
          retryAfterMs: 250,
        },
      };
    case 'overloaded':
      return {
        status: 'failed',
        failure: { code: 'model-unavailable', class: 'retryable', message: 'Overloaded.', evidence: 'unknown' },
      };
    case 'refuses':
      return {
        status: 'failed',
        failure: { code: 'model-refused', class: 'fatal', message: 'I would rather not.', evidence: 'none' },
      };
    case 'throws':
      throw new Error('The provider broke.');
    case 'ok':
    case 'slow':
    case 'silent':
      return undefined;
  }
}
