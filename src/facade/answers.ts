/**
 * What people answer: approvals, authorisations and doubts. An answer is checked against what is open now, posted (durable when it resolves), and turned into an entry by
 * the driver. The first answer wins; later ones get it back. (R17)
 */
import { argsHashOf } from '../call/args-hash.ts';
import type { Call } from '../call/call.ts';
import { bindInput } from '../contract/bind.ts';
import type { Contract } from '../contract/contract.ts';
import { AxleError } from '../error/axle-error.ts';
import type { PostedItem, RunSummary, Store } from '../journal/store.ts';
import { unknownRun } from '../journal/checks.ts';
import { authorizingCalls } from '../run/authorization.ts';
import { loadRun } from '../run/load-run.ts';
import { callOfApproval } from '../run/post-entry.ts';
import { findCall, type RunState } from '../run/state.ts';
import { defined } from '../util/defined.ts';
import { type JsonValue, toJson } from '../util/json.ts';

/** A question to a person: may this call run, with exactly these arguments? */
export interface OpenApproval {
  readonly approvalId: string;
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly expiresAtMs: number;
}

/** A login or a permission that a person is asked for, and the calls that wait for it. */
export interface OpenAuthorization {
  readonly authorizationId: string;
  readonly runId: string;
  /** Whose permission it is. */
  readonly upstream: string;
  /** What it said when it refused the first of the calls. */
  readonly message: string;
  /** Where it is given, when the tool knows. */
  readonly url?: string;
  readonly calls: ReadonlyArray<{ readonly callId: string; readonly tool: string }>;
  readonly expiresAtMs: number;
}

/** A side effect that was started, of which nobody knows whether it happened. */
export interface OpenDoubt {
  readonly runId: string;
  readonly callId: string;
  /** Run and call, as `calls.resolve` takes it. */
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
  readonly reason: 'crash' | 'no-answer';
}

export interface ApprovalAnswer {
  readonly decision: 'approve' | 'deny';
  /** Other arguments to run with; the approval then counts for these, exactly once. */
  readonly edit?: unknown;
  readonly note?: string;
  readonly by?: string;
}

export interface AuthorizationAnswer {
  /** True when it is there now: every call that waits for it is tried again. False: they fail, and the model is told. */
  readonly granted: boolean;
  readonly note?: string;
  readonly by?: string;
}

export type DoubtAnswer = (
  | { readonly happened: true; readonly output?: unknown }
  /** `retry` makes a new attempt; `fail` tells the model that nothing happened. @defaultValue then 'fail' */
  | { readonly happened: false; readonly then?: 'retry' | 'fail' }
) & { readonly note?: string; readonly by?: string };

/** Runs looked through for open questions. */
const maxRunsListed = 1_000;

export class Answers {
  readonly #store: Store;
  readonly #nowMs: () => number;
  readonly #contract: (name: string, version: number) => Contract | undefined;

  /** `contract` finds the tools that this process has; what it does not have is checked by the driver that takes the answer in. */
  constructor(
    store: Store,
    nowMs: () => number,
    contract: (name: string, version: number) => Contract | undefined = () => undefined,
  ) {
    this.#store = store;
    this.#nowMs = nowMs;
    this.#contract = contract;
  }

  /** Open questions, of one run or of all (the newest 1,000 runs that wait). */
  async approvals(runId?: string): Promise<readonly OpenApproval[]> {
    const open: OpenApproval[] = [];
    for await (const state of this.#waiting('approval', runId)) {
      for (const { callId, phase, call } of state.turn?.calls ?? []) {
        if (phase.kind === 'asking' && call !== undefined) {
          open.push({
            approvalId: phase.approvalId,
            runId: state.runId,
            callId,
            tool: call.tool,
            input: call.input,
            expiresAtMs: phase.expiresAtMs,
          });
        }
      }
    }
    await this.#durable();
    return open;
  }

