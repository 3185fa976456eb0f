/** The guard at the port: what a brain of somebody else answers is looked at before it becomes an entry. */
import { isRecord } from '../util/json.ts';
import type { BrainAnswer } from './brain.ts';

const finishReasons: ReadonlySet<unknown> = new Set([
  'stop',
  'length',
  'content-filter',
  'tool-calls',
  'error',
  'interrupted',
  'other',
]);
const errorClasses: ReadonlySet<unknown> = new Set(['retryable', 'recoverable', 'fatal']);
const evidences: ReadonlySet<unknown> = new Set(['none', 'possible', 'unknown']);

/** True for an answer that has the form of the port. */
export function isBrainAnswer(value: unknown): value is BrainAnswer {
  if (!isRecord(value)) return false;
  if (value['status'] === 'failed') return isFailure(value['failure']);
  const { parts, usage } = value;
  return (
    value['status'] === 'answered' &&
    Array.isArray(parts) &&
    parts.every(isPart) &&
    finishReasons.has(value['finishReason']) &&
    isRecord(usage) &&
    Object.values(usage).every((count) => count === undefined || Number.isFinite(count))
  );
}

function isPart(value: unknown): boolean {
  if (!isRecord(value)) return false;
  if (value['kind'] === 'text' || value['kind'] === 'reasoning') return typeof value['text'] === 'string';
  const texts = [value['toolCallId'], value['toolName'], value['argumentsText']];
  return value['kind'] === 'call' && texts.every((text) => typeof text === 'string');
}

function isFailure(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['code'] === 'string' &&
    typeof value['message'] === 'string' &&
    errorClasses.has(value['class']) &&
    evidences.has(value['evidence'])
  );
}
