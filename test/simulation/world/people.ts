/** The people around a run: they look at its questions, think for a while, and answer through a client of Axle. They tell the truth, but not always in time, or once. */
import { AxleError, isAxleError, messageOf } from '../../../src/error/axle-error.ts';
import type { OpenApproval } from '../../../src/facade/answers.ts';
import type { Axle } from '../../../src/facade/axle.ts';
import { canonicalJson, isJsonObject, isRecord } from '../../../src/util/json.ts';
import type { Committed, History } from '../history/history.ts';
import type { ApprovalPlan, AuthorizationPlan, DoubtPlan, RunPlan } from '../scenario/scenario.ts';
import type { Scheduler } from '../machine/scheduler.ts';
import { outputOf, type Services } from './services.ts';

export interface PeopleParts {
  readonly scheduler: Scheduler;
  readonly history: History;
  readonly services: Services;
  readonly planOf: (runId: string) => RunPlan;
  /** Their client; undefined while their machine is down. */
  readonly axle: () => Axle | undefined;
}

/** How soon a person looks at a question. */
const looksAfterMs = 15;
const tryAgainAfterMs = 400;
/** Attempts to get one answer through. */
const maxTries = 200;
/** How long after the first word a second one comes. */
const secondWordAfterMs = 30;
/** How long a person waits for what is still under way before looking again. */
const lookAgainAfterMs = 2_000;

export class People {
  readonly #parts: PeopleParts;
  /** Questions that somebody is at. */
  readonly #open = new Set<string>();
  readonly #asked = new Map<string, number>();
  #notes = 0;

  constructor(parts: PeopleParts) {
    this.#parts = parts;
  }

