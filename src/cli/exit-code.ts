/** The exit codes of `axle`: what a script can tell apart without reading. */
import type { ErrorCode } from '../error/catalogue.ts';
import type { RunResult } from '../facade/run-result.ts';
import type { WaitReason } from '../journal/store.ts';
import type { Trace } from '../trace/trace.ts';

export interface ExitMeaning {
  readonly code: number;
  readonly name: string;
  readonly meaning: string;
}

export const exitCodes = {
  ok: {
    code: 0,
    meaning: 'The command did what it was asked to; a run that it waited for completed, with no call denied.',
  },
  failed: {
    code: 1,
    meaning:
      'The command failed, or the run failed, was cancelled, or stopped because its model brought nothing usable.',
  },
  usage: {
    code: 2,
    meaning:
      'The command was called wrongly: an unknown command, option, run, agent, model, tool or upstream, or a missing argument.',
  },
  configuration: {
    code: 3,
    meaning: 'The configuration or the store cannot be used, or the run is held because its code is missing here.',
  },
  waiting: { code: 4, meaning: 'The run waits for a person: an approval, an authorisation or a message.' },
  'in-doubt': { code: 5, meaning: 'A call is in doubt: nobody knows whether its side effect happened.' },
  denied: {
    code: 6,
    meaning: 'The run ended, but a call of it was denied by a person, by policy, or because nobody answered in time.',
  },
  budget: { code: 7, meaning: 'The run was stopped by its limit of steps or of time.' },
  interrupted: { code: 130, meaning: 'The command was interrupted (Ctrl-C); the run goes on when a driver starts.' },
  terminated: { code: 143, meaning: 'The same by SIGTERM.' },
} as const satisfies Record<string, Omit<ExitMeaning, 'name'>>;

export type ExitName = keyof typeof exitCodes;

const usageErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'usage-invalid',
  'run-unknown',
  'agent-unknown',
  'model-unknown',
  'tool-unknown',
  'upstream-unknown',
  'filter-invalid',
]);
const configurationErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'configuration-invalid',
  'contract-invalid',
  'contract-field-not-enforced',
  'contract-duplicate',
  'upstream-contradictory',
  'schema-unsupported',
  'schema-too-large',
  'tool-not-granted',
  'agent-invalid',
  'model-unsupported',
  'peer-missing',
  'bind-refused',
  'listen-failed',
  'store-invalid',
  'store-unusable',
  'store-too-new',
  'entry-too-new',
]);

export function exitOfError(code: ErrorCode): ExitName {
  if (usageErrors.has(code)) return 'usage';
  if (configurationErrors.has(code)) return 'configuration';
  return code === 'aborted' ? 'interrupted' : 'failed';
}

/** How a command ends that waited for a run. `trace` is that of the run. A doubt comes first: somebody must act on it. */
export function exitOfRun(result: RunResult, trace: Trace): ExitName {
  if (result.status === 'waiting') return exitOfWait(result.on);
  const outcomes = trace.parts.flatMap((part) =>
    part.kind === 'call' && part.outcome !== undefined ? [part.outcome] : [],
  );
  if (outcomes.some((outcome) => outcome.status === 'in-doubt')) return 'in-doubt';
  const isDenied = outcomes.some((outcome) => outcome.status === 'denied');
  switch (result.status) {
    case 'completed':
      return isDenied ? 'denied' : 'ok';
    case 'stopped':
      return result.failure?.code === 'run-steps-exhausted' || result.failure?.code === 'run-time-exhausted'
        ? 'budget'
        : 'failed';
    case 'failed':
      // A single call that was denied has failed for that reason.
      return result.failure?.code === 'call-denied' || result.failure?.code === 'approval-expired'
        ? 'denied'
        : 'failed';
    case 'cancelled':
      return 'failed';
  }
}

function exitOfWait(reasons: readonly WaitReason[]): ExitName {
  if (reasons.some((reason) => reason.kind === 'doubt')) return 'in-doubt';
  return reasons.some((reason) => reason.kind === 'held') ? 'configuration' : 'waiting';
}

/** The most urgent of several: what a person must act on comes first. */
export function mostUrgent(names: readonly ExitName[]): ExitName {
  const order: readonly ExitName[] = [
    'interrupted',
    'terminated',
    'in-doubt',
    'waiting',
    'configuration',
    'failed',
    'budget',
    'denied',
  ];
  return order.find((name) => names.includes(name)) ?? 'ok';
}
