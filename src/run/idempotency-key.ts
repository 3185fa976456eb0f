/** The idempotency key of a call. */
import { argsHashOf } from '../call/args-hash.ts';
import type { Call } from '../call/call.ts';
import { identityOf } from '../call/chain.ts';
import { sha256 } from '../util/hash.ts';

/**
 * A pure function of the durable identity of a call (`identityOf`): equal over attempts, processes and a restore from backup, different for every other call. (R8, T14)
 * The run id is random and never shown to the model, so the model can neither see nor choose the key.
 */
export function idempotencyKeyOf(runId: string, identity: string): string {
  return sha256(`axle/idempotency/1 ${runId} ${identity}`);
}

/**
 * The key that an attempt is handed. A read may begin before its call is committed, and a crash may then give its place to another call: so its key says what
 * is read as well.
 */
export function keyOfAttempt(runId: string, call: Call): string {
  const identity = identityOf(call);
  if (call.terms.effect !== 'read') return idempotencyKeyOf(runId, identity);
  return idempotencyKeyOf(runId, `${identity} reads ${call.argsHash ?? argsHashOf(call)}`);
}
