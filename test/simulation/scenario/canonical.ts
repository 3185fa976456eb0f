/** The runs that the exhaustive sweep crashes at every point: one for each way that a call can go. */
import type { Behaviour, CallPlan, RunPlan, Scenario } from './scenario.ts';

function call(tool: string, form: CallPlan['form'] = 'good'): CallPlan {
  return { tool, form };
}

function agentRun(calls: readonly CallPlan[], change: Partial<RunPlan> = {}): RunPlan {
  return {
    kind: 'agent',
    startAfterMs: 5,
    waits: true,
    turns: [{ kind: 'calls', calls }],
    onDoubt: 'ask',
    behaviours: [],
    models: [],
    verifies: [],
    approvals: [],
    doubts: [],
    words: [],
    ...change,
  };
}

function behaving(...behaviours: readonly Behaviour[]): Partial<RunPlan> {
  return { behaviours };
}

const plans: Readonly<Record<string, RunPlan>> = {
  'a read': agentRun([call('look')]),
  'two reads side by side, one of them retried': agentRun([call('look'), call('count')], behaving('ok', 'is-busy')),
  'reads that answer at once': agentRun([], {
    answersAtOnce: true,
    turns: [
      { kind: 'calls', calls: [call('look')] },
      { kind: 'calls', calls: [call('look'), call('count')] },
      { kind: 'calls', calls: [call('look')] },
    ],
  }),
  'an idempotent call': agentRun([call('put')]),
  'an idempotent call that is retried after a time-out': agentRun([call('put')], behaving('acts-silently')),
  'a write': agentRun([call('note')]),
  'a write that can be verified': agentRun([call('book')]),
  'a write that nobody answers, verified': agentRun([call('book')], behaving('acts-silently')),
  'a write that is declined, then made': agentRun([call('note')], behaving('declines')),
  'a write that is lost, and resolved by a person': agentRun([call('note')], {
    ...behaving('resets-before'),
    doubts: [{ then: 'retry', afterMs: 50 }],
  }),
  'a write that needs an approval': agentRun([call('pay')]),
  'a write whose arguments a person edits': agentRun([call('wire')], { approvals: [{ answer: 'edit', afterMs: 40 }] }),
  'a write that a person denies': agentRun([call('wire')], { approvals: [{ answer: 'deny', afterMs: 40 }] }),
  'a write whose service wants a login': agentRun([call('note')], behaving('wants-login')),
  'two reads whose service wants a login, twice': agentRun([call('look'), call('count')], {
    ...behaving('wants-login', 'wants-login', 'wants-login'),
    authorizations: [{ answer: 'grant-twice', afterMs: 40 }],
  }),
  'two writes after a read': agentRun([call('look'), call('note'), call('note')]),
  'one governed call from outside': agentRun([call('pay')], { kind: 'call' }),
  'reads at an upstream that fails twice and is tried again': agentRun(
    [call('ask'), call('ask')],
    behaving('is-busy', 'is-busy'),
  ),
  'a write at an upstream': agentRun([call('hand')]),
  'a read whose tool is down, and another stands in': agentRun([call('inquire')], behaving('is-busy')),
  'a write whose tool has done nothing, and another stands in': agentRun([call('send')], behaving('declines')),
  'a read that is answered by a kept result': agentRun([call('remember')], {
    turns: [
      { kind: 'calls', calls: [call('remember', 'same-arguments')] },
      { kind: 'calls', calls: [call('remember', 'same-arguments')] },
    ],
  }),
  'an effect that is taken back': agentRun([call('mark')], {
    undo: { afterMs: 5, times: 1, skips: false },
  }),
  'a call with the id of one before': agentRun([call('note')], {
    turns: [
      { kind: 'calls', calls: [call('note')] },
      { kind: 'calls', calls: [call('note', 'id-of-before')] },
    ],
  }),
};

/** Each canonical run as a scenario without faults. */
export const canonicalScenarios: ReadonlyMap<string, Scenario> = new Map(
  Object.entries(plans).map(([name, plan]) => [
    name,
    {
      seed: 1,
      workers: 1,
      sharing: 'one',
      durability: 'effects',
      snapshotEvery: 0,
      runs: [plan],
      faults: [],
      tape: [],
    },
  ]),
);
