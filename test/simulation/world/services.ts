/**
 * The services behind the tools, with their own ledger. They know nothing of journals: what they did is the truth that journals are compared with.
 *
 * G1 A request that has left its process arrives whatever becomes of the process.
 * G2 A service that deduplicates does so by the idempotency key alone.
 * G3 A request that arrives later than its time limit arrives before the settling time has passed.
 */
import type { Contract, ToolContext, VerifyAnswer } from '../../../src/contract/contract.ts';
import { ToolError } from '../../../src/contract/tool-error.ts';
import { canonicalJson, type JsonValue } from '../../../src/util/json.ts';
import type { Effect, History, Moment } from '../history/history.ts';
import type { Incarnation } from '../machine/incarnation.ts';
import type { Behaviour, RunPlan, VerifyFault } from '../scenario/scenario.ts';
import type { Scheduler } from '../machine/scheduler.ts';
import { toolTimeoutMs } from './declared.ts';
import { effectKinds } from './tools.ts';

interface Request {
  readonly contract: Contract;
  readonly input: JsonValue;
  readonly context: ToolContext;
  readonly from: Incarnation;
}

/** When the effect happens after the request was sent, and when the answer leaves after that; absent: not at all. */
interface Course {
  readonly actsAfterMs?: number;
  readonly answersAfterMs?: number;
  readonly answer?: 'error' | 'garbage' | 'huge' | 'strange';
}

const courses: Readonly<Record<Behaviour, Course>> = {
  ok: { actsAfterMs: 2, answersAfterMs: 2 },
  slow: { actsAfterMs: 400, answersAfterMs: 300 },
  declines: { answersAfterMs: 2, answer: 'error' },
  'declines-late': { answersAfterMs: toolTimeoutMs + 700, answer: 'error' },
  'refuses-connection': { answersAfterMs: 0, answer: 'error' },
  limits: { answersAfterMs: 2, answer: 'error' },
  'is-busy': { answersAfterMs: 2, answer: 'error' },
  'throws-before': { answersAfterMs: 0, answer: 'error' },
  'resets-before': { answersAfterMs: 2, answer: 'error' },
  'faults-before': { answersAfterMs: 2, answer: 'error' },
  swallows: {},
  'throws-after': { actsAfterMs: 2, answersAfterMs: 2, answer: 'error' },
  'resets-after': { actsAfterMs: 2, answersAfterMs: 2, answer: 'error' },
  'faults-after': { actsAfterMs: 2, answersAfterMs: 2, answer: 'error' },
  'acts-silently': { actsAfterMs: 2 },
  'acts-late': { actsAfterMs: toolTimeoutMs + 900 },
  'answers-late': { actsAfterMs: 2, answersAfterMs: toolTimeoutMs + 700 },
  'answers-garbage': { actsAfterMs: 2, answersAfterMs: 2, answer: 'garbage' },
  'answers-too-much': { actsAfterMs: 2, answersAfterMs: 2, answer: 'huge' },
  'answers-strangely': { actsAfterMs: 2, answersAfterMs: 2, answer: 'strange' },
  'heeds-abort': { actsAfterMs: 2, answersAfterMs: 2 },
  'wants-login': { answersAfterMs: 2, answer: 'error' },
  'wants-login-after': { actsAfterMs: 2, answersAfterMs: 2, answer: 'error' },
};

/** How long a tool that heeds its signal works before it sends anything. */
const workBeforeSendingMs = 600;
const hugeText = 'x'.repeat(1_100_000);

export class Services {
  readonly #scheduler: Scheduler;
  readonly #history: History;
  readonly #planOf: (runId: string) => RunPlan;
  readonly #requests = new Map<string, number>();
  readonly #verifies = new Map<string, number>();
  readonly #inFlight = new Map<string, number>();

  constructor(scheduler: Scheduler, history: History, planOf: (runId: string) => RunPlan) {
    this.#scheduler = scheduler;
    this.#history = history;
    this.#planOf = planOf;
  }

  async perform(request: Request): Promise<unknown> {
    const ended = this.#asked(request);
    try {
      return await this.#perform(request);
    } finally {
      ended();
    }
  }

