/**
 * What Axle decides about a call when nobody wrote a policy: reads run; effects run at low or medium risk; high risk and irreversible effects ask a person.
 *
 * D1 Pure: the same facts give the same decision, so a recorded decision can be decided again.
 * D2 A call that a person denied is not asked about again in the same run; the model is told why.
 * D3 A failed call whose effect may have happened is not repeated without a person.
 */
import type { Decision } from '../call/decision.ts';
import type { Policy } from './policy.ts';

/** How long a question to a person stays open: a day. */
export const defaultApprovalTtlMs = 86_400_000;

export const defaultPolicy: Policy = ({ call, deniedBefore, mayHaveHappenedBefore, approvalTtlMs }) => {
  const ask = (rule: string, reason: string): Decision => ({
    kind: 'ask',
    rule,
    reason,
    expiresAfterMs: approvalTtlMs,
  });
  if (deniedBefore) {
    return {
      kind: 'deny',
      rule: 'denied-before',
      reason: 'A person refused this call with these arguments. Do not ask for it again unless the user wants it.',
    };
  }
  if (mayHaveHappenedBefore && call.terms.effect !== 'read') {
    return ask(
      'may-have-happened',
      `${call.tool} failed with these arguments before, and its effect may have happened.`,
    );
  }
  if (call.terms.irreversible) return ask('irreversible', `${call.tool} cannot be undone.`);
  if (call.terms.risk === 'high') return ask('high-risk', `${call.tool} is declared as high risk.`);
  return { kind: 'allow', rule: `${call.terms.effect}-${call.terms.risk}` };
};
