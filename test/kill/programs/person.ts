/**
 * The person of the kill tests: answers approvals as a function of their id, and doubts by what the ledger says.
 *
 * T1 Truthful: a doubt is answered only after what was sent when it arose must have arrived, and then by the ledger alone.
 * T2 Now and then a question is answered twice at once, with opposite words: one of them must be refused.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Axle, isAxleError, type OpenApproval, type OpenDoubt } from '../../../src/axle.ts';
import type { LedgerClient } from './ledger-client.ts';
import { failed, report } from './program.ts';
import { seededRandom, seedOf } from '../random.ts';

const lookEveryMs = 25;
/** What a dead or timed-out attempt has sent is in the ledger by then. */
const patienceMs = 150;

export class Person {
  readonly #axle: Axle;
  readonly #ledger: LedgerClient;
  readonly #busyWith = new Set<string>();
  readonly #firstSeenMs = new Map<string, number>();

  constructor(axle: Axle, ledger: LedgerClient) {
    this.#axle = axle;
    this.#ledger = ledger;
  }

  /** Looks and answers until the store is closed. */
  begin(): void {
    this.#look().catch(failed('the look of the person'));
  }

  async #look(): Promise<void> {
    for (;;) {
      for (const approval of await this.#axle.approvals.list()) {
        this.#once(approval.approvalId, () => this.#answer(approval));
      }
      for (const doubt of await this.#axle.calls.inDoubt()) {
        if (this.#hasWaited(doubt.id)) this.#once(`doubt ${doubt.id}`, () => this.#resolve(doubt));
      }
      await sleep(lookEveryMs);
    }
  }

  #hasWaited(id: string): boolean {
    const nowMs = performance.now();
    const firstMs = this.#firstSeenMs.get(id) ?? nowMs;
    this.#firstSeenMs.set(id, firstMs);
    return nowMs - firstMs >= patienceMs;
  }

  #once(name: string, act: () => Promise<void>): void {
    if (this.#busyWith.has(name)) return;
    this.#busyWith.add(name);
    act()
      .catch(failed(name))
      .finally(() => this.#busyWith.delete(name));
  }

  async #answer({ approvalId }: OpenApproval): Promise<void> {
    const random = seededRandom(seedOf(approvalId));
    const decision = random() < 0.2 ? 'deny' : 'approve';
    const words =
      random() < 0.2 ? ([decision, decision === 'deny' ? 'approve' : 'deny'] as const) : ([decision] as const);
    await Promise.all(words.map((word) => this.#say(approvalId, word)));
  }

  async #say(approvalId: string, decision: 'approve' | 'deny'): Promise<void> {
    try {
      await this.#axle.approvals.resolve(approvalId, { decision, by: 'person' });
      report({ kind: decision === 'deny' ? 'denied' : 'approved', approvalId });
    } catch (error) {
      if (!isAxleError(error, 'decision-already-made')) throw error;
    }
  }

  async #resolve({ id, runId, callId }: OpenDoubt): Promise<void> {
    const [receipt] = (await this.#ledger.happened({ runId, callId })).receipts;
    const then = seededRandom(seedOf(id))() < 0.8 ? 'retry' : 'fail';
    const missed = { happened: false, then } as const;
    await this.#axle.calls.resolve(id, receipt === undefined ? missed : { happened: true, output: { receipt } });
    this.#firstSeenMs.delete(id);
    report({ kind: 'resolved', id, happened: receipt !== undefined });
  }
}
