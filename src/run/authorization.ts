/**
 * Authorisation: an attempt that was refused for want of a login or a permission waits for a person, where the contract says so.
 *
 *   answered ──authorization-requested──► authorizing ──authorization-answered, granted──► ready, for a new attempt with the same idempotency key
 *   (refused, terms: ask)                      │
 *                                              └── refused, or authorization-expired ──► answered, as failed for that reason ──► settled
 *
 * A1 A `write` waits only where the failure proves that nothing was sent, and goes on only while no late answer says otherwise: what comes then is another
 *    attempt. (L2, R13)
 * A2 An answer counts for the question that it names, once, before it expires; the next refusal asks anew, at most `maxAuthorizations` times a call. (L8, R16)
 * A3 Calls of a turn that are refused by one upstream while a question about it is open wait for that one.
 * A4 A stand-in that the chain names for such a failure is asked before a person is.
 */
import type { Failure } from '../call/outcome.ts';
import { failureOf } from '../call/failure.ts';
import type {
  AuthorizationAnswered,
  AuthorizationExpired,
  AuthorizationRequested,
} from '../journal/authorization-entries.ts';
import type { WaitReason } from '../journal/store.ts';
import { cutText } from '../util/cut-text.ts';
import { hasStandIn } from './chain-links.ts';
import type { CallPhase, CallState, RunState } from './state.ts';

/** How often one call asks people to authorise. */
export const maxAuthorizations = 3;

/** Characters of what the upstream said that lists of runs show. */
const maxShownMessage = 300;

type Authorizing = Extract<CallPhase, { kind: 'authorizing' }>;

/** The question that a failed attempt leads to; undefined when it is a failure like others. */
export function authorizationRequest(
  state: RunState,
  callState: CallState,
  failure: Failure,
): AuthorizationRequested | undefined {
  const { call, callId, phase, authorizations = 0 } = callState;
  if (call?.terms.authorization !== 'ask' || phase.kind !== 'answered' || state.task === undefined) return undefined;
  if (failure.authorize === undefined && failure.code !== 'authorization-required') return undefined;
  if (call.terms.effect === 'write' && (failure.evidence !== 'none' || callState.mayHaveHappened)) return undefined;
  if (authorizations >= maxAuthorizations || hasStandIn(state, callState, failure)) return undefined;
  const upstream = failure.authorize?.upstream ?? call.terms.upstream ?? call.tool;
  const open = authorizingCalls(state).find((other) => other.phase.upstream === upstream)?.phase;
  const ttlMs = state.task.kind === 'agent' ? state.task.agent.approvalTtlMs : state.task.approvalTtlMs;
  return {
    type: 'authorization-requested',
    callId,
    // An attempt asks once, so run, call and attempt name the question; whoever holds the id can find the run.
    authorizationId: open?.authorizationId ?? `${state.runId}/${callId}!${phase.attempt}`,
    upstream,
    expiresAtMs: open?.expiresAtMs ?? state.nowMs + Math.ceil(ttlMs),
  };
}

/** A call while it waits. */
export type AuthorizingCall = CallState & { readonly phase: Authorizing };

/** The calls that wait for one authorisation, or for any. */
export function authorizingCalls(state: RunState, authorizationId?: string): readonly AuthorizingCall[] {
  return (state.turn?.calls ?? []).filter(
    (call): call is AuthorizingCall =>
      call.phase.kind === 'authorizing' &&
      (authorizationId === undefined || call.phase.authorizationId === authorizationId),
  );
}

/** What a call waits for. */
export function authorizationWait(callId: string, phase: Authorizing): WaitReason {
  const { authorizationId, upstream, expiresAtMs, failure } = phase;
  const { url } = failure.authorize ?? {};
  return {
    kind: 'authorization',
    authorizationId,
    callId,
    upstream,
    message: cutText(failure.message, maxShownMessage),
    ...(url === undefined ? {} : { url }),
    expiresAtMs,
  };
}

export function awaitsAuthorization(before: CallState, entry: AuthorizationRequested): CallState {
  const { phase, authorizations = 0 } = before;
  if (phase.kind !== 'answered' || phase.result.status !== 'failed') return before;
  const { authorizationId, upstream, expiresAtMs } = entry;
  const { failure } = phase.result;
  return {
    ...before,
    authorizations: authorizations + 1,
    phase: { kind: 'authorizing', attempt: phase.attempt, authorizationId, upstream, expiresAtMs, failure },
  };
}

export function afterAuthorization(before: CallState, entry: AuthorizationAnswered | AuthorizationExpired): CallState {
  const { phase } = before;
  if (phase.kind !== 'authorizing' || phase.authorizationId !== entry.authorizationId) return before;
  const isGranted = entry.type === 'authorization-answered' && entry.granted;
  const hasHappened = before.call?.terms.effect === 'write' && before.mayHaveHappened;
  if (isGranted && !hasHappened) return { ...before, phase: { kind: 'ready' } };
  const failure = isGranted ? phase.failure : refusalOf(phase, entry);
  return { ...before, phase: { kind: 'answered', attempt: phase.attempt, result: { status: 'failed', failure } } };
}

/** What the model is told: the upstream's own refusal, and that nobody mended it. What is known of the effect stays what it was. */
function refusalOf({ upstream, failure }: Authorizing, entry: AuthorizationAnswered | AuthorizationExpired): Failure {
  const { message, evidence } = failure;
  if (entry.type === 'authorization-expired') {
    const said = `Nobody authorised ${upstream} in time. It had refused the call: ${message}`;
    return failureOf('authorization-expired', said, { evidence });
  }
  const why = entry.note === undefined ? '' : ` (${entry.note})`;
  const said = `A person did not authorise ${upstream}${why}. It had refused the call: ${message}`;
  return failureOf('authorization-denied', said, { evidence });
}
