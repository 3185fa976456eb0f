/** A row of `runs`, joined with the last row of its journal, as lists show it. */
import { AxleError } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';
import { oneOf, object, tagged, text, time } from '../entry-checks.ts';
import type { RunEnding, RunKind } from '../entry.ts';
import type { RunStatus, RunSummary, WaitReason } from '../store.ts';
import { jsonOf, numberOf, optionalNumberOf, optionalTextOf, textOf, wordOf, type Row } from './row-reader.ts';

const kinds: readonly RunKind[] = ['agent', 'call'];
const states: readonly RunStatus['state'][] = ['active', 'waiting', 'held', 'ended'];
const endings: readonly RunEnding[] = ['completed', 'failed', 'stopped', 'cancelled'];

const waitReason = tagged('kind', {
  approval: object({ approvalId: text, callId: text, expiresAtMs: time }),
  doubt: object({ callId: text }),
  timer: object({ dueAtMs: time }),
  message: oneOf(),
  held: object({ reason: text }),
} satisfies Record<WaitReason['kind'], unknown>);

/** @throws AxleError `store-invalid` for a row that no release has written. */
export function toSummary(row: Row): RunSummary {
  const key = optionalTextOf(row, 'request_key');
  const session = optionalTextOf(row, 'session');
  return {
    runId: textOf(row, 'run_id'),
    kind: wordOf(row, 'kind', kinds),
    subject: textOf(row, 'subject'),
    ...(key === undefined ? {} : { key }),
    ...(session === undefined ? {} : { session }),
    createdAtMs: numberOf(row, 'created_at_ms'),
    updatedAtMs: numberOf(row, 'at_ms'),
    epoch: numberOf(row, 'epoch'),
    seq: numberOf(row, 'last_seq'),
    status: toStatus(row),
    hasPosts: numberOf(row, 'last_post_id') > numberOf(row, 'inbox_cursor'),
  };
}

function toStatus(row: Row): RunStatus {
  const wakeAtMs = optionalNumberOf(row, 'wake_at_ms');
  const ending = row['ending'] === null ? undefined : wordOf(row, 'ending', endings);
  return {
    state: wordOf(row, 'state', states),
    ...(wakeAtMs === undefined ? {} : { wakeAtMs }),
    waitingOn: row['waiting_on'] === null ? [] : toWaitReasons(jsonOf(row, 'waiting_on')),
    ...(ending === undefined ? {} : { ending }),
    steps: numberOf(row, 'steps'),
  };
}

function toWaitReasons(value: unknown): readonly WaitReason[] {
  if (Array.isArray(value) && value.every(isWaitReason)) return value;
  throw new AxleError('store-invalid', 'What a run waits for does not have the form that a release has written.');
}

function isWaitReason(value: unknown): value is WaitReason {
  return isRecord(value) && (value['kind'] === 'message' || waitReason(value));
}