  /** What people are asked to authorise, for one run or for all (the newest 1,000 runs that wait). */
  async authorizations(runId?: string): Promise<readonly OpenAuthorization[]> {
    const open: OpenAuthorization[] = [];
    for await (const state of this.#waiting('authorization', runId)) {
      for (const [authorizationId, calls] of Map.groupBy(
        authorizingCalls(state),
        (call) => call.phase.authorizationId,
      )) {
        const [first] = calls;
        if (first === undefined) continue;
        const { upstream, failure, expiresAtMs } = first.phase;
        open.push({
          authorizationId,
          runId: state.runId,
          upstream,
          message: failure.message,
          ...defined({ url: failure.authorize?.url }),
          calls: calls.map(({ callId, call, toolName }) => ({ callId, tool: call?.tool ?? toolName })),
          expiresAtMs,
        });
      }
    }
    await this.#durable();
    return open;
  }

  /** Calls in doubt that need a person, of one run or of all: those whose `verify` is still at it are not listed. */
  async doubts(runId?: string): Promise<readonly OpenDoubt[]> {
    const open: OpenDoubt[] = [];
    for await (const state of this.#waiting('doubt', runId)) {
      for (const { callId, phase, call } of state.turn?.calls ?? []) {
        if (phase.kind === 'doubtful' && call !== undefined && phase.verify.kind === 'spent') {
          open.push({
            runId: state.runId,
            callId,
            id: `${state.runId}/${callId}`,
            tool: call.tool,
            input: call.input,
            reason: phase.reason,
          });
        }
      }
    }
    await this.#durable();
    return open;
  }

  /**
   * Answers an approval.
   * @throws AxleError `decision-invalid` when it is not open; `decision-already-made` with the first answer in `details.first`.
   */
  async resolveApproval(approvalId: string, answer: ApprovalAnswer): Promise<void> {
    assertOneOf('decision', answer.decision, ['approve', 'deny']);
    const state = await this.#state(runIdOf(approvalId));
    const call = callOfApproval(state, approvalId)?.call;
    const uniqueKey = `approval:${approvalId}`;
    if (call === undefined) throw await this.#notOpen(state, [uniqueKey], `The approval ${approvalId} is not open.`);
    const { decision, edit, note, by } = answer;
    if (edit !== undefined) this.#assertEdit(call, edit);
    const body = toJson({ approvalId, argsHash: call.argsHash ?? argsHashOf(call), decision, edit, note, by });
    await this.#post({ runId: state.runId, kind: 'approval', uniqueKey, body, atMs: this.#nowMs() });
  }

  /**
   * Says whether a person has authorised what calls wait for.
   * @throws AxleError `decision-invalid` when it is not open; `decision-already-made` with the first answer in `details.first`.
   */
  async resolveAuthorization(authorizationId: string, answer: AuthorizationAnswer): Promise<void> {
    const { granted, note, by } = answer;
    assertOneOf('granted', granted, [true, false]);
    const state = await this.#state(runIdOf(authorizationId));
    const uniqueKey = `authorization:${authorizationId}`;
    if (authorizingCalls(state, authorizationId).length === 0) {
      throw await this.#notOpen(state, [uniqueKey], `The authorisation ${authorizationId} is not open.`);
    }
    const body = toJson({ authorizationId, granted, note, by });
    await this.#post({ runId: state.runId, kind: 'authorization', uniqueKey, body, atMs: this.#nowMs() });
  }

  /**
   * Says what happened to a call in doubt.
   * @throws AxleError `decision-invalid` when it is not in doubt; `decision-already-made` with the first answer in `details.first`.
   */
  async resolveDoubt(id: string, answer: DoubtAnswer): Promise<void> {
    assertOneOf('happened', answer.happened, [true, false]);
    if (!answer.happened && answer.then !== undefined) assertOneOf('then', answer.then, ['retry', 'fail']);
    const state = await this.#state(runIdOf(id));
    const callId = id.slice(state.runId.length + 1);
    const { call, phase } = findCall(state, callId) ?? {};
    if (call === undefined || phase?.kind !== 'doubtful') {
      const keys = Array.from({ length: maxDoubtsLookedAt }, (_, index) => doubtKey(callId, index + 1));
      throw await this.#notOpen(state, keys.toReversed(), `The call ${id} is not in doubt.`);
    }
    const { note, by } = answer;
    if (answer.happened) this.#assertOutput(call, answer.output ?? null);
    const said = answer.happened
      ? { happened: true, output: answer.output ?? null }
      : { happened: false, then: answer.then ?? 'fail' };
    const body = toJson({ callId, attempt: phase.attempt, ...said, note, by });
    const uniqueKey = doubtKey(callId, phase.attempt);
    await this.#post({ runId: state.runId, kind: 'resolve', uniqueKey, body, atMs: this.#nowMs() });
  }

