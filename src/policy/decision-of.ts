/** What a policy decides, held to its form: a policy that is broken permits nothing. */
import type { Decision } from '../call/decision.ts';
import { messageOf } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import type { CallFacts, Policy } from './policy.ts';

/** The policy's decision; a denial by the rule `policy-broken` when it throws or answers with something else. */
export function decisionOf(policy: Policy, facts: CallFacts): Decision {
  let answer: unknown;
  try {
    answer = policy(facts);
  } catch (error) {
    return broken(`it threw: ${messageOf(error)}`);
  }
  return isDecision(answer) ? answer : broken('it did not answer with a decision');
}

function broken(how: string): Decision {
  return { kind: 'deny', rule: 'policy-broken', reason: `The policy could not decide about this call: ${how}.` };
}

/** A question that stays open for longer is a mistake. */
const longestQuestionMs = 366 * 86_400_000;

function isDecision(value: unknown): value is Decision {
  if (!isRecord(value) || typeof value['rule'] !== 'string') return false;
  if (value['kind'] === 'allow') return true;
  if (typeof value['reason'] !== 'string') return false;
  const { expiresAfterMs } = value;
  const isOpenFor = typeof expiresAfterMs === 'number' && expiresAfterMs >= 0 && expiresAfterMs <= longestQuestionMs;
  return value['kind'] === 'deny' || (value['kind'] === 'ask' && isOpenFor);
}
