/**
 * What people answer: approvals and doubts. An answer is checked against what is open now, posted (durable when it resolves), and turned into an entry by
 * the driver. The first answer wins; later ones get it back. (R17)
 */
import { AxleError } from '../error/axle-error.ts';
import type { PostedItem, RunSummary, Store } from '../journal/store.ts';
import { loadRun } from '../run/load-run.ts';
import { callOfApproval } from '../run/post-entry.ts';
import { type CallState, findCall, type RunState } from '../run/state.ts';
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

export type DoubtAnswer =
  | { readonly happened: true; readonly output?: unknown; readonly note?: string }
  | { readonly happened: false; readonly then?: 'retry' | 'fail'; readonly note?: string };

/** Runs looked through for open questions. */
const maxRunsListed = 1_000;

export class Answers {
  readonly #store: Store;
  readonly #nowMs: () => number;

  constructor(store: Store, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** Open questions, of one run or of all (the newest 1,000 runs that wait). */
  async approvals(runId?: string): Promise<readonly OpenApproval[]> {
    const open: OpenApproval[] = [];
    for await (const state of this.#waiting('approval', runId)) {
      for (const { callId, phase, toolName, input } of state.turn?.calls ?? []) {
        if (phase.kind === 'asking')
          open.push({
            approvalId: phase.approvalId,
            runId: state.runId,
            callId,
            tool: toolName,
            input,
            expiresAtMs: phase.expiresAtMs,
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
      for (const { callId, phase, toolName, input } of state.turn?.calls ?? []) {
        if (phase.kind === 'doubtful' && phase.verify.kind === 'spent')
          open.push({
            runId: state.runId,
            callId,
            id: `${state.runId}/${callId}`,
            tool: toolName,
            input,
            reason: phase.reason,
          });
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
    assertDecision(answer.decision);
    const state = await this.#state(runIdOf(approvalId));
    const call = callOfApproval(state, approvalId);
    const uniqueKey = `approval:${approvalId}`;
    if (call?.call === undefined)
      throw await this.#notOpen(state, uniqueKey, `The approval ${approvalId} is not open.`);
    const { edit, ...plain } = answer;
    const body = toJson({
      approvalId,
      argsHash: call.call.argsHash,
      ...plain,
      ...(edit === undefined ? {} : { edit }),
    });
    await this.#post({ runId: state.runId, kind: 'approval', uniqueKey, body, atMs: this.#nowMs() });
  }

  /**
   * Says what happened to a call in doubt.
   * @throws AxleError `decision-invalid`, `decision-already-made`
   */
  async resolveDoubt(id: string, answer: DoubtAnswer): Promise<void> {
    const state = await this.#state(runIdOf(id));
    const callId = id.slice(state.runId.length + 1);
    const call: CallState | undefined = findCall(state, callId);
    if (call?.phase.kind !== 'doubtful') throw new AxleError('decision-invalid', `The call ${id} is not in doubt.`);
    const body = toJson({ callId, ...answer });
    await this.#post({
      runId: state.runId,
      kind: 'resolve',
      uniqueKey: `resolve:${callId}#${call.phase.attempt}`,
      body,
      atMs: this.#nowMs(),
    });
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

  async #notOpen(state: RunState, uniqueKey: string, message: string): Promise<AxleError> {
    const posts = await this.#store.posts(state.runId, 0);
    const first = posts.find((post) => post.uniqueKey === uniqueKey);
    return first === undefined ? new AxleError('decision-invalid', message) : alreadyAnswered(first);
  }

  async *#waiting(kind: 'approval' | 'doubt', runId: string | undefined): AsyncGenerator<RunState> {
    const runs: readonly (RunSummary | undefined)[] =
      runId === undefined
        ? await this.#store.runs({ states: ['waiting', 'active'], limit: maxRunsListed })
        : [await this.#store.run(runId)];
    for (const run of runs) {
      if (run?.status.waitingOn.some((reason) => reason.kind === kind) === true) yield await this.#state(run.runId);
    }
  }

  async #state(runId: string): Promise<RunState> {
    const loaded = await loadRun(this.#store, runId);
    if (loaded === undefined) throw new AxleError('run-unknown', `There is no run ${runId} in this store.`);
    return loaded.state;
  }
}

// Programs without types call this too.
function assertDecision(decision: string): void {
  if (decision === 'approve' || decision === 'deny') return;
  throw new AxleError('decision-invalid', `A decision is approve or deny, not ${decision}.`);
}

function alreadyAnswered(first: PostedItem | undefined): AxleError {
  return new AxleError('decision-already-made', 'Somebody else answered first; that answer stands.', {
    details: { first: first?.body ?? null },
  });
}

/** Approvals and calls are named `run/call`. */
function runIdOf(id: string): string {
  const slash = id.indexOf('/');
  if (slash < 1)
    throw new AxleError('decision-invalid', `${id} does not name a run and a call, such as run_01abc/3.0.`);
  return id.slice(0, slash);
}
