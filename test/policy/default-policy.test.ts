import { describe, expect, it } from 'vitest';
import type { Call } from '../../src/call/call.ts';
import { effects, risks } from '../../src/call/effect.ts';
import { decisionOf } from '../../src/policy/decision-of.ts';
import { defaultPolicy } from '../../src/policy/default-policy.ts';
import type { CallFacts } from '../../src/policy/policy.ts';

function facts(terms: Partial<Call['terms']>, more: Partial<CallFacts> = {}): CallFacts {
  return {
    call: {
      callId: '1.0',
      toolCallId: 'a',
      tool: 'pay',
      toolVersion: 1,
      contractHash: 'h',
      input: {},
      terms: {
        effect: 'write',
        risk: 'medium',
        irreversible: false,
        maxAttempts: 4,
        timeoutMs: 1_000,
        backoffBaseMs: 1_000,
        backoffCapMs: 10_000,
        canVerify: false,
        settleMs: 0,
        parallel: false,
        ...terms,
      },
    },
    deniedBefore: false,
    mayHaveHappenedBefore: false,
    approvalTtlMs: 1_000,
    isolation: 'in-process',
    ...more,
  };
}

describe('without a policy of your own (Y3)', () => {
  it('everything runs at low and medium risk, and high risk asks', () => {
    for (const effect of effects) {
      for (const risk of risks) {
        expect(defaultPolicy(facts({ effect, risk })).kind).toBe(risk === 'high' ? 'ask' : 'allow');
      }
    }
  });

  it('what cannot be undone asks, whatever its risk', () => {
    expect(defaultPolicy(facts({ risk: 'low', irreversible: true }))).toMatchObject({
      kind: 'ask',
      rule: 'irreversible',
      expiresAfterMs: 1_000,
    });
  });

  it('what a person refused is denied, and what may have happened before asks unless it is a read', () => {
    expect(defaultPolicy(facts({}, { deniedBefore: true }))).toMatchObject({ kind: 'deny', rule: 'denied-before' });
    expect(defaultPolicy(facts({}, { mayHaveHappenedBefore: true }))).toMatchObject({
      kind: 'ask',
      rule: 'may-have-happened',
    });
    expect(defaultPolicy(facts({ effect: 'read' }, { mayHaveHappenedBefore: true })).kind).toBe('allow');
  });
});

describe('a policy of your own that is broken', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no rules file');
      },
    ],
    ['answers nothing', () => undefined],
    ['answers yes', () => true],
    ['allows without a rule', () => ({ kind: 'allow' })],
    ['asks for no time', () => ({ kind: 'ask', rule: 'r', reason: 'why', expiresAfterMs: Number.NaN })],
  ])('permits nothing when it %s', (_, policy) => {
    // @ts-expect-error -- programs without types hand in anything.
    expect(decisionOf(policy, facts({ effect: 'read', risk: 'low' }))).toMatchObject({
      kind: 'deny',
      rule: 'policy-broken',
    });
  });
});
