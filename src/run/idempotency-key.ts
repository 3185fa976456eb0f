/** The idempotency key of a call. */
import { sha256 } from '../util/hash.ts';

/**
 * A pure function of the durable identity of a call (`identityOf`): equal over attempts, processes and a restore from backup, different for every other call. (R8, T14)
 * The run id is random and never shown to the model, so the model can neither see nor choose the key.
 */
export function idempotencyKeyOf(runId: string, identity: string): string {
  return sha256(`axle/idempotency/1 ${runId} ${identity}`);
}