  /**
   * A question that somebody has seen must stay the one that the answer is for: after a power cut a model asked again may want the same call with other
   * arguments. So a question is on the disk before it is shown. (L8)
   */
  async #durable(): Promise<void> {
    await this.#store.synced(Number.MAX_SAFE_INTEGER);
  }

  async #post(post: Omit<PostedItem, 'inboxId'>): Promise<void> {
    /* @crashpoint answer-before-post */
    const posted = await this.#store.post(post);
    /* @crashpoint answer-after-post */
    if (!posted.accepted) throw alreadyAnswered(posted.first);
  }

  #assertEdit(call: Call, edit: unknown): void {
    const contract = this.#contract(call.tool, call.toolVersion);
    const bound = contract === undefined ? undefined : bindInput(contract, toJson(edit), call);
    if (bound?.kind === 'refused') {
      throw new AxleError('decision-invalid', `The edited arguments do not fit. ${bound.failure.message}`);
    }
  }

  #assertOutput(call: Call, output: unknown): void {
    const checked = this.#contract(call.tool, call.toolVersion)?.output?.check(toJson(output));
    if (checked?.ok !== false) return;
    const issues = checked.issues
      .map(({ path, message }) => `${path === '' ? 'the output' : path} ${message}`)
      .join('; ');
    throw new AxleError('decision-invalid', `The output does not fit what ${call.tool} declares: ${issues}.`);
  }

  /** Why there is nothing to answer: somebody was first, or it was never asked. */
  async #notOpen(state: RunState, uniqueKeys: readonly string[], message: string): Promise<AxleError> {
    for (const uniqueKey of uniqueKeys) {
      const first = await this.#store.postWithKey(state.runId, uniqueKey);
      if (first !== undefined) return alreadyAnswered(first);
    }
    return new AxleError('decision-invalid', message);
  }

  async *#waiting(kind: 'approval' | 'authorization' | 'doubt', runId: string | undefined): AsyncGenerator<RunState> {
    const runs: readonly RunSummary[] =
      runId === undefined
        ? await this.#store.runs({ states: ['waiting', 'active'], limit: maxRunsListed })
        : [(await this.#store.run(runId)) ?? unknown(runId)];
    for (const run of runs) {
      if (run.status.waitingOn.some((reason) => reason.kind === kind)) yield await this.#state(run.runId);
    }
  }

  async #state(runId: string): Promise<RunState> {
    const loaded = await loadRun(this.#store, runId);
    return loaded?.state ?? unknown(runId);
  }
}

/** Doubts of one call whose answers are looked through for the last one: more attempts than a call of a write makes. */
const maxDoubtsLookedAt = 30;

function doubtKey(callId: string, attempt: number): string {
  return `resolve:${callId}#${attempt}`;
}

// Programs without types call this too.
function assertOneOf(field: string, value: unknown, allowed: readonly unknown[]): void {
  if (allowed.includes(value)) return;
  throw new AxleError(
    'decision-invalid',
    `${field} must be ${allowed.map(String).join(' or ')}, and is ${String(value)}.`,
  );
}

function unknown(runId: string): never {
  throw unknownRun(runId);
}

function alreadyAnswered(first: PostedItem | undefined): AxleError {
  return new AxleError('decision-already-made', 'Somebody else answered first; that answer stands.', {
    details: { first: first?.body ?? null },
  });
}

/** Approvals and calls are named `run/call`. */
function runIdOf(id: string): string {
  const slash = id.indexOf('/');
  if (slash < 1) {
    throw new AxleError('decision-invalid', `${id} does not name a run and a call, such as run_01abc/3.0.`);
  }
  return id.slice(0, slash);
}
