/** A row of `runs`, joined with the last row of its journal, as lists show it. */
import { AxleError } from '../../error/axle-error.ts';
import { noRequest } from '../checks.ts';
import { list, object, optional, tagged, text, time } from '../entry-checks.ts';
import { runEndings, runKinds } from '../entry.ts';
import { type KeptLock, runStates, type RunStatus, type RunSummary, type WaitReason } from '../store.ts';
import { jsonOf, numberOf, optionalNumberOf, optionalTextOf, textOf, wordOf, type Row } from './row-reader.ts';
import { defined } from '../../util/defined.ts';

const waitReason = tagged<WaitReason, 'kind'>('kind', {
  approval: { approvalId: text, callId: text, expiresAtMs: time },
  authorization: {
    authorizationId: text,
    callId: text,
    upstream: text,
    message: text,
    url: optional(text),
    expiresAtMs: time,
  },
  doubt: { callId: text },
  timer: { dueAtMs: time },
  message: {},
  held: { reason: text, tool: optional(text) },
});

/** @throws AxleError `store-invalid` for a row that no release has written. */
export function toSummary(row: Row): RunSummary {
  return {
    runId: textOf(row, 'run_id'),
    kind: wordOf(row, 'kind', runKinds),
    subject: textOf(row, 'subject'),
    ...defined({ key: optionalTextOf(row, 'request_key'), session: optionalTextOf(row, 'session') }),
    createdAtMs: numberOf(row, 'created_at_ms'),
    updatedAtMs: numberOf(row, 'at_ms'),
    epoch: numberOf(row, 'epoch'),
    seq: numberOf(row, 'last_seq'),
    status: toStatus(row),
    hasPosts: numberOf(row, 'last_post_id') > numberOf(row, 'inbox_cursor'),
    ...(textOf(row, 'request_hash') === noRequest ? { isCopy: true } : {}),
  };
}

function toStatus(row: Row): RunStatus {
  const ending = row['ending'] === null ? undefined : wordOf(row, 'ending', runEndings);
  return {
    state: wordOf(row, 'state', runStates),
    ...defined({ wakeAtMs: optionalNumberOf(row, 'wake_at_ms') }),
    waitingOn: row['waiting_on'] === null ? [] : toWaitReasons(jsonOf(row, 'waiting_on')),
    ...defined({ ending }),
    steps: numberOf(row, 'steps'),
    ...(row['kept_locks'] === null ? {} : { keptLocks: toKeptLocks(jsonOf(row, 'kept_locks')) }),
  };
}

const keptLocks = list(object<KeptLock>({ callId: text, name: text }));

function toKeptLocks(value: unknown): readonly KeptLock[] {
  if (keptLocks(value)) return value;
  throw new AxleError('store-invalid', 'The locks that a run keeps do not have the form that a release has written.');
}

function toWaitReasons(value: unknown): readonly WaitReason[] {
  if (Array.isArray(value) && value.every(waitReason)) return value;
  throw new AxleError('store-invalid', 'What a run waits for does not have the form that a release has written.');
}