  /** Sees what a run waits for now. */
  see(committed: Committed): void {
    const { runId, append, status } = committed;
    for (const entry of append.entries) {
      if (entry.type === 'call-doubted') this.#open.delete(`${runId} doubt ${entry.callId}`);
      if (entry.type === 'post-refused') {
        for (const key of this.#open) if (key.startsWith(`${runId} `)) this.#open.delete(key);
      }
    }
    for (const reason of status.waitingOn) {
      if (reason.kind === 'approval') {
        this.#consider(`${runId} approval ${reason.approvalId}`, () => this.#approval(runId, reason.approvalId));
      }
      if (reason.kind === 'authorization') {
        const { authorizationId } = reason;
        this.#consider(`${runId} authorization ${authorizationId}`, () => this.#authorization(runId, authorizationId));
      }
      if (reason.kind === 'doubt') {
        this.#consider(`${runId} doubt ${reason.callId}`, () => this.#doubt(runId, reason.callId));
      }
    }
  }

  /** Forgets what was under way: their machine went down with the others. */
  forget(): void {
    this.#open.clear();
  }

  #consider(key: string, begin: () => void): void {
    if (this.#open.has(key)) return;
    this.#open.add(key);
    begin();
  }

  /** Looks at the question first: what is decided is decided about what was seen. */
  #approval(runId: string, approvalId: string): void {
    const plan = this.#next<ApprovalPlan>(this.#parts.planOf(runId).approvals, `${runId} approvals`) ?? {
      answer: 'approve',
      afterMs: 100,
    };
    if (plan.answer === 'never') return;
    this.#later(looksAfterMs, async (axle) => {
      const seen = (await axle.approvals.list(runId)).find((question) => question.approvalId === approvalId);
      if (seen === undefined) this.#open.delete(`${runId} approval ${approvalId}`);
      else this.#answer(seen, plan);
    });
  }

  #answer({ runId, approvalId, input }: OpenApproval, plan: ApprovalPlan): void {
    const edit =
      plan.answer === 'edit' && isJsonObject(input) ? { ...input, amount: 1_000 + Number(input['amount']) } : undefined;
    const [first, ...more] = decisionsOf(plan.answer);
    const verdict = { runId, approvalId, verdict: first, args: canonicalJson(edit ?? input) };
    const { verdicts } = this.#parts.history;
    // Tells this answer from another one to the same question.
    this.#notes += 1;
    const note = `answer ${this.#notes}`;
    this.#later(plan.afterMs, async (axle) => {
      // Whether an answer without an acknowledgement arrived is not known here; one that was refused did not.
      if (!verdicts.includes(verdict)) verdicts.push(verdict);
      try {
        for (const decision of [first, ...more]) {
          await axle.approvals.resolve(approvalId, { decision, note, ...(edit === undefined ? {} : { edit }) });
        }
      } catch (error) {
        if (!isAxleError(error, 'store-unavailable') && !isOwn(error, note)) {
          verdicts.splice(verdicts.indexOf(verdict), 1);
        }
        throw error;
      }
    });
  }

  #authorization(runId: string, authorizationId: string): void {
    const plan = this.#next<AuthorizationPlan>(
      this.#parts.planOf(runId).authorizations ?? [],
      `${runId} authorizations`,
    ) ?? { answer: 'grant', afterMs: 100 };
    if (plan.answer === 'never') return;
    this.#later(looksAfterMs, async (axle) => {
      const open = await axle.authorizations.list(runId);
      if (open.some((question) => question.authorizationId === authorizationId)) {
        this.#sayOfLogin(runId, authorizationId, plan);
      } else {
        this.#open.delete(`${runId} authorization ${authorizationId}`);
      }
    });
  }

  #sayOfLogin(runId: string, authorizationId: string, { answer, afterMs }: AuthorizationPlan): void {
    const { loginWords } = this.#parts.history;
    for (const [place, granted] of wordsOf(answer).entries()) {
      const word = { runId, authorizationId, granted };
      this.#notes += 1;
      const note = `word ${this.#notes}`;
      this.#later(afterMs + place * secondWordAfterMs, async (axle) => {
        // As for approvals: without an acknowledgement it may have arrived, and one that was refused did not.
        if (!loginWords.includes(word)) loginWords.push(word);
        try {
          await axle.authorizations.resolve(authorizationId, { granted, note });
        } catch (error) {
          if (!isAxleError(error, 'store-unavailable') && !isOwn(error, note)) {
            loginWords.splice(loginWords.indexOf(word), 1);
          }
          throw error;
        }
      });
    }
  }

  #doubt(runId: string, callId: string): void {
    const plan = this.#next<DoubtPlan>(this.#parts.planOf(runId).doubts, `${runId} doubts`) ?? {
      then: 'retry',
      afterMs: 100,
    };
    this.#resolve(runId, callId, plan);
  }

  #resolve(runId: string, callId: string, plan: DoubtPlan): void {
    this.#later(plan.afterMs, async (axle) => {
      const found = this.#parts.services.findOut(runId, callId);
      if (found === 'under-way') {
        this.#resolve(runId, callId, { ...plan, afterMs: lookAgainAfterMs });
        return;
      }
      await axle.calls.resolve(
        `${runId}/${callId}`,
        found === 'nothing' ? { happened: false, then: plan.then } : { happened: true, output: outputOf(found) },
      );
    });
  }

  /** Does something after a while, and again as long as the store does not answer. */
  #later(afterMs: number, act: (axle: Axle) => Promise<void>, tries = 0): void {
    this.#parts.scheduler.after(afterMs, {
      label: 'a person acts',
      run: () => {
        const axle = this.#parts.axle();
        const done =
          axle === undefined ? Promise.reject(new AxleError('store-unavailable', 'Their machine is down.')) : act(axle);
        done.catch((error: unknown) => {
          if (isAxleError(error, 'store-unavailable') && tries < maxTries) {
            this.#later(tryAgainAfterMs, act, tries + 1);
            return;
          }
          if (
            isAxleError(error) &&
            ['decision-invalid', 'decision-already-made', 'run-ended', 'run-unknown'].includes(error.code)
          ) {
            return;
          }
          this.#parts.history.breakages.push(`A person was told: ${messageOf(error)}`);
        });
      },
    });
  }

  #next<T>(list: readonly T[], name: string): T | undefined {
    const count = this.#asked.get(name) ?? 0;
    this.#asked.set(name, count + 1);
    return list[count];
  }
}

/** True when the answer that was first is the one with this note: it had arrived before. */
function isOwn(error: unknown, note: string): boolean {
  return (
    isAxleError(error, 'decision-already-made') &&
    isRecord(error.details['first']) &&
    error.details['first']['note'] === note
  );
}

/** The first decision, and what is said after it: the first must win. */
function decisionsOf(answer: ApprovalPlan['answer']): readonly ['approve' | 'deny', ...('approve' | 'deny')[]] {
  switch (answer) {
    case 'deny':
      return ['deny'];
    case 'deny-then-approve':
      return ['deny', 'approve'];
    case 'approve-twice':
      return ['approve', 'approve'];
    case 'approve':
    case 'edit':
    case 'never':
      return ['approve'];
  }
}

/** What is said of a login, in this order: the first word must win. */
function wordsOf(answer: AuthorizationPlan['answer']): readonly boolean[] {
  switch (answer) {
    case 'grant':
      return [true];
    case 'refuse':
      return [false];
    case 'grant-twice':
      return [true, true];
    case 'refuse-then-grant':
      return [false, true];
    case 'never':
      return [];
  }
}
