/**
 * The structured log of a run: what its entries say, once they are committed. (O6)
 *
 *   warn, error   what Axle itself could not do (written where it happens)
 *   info          what a person on duty looks for: taken, held, asked, failed, in doubt, ended
 *   debug         each answer of the model and each result of a tool
 *
 * Every line carries the ids of its run. Arguments, results and words of the model are in the journal only.
 */
import type { Entry } from '../journal/entry.ts';
import type { AdmissionRefused, CallAdmitted } from '../journal/upstream-entries.ts';
import { defined } from '../util/defined.ts';
import type { JsonValue } from '../util/json.ts';
import type { Log } from './engine.ts';
import type { RunState } from './state.ts';

type Fields = Readonly<Record<string, JsonValue>>;
type Line = readonly [level: 'debug' | 'info', message: string, fields: Fields];

/** A log that puts the ids of a run on every line. A line that knows its step better says so itself. */
export function logOf(log: Log, stateNow: () => RunState): Log {
  const withIds: Log = (level, message, fields) => {
    const { runId, traceId, session, step } = stateNow();
    log(level, message, { runId, traceId, ...(session === undefined ? {} : { session }), step, ...fields });
  };
  return log.least === undefined ? withIds : Object.assign(withIds, { least: log.least });
}

/** Tells what was committed. `step` is the number of the model call before the first of the entries. */
export function logEntries(log: Log, entries: readonly Entry[], stepBefore: number): void {
  if (log.least === 'warn' || log.least === 'error') return;
  let step = stepBefore;
  for (const entry of entries) {
    if (entry.type === 'model-started') step = entry.step;
    const line = lineOf(entry);
    if (line === undefined) continue;
    const [level, message, fields] = line;
    log(level, message, { step, ...fields });
  }
}

function lineOf(entry: Entry): Line | undefined {
  switch (entry.type) {
    case 'run-held':
      return ['info', 'The run is held.', { reason: entry.reason, remedy: entry.remedy }];
    case 'run-released':
      return ['info', 'The run is held no longer.', {}];
    case 'contract-rebound':
      return ['info', 'A contract was bound anew.', { tool: entry.contract.name, version: entry.contract.version }];
    case 'contract-migrated':
      return [
        'info',
        'The run goes on with another version of a tool.',
        { tool: entry.contract.name, fromVersion: entry.fromVersion, version: entry.contract.version },
      ];
    case 'run-finished':
      return ['info', 'The run ended.', { ending: entry.ending, ...codeOf(entry.failure) }];
    case 'model-finished': {
      const { tookMs, finishReason, usage } = entry;
      return ['debug', 'The model answered.', { tookMs, finishReason, ...usage }];
    }
    case 'model-failed':
      return ['info', 'A call of the model failed.', { tookMs: entry.tookMs, ...codeOf(entry.failure) }];
    case 'message-received':
      return ['info', 'A message came in.', {}];
    case 'cancel-requested':
      return ['info', 'The run is to be cancelled.', { reason: entry.reason }];
    case 'post-refused':
      return ['info', 'Something posted to the run was refused.', { about: entry.about, ...codeOf(entry.failure) }];
    case 'run-accepted':
    case 'run-claimed':
    case 'model-started':
    case 'timer-fired':
    case 'call-bound':
      return undefined;
    case 'call-refused': {
      const { callId, toolName } = entry;
      return [
        'info',
        'The model asked for a call that cannot be made.',
        { callId, toolName, ...codeOf(entry.failure) },
      ];
    }
    default:
      return lineOfCall(entry);
  }
}

function lineOfCall(
  entry: Exclude<Extract<Entry, { readonly callId: string }>, { readonly type: 'call-refused' }>,
): Line | undefined {
  const { callId } = entry;
  switch (entry.type) {
    case 'call-decided':
      if (entry.decision.kind === 'allow') return undefined;
      return entry.decision.kind === 'ask'
        ? ['info', 'A call waits for approval.', { callId, reason: entry.decision.reason }]
        : ['info', 'A call was denied by policy.', { callId, rule: entry.decision.rule }];
    case 'approval-answered':
      return ['info', 'An approval was answered.', { callId, verdict: entry.verdict }];
    case 'approval-expired':
      return ['info', 'An approval expired.', { callId }];
    case 'authorization-requested':
      return ['info', 'A call waits for an authorisation.', { callId, upstream: entry.upstream }];
    case 'authorization-answered':
      return ['info', 'An authorisation was answered.', { callId, granted: entry.granted }];
    case 'authorization-expired':
      return ['info', 'An authorisation was not given in time.', { callId }];
    case 'attempt-finished': {
      const { attempt, tookMs, result } = entry;
      return result.status === 'failed'
        ? ['info', 'An attempt failed.', { callId, attempt, tookMs, ...codeOf(result.failure) }]
        : ['debug', 'An attempt succeeded.', { callId, attempt, tookMs }];
    }
    case 'call-admitted':
      return entry.waitedMs === 0
        ? undefined
        : ['debug', 'A call waited for its turn.', { callId, ...waitedFor(entry), waitedMs: entry.waitedMs }];
    case 'admission-refused':
      return ['info', 'A call may not begin now.', { callId, ...waitedFor(entry), ...codeOf(entry.failure) }];
    case 'breaker-changed': {
      const { upstream, from, to, reason } = entry;
      return ['info', 'A breaker changed.', { callId, upstream, from, to, reason }];
    }
    case 'retry-scheduled':
      return ['info', 'An attempt waits.', { callId, attempt: entry.attempt, dueAtMs: entry.dueAtMs }];
    case 'call-fell-back': {
      const { tool } = entry.call;
      return ['info', 'A tool is down, and another one stands in for it.', { callId, tool, link: entry.link }];
    }
    case 'call-cached':
      return ['debug', 'A call was answered by a kept result.', { callId, ageMs: entry.ageMs }];
    case 'call-recorded':
      return ['debug', 'A call was answered by its recorded result.', { callId, from: entry.from }];
    case 'call-doubted':
      return ['info', 'A call is in doubt.', { callId, attempt: entry.attempt, reason: entry.reason }];
    case 'verify-finished':
      return ['info', 'A doubt was looked into.', { callId, round: entry.round, verdict: entry.verdict.kind }];
    case 'call-resolved':
      return ['info', 'A doubt was settled.', { callId, verdict: entry.verdict.kind, by: entry.by }];
    case 'evidence-received':
      return ['info', 'A late result came in.', { callId, attempt: entry.attempt }];
    case 'attempt-started':
    case 'verify-started':
    case 'call-settled':
      return undefined;
  }
}

function waitedFor(entry: CallAdmitted | AdmissionRefused): Fields {
  const { upstream } = entry;
  const locks = entry.type === 'call-admitted' ? entry.locks : entry.lock;
  return defined({ upstream, locks });
}

function codeOf(failure: { readonly code: string } | undefined): Fields {
  return failure === undefined ? {} : { code: failure.code };
}