  /** Notes an attempt that had to be admitted. Returns the way to note its end. */
  #asked({ contract, context, from }: Request): () => void {
    const { upstream = '', locks } = contract.terms;
    if (upstream === '' && locks === undefined) return () => {};
    const { runId, callId, attempt } = context;
    const at = this.#history.tick();
    const asked = {
      runId,
      callId,
      attempt,
      tool: contract.name,
      upstream,
      by: from.name,
      at,
      atMs: this.#scheduler.nowMs,
      endedAt: Infinity,
      endedAtMs: Infinity,
    };
    this.#history.requests.push(asked);
    const end = (): void => {
      asked.endedAt = Math.min(asked.endedAt, this.#history.tick());
      asked.endedAtMs = Math.min(asked.endedAtMs, this.#scheduler.nowMs);
    };
    context.signal.addEventListener('abort', end, { once: true });
    return end;
  }

  async #perform(request: Request): Promise<unknown> {
    const { from, context, contract } = request;
    const behaviour = take(this.#planOf(context.runId).behaviours, this.#requests, context.runId) ?? 'ok';
    if (behaviour === 'ok' && contract.effect === 'read' && this.#planOf(context.runId).answersAtOnce === true) {
      return outputOf(this.#act(request, this.#history.tick()));
    }
    if (behaviour === 'heeds-abort') await workUntilAborted(from, context.signal);
    const arrived = await from.call(`send ${contract.name}`, 'effect', () => this.#send(request, behaviour));
    return new Promise((resolve, reject) => {
      arrived((answer) => {
        from.call(`hear ${contract.name}`, 'effect', answer).then(resolve, reject);
      });
    });
  }

  /** What the service says when it is asked whether the call with this key happened. */
  async verify(request: Omit<Request, 'input'>): Promise<VerifyAnswer> {
    const { context, from } = request;
    const fault: VerifyFault = take(this.#planOf(context.runId).verifies, this.#verifies, context.runId) ?? 'truth';
    const answer = await from.call('verify', 'effect', () => this.#truthOf(context.idempotencyKey));
    switch (fault) {
      case 'truth':
        return answer === undefined ? { happened: false } : { happened: true, output: outputOf(answer) };
      case 'unknown':
        return { happened: 'unknown' };
      case 'throws':
        throw new Error('The service does not know.');
      case 'silent':
        return new Promise(() => {});
    }
  }

  /** What a person finds out who calls the service: the effect, that there is none, or that something is still under way. */
  findOut(runId: string, callId: string): Effect | 'nothing' | 'under-way' {
    if ((this.#inFlight.get(`${runId}/${callId}`) ?? 0) > 0) return 'under-way';
    return this.#history.effects.findLast((effect) => effect.runId === runId && effect.callId === callId) ?? 'nothing';
  }

  #truthOf(key: string): Effect | undefined {
    return this.#history.effects.findLast((effect) => effect.key === key);
  }

  /** Sends a request; gives back how to hear the answer. */
  #send(request: Request, behaviour: Behaviour): (listener: (answer: () => unknown) => void) => void {
    const { runId, callId } = request.context;
    const course = courses[behaviour];
    const sentAt = this.#history.tick();
    const callKey = `${runId}/${callId}`;
    let listener: ((answer: () => unknown) => void) | undefined;
    const answer = (effect: Effect | undefined): void => {
      if (course.answersAfterMs === undefined) return;
      this.#scheduler.after(course.answersAfterMs, {
        label: `answer ${request.contract.name}`,
        run: () => listener?.(() => answerOf(behaviour, course, effect)),
      });
    };
    if (course.actsAfterMs === undefined) {
      answer(undefined);
    } else {
      this.#inFlight.set(callKey, (this.#inFlight.get(callKey) ?? 0) + 1);
      const act = (): void => {
        this.#inFlight.set(callKey, (this.#inFlight.get(callKey) ?? 1) - 1);
        answer(this.#act(request, sentAt));
      };
      this.#scheduler.after(course.actsAfterMs, { label: `act ${request.contract.name}`, run: act });
    }
    return (listens) => {
      listener = listens;
    };
  }

  #act({ contract, input, context, from }: Request, sentAt: Moment): Effect {
    const kind = effectKinds.get(contract.name);
    if (kind === undefined) throw new Error(`The world has no tool ${contract.name}.`);
    const first = contract.effect === 'idempotent' ? this.#truthOf(context.idempotencyKey) : undefined;
    const effect: Effect = {
      runId: context.runId,
      callId: context.callId,
      attempt: context.attempt,
      tool: contract.name,
      shape: contract.pin.shape,
      kind,
      key: context.idempotencyKey,
      args: canonicalJson(input),
      by: from.name,
      sentAt,
      at: this.#history.tick(),
      isFirst: first === undefined,
    };
    this.#history.effects.push(effect);
    return first ?? effect;
  }
}

/** The n-th item for a name, counted up. */
function take<T>(list: readonly T[], counts: Map<string, number>, name: string): T | undefined {
  const count = counts.get(name) ?? 0;
  counts.set(name, count + 1);
  return list[count];
}

async function workUntilAborted(from: Incarnation, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const cancel = from.after(workBeforeSendingMs, resolve);
    signal.addEventListener('abort', () => {
      cancel();
      reject(new Error('Stopped as told.'));
    });
  });
}

export function outputOf(effect: Effect): JsonValue {
  return { receipt: `${effect.tool} ${effect.at}` };
}

function answerOf(behaviour: Behaviour, course: Course, effect: Effect | undefined): unknown {
  if (course.answer === undefined) return effect === undefined ? null : outputOf(effect);
  switch (course.answer) {
    case 'error':
      throw errorOf(behaviour);
    case 'garbage':
      return { nonsense: [behaviour] };
    case 'huge':
      return { receipt: hugeText };
    case 'strange':
      return { receipt: () => behaviour };
  }
}

function errorOf(behaviour: Behaviour): Error {
  switch (behaviour) {
    case 'declines':
    case 'declines-late':
      return new ToolError({ message: 'Declined before anything was done.', effect: 'none' });
    case 'wants-login':
      return new ToolError({ message: 'Log in first.', effect: 'none', authorize: { upstream: 'gate' } });
    case 'wants-login-after':
      return Object.assign(new Error('Unauthorized'), { status: 401 });
    case 'refuses-connection':
      return Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    case 'limits':
      return Object.assign(new Error('Too many requests'), { status: 429, retryAfterMs: 300 });
    case 'is-busy':
      return Object.assign(new Error('Busy'), { status: 503, retryAfterMs: 200 });
    case 'resets-before':
    case 'resets-after':
      return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    case 'faults-before':
    case 'faults-after':
      return Object.assign(new Error('Internal server error'), { status: 500 });
    default:
      return new Error('Something went wrong.');
  }
}
