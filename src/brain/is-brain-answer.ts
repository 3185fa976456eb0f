/** The guard at the port: what a brain of somebody else answers is looked at before it becomes an entry. */
import { finishReasons } from '../call/message.ts';
import { failure, modelPart, usage } from '../journal/entry-checks.ts';
import { isRecord } from '../util/json.ts';
import type { BrainAnswer, BrainDelta } from './brain.ts';

/** True for an answer that has the form of the port. */
export function isBrainAnswer(value: unknown): value is BrainAnswer {
  if (!isRecord(value)) return false;
  if (value['status'] === 'failed') return failure(value['failure']);
  const { parts, finishReason, respondedAs } = value;
  return (
    value['status'] === 'answered' &&
    Array.isArray(parts) &&
    parts.every((part) => modelPart(part)) &&
    finishReasons.some((reason) => reason === finishReason) &&
    usage(value['usage']) &&
    (respondedAs === undefined || typeof respondedAs === 'string')
  );
}

/** True for a piece of an answer that has the form of the port. */
export function isBrainDelta(value: unknown): value is BrainDelta {
  if (!isRecord(value) || typeof value['text'] !== 'string' || !Number.isInteger(value['part'])) return false;
  const { kind, toolCallId, toolName } = value;
  return (
    kind === 'text' ||
    kind === 'reasoning' ||
    (kind === 'call' && typeof toolCallId === 'string' && typeof toolName === 'string')
  );
}
