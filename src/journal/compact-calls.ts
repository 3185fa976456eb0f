/**
 * What binding did not change is not stored twice: a call that stands in the same append as the model's answer keeps only what differs from the model's words.
 *
 * Q1 What is left of a call or a refusal, expanded with the same words, is deeply equal to it.
 * Q2 The n-th `call-bound` or `call-refused` after a `model-finished` belongs to the n-th call part of it; any other is stored whole.
 */
import type { BoundCall } from '../call/call.ts';
import { AxleError } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import type { CallRefused } from './entry.ts';

/** A call as the model wrote it. */
export interface Written {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly argumentsText: string;
}

type MutableFields = Record<string, unknown>;

/** The calls of an answer, one after another. */
export class WrittenCalls {
  #parts: readonly unknown[] = [];
  #next = 0;

  read(parts: unknown): void {
    this.#parts = Array.isArray(parts) ? parts : [];
    this.#next = 0;
  }

  next(): Written | undefined {
    while (this.#next < this.#parts.length) {
      const part = this.#parts[this.#next];
      this.#next += 1;
      if (isWritten(part)) return part;
    }
    return undefined;
  }
}

function isWritten(part: unknown): part is Written {
  return (
    isRecord(part) &&
    part['kind'] === 'call' &&
    typeof part['toolCallId'] === 'string' &&
    typeof part['toolName'] === 'string' &&
    typeof part['argumentsText'] === 'string'
  );
}

/** The call with undefined, which JSON text leaves out, for what can be had from the model's words. */
export function remainderOfBound(call: BoundCall, written: Written | undefined): object {
  if (written === undefined) return call;
  const { toolCallId, tool, input } = call;
  return {
    ...call,
    toolCallId: toolCallId === written.toolCallId ? undefined : toolCallId,
    tool: tool === written.toolName ? undefined : tool,
    input: JSON.stringify(input) === written.argumentsText ? undefined : input,
  };
}

/** Makes the call whole, in place, and gives its id. */
export function expandBound(call: unknown, written: Written | undefined): unknown {
  if (!isRecord(call)) return undefined;
  const whole: MutableFields = call;
  if (written !== undefined) {
    whole['toolCallId'] ??= written.toolCallId;
    whole['tool'] ??= written.toolName;
    if (whole['input'] === undefined) whole['input'] = parse(written.argumentsText);
  }
  return whole['callId'];
}

export function remainderOfRefused(entry: CallRefused, written: Written | undefined): object {
  if (written === undefined) return entry;
  const { toolCallId, toolName, argumentsText } = entry;
  return {
    ...entry,
    toolCallId: toolCallId === written.toolCallId ? undefined : toolCallId,
    toolName: toolName === written.toolName ? undefined : toolName,
    argumentsText: argumentsText === written.argumentsText ? undefined : argumentsText,
  };
}

export function expandRefused(entry: MutableFields, written: Written | undefined): void {
  if (written === undefined) return;
  entry['toolCallId'] ??= written.toolCallId;
  entry['toolName'] ??= written.toolName;
  entry['argumentsText'] ??= written.argumentsText;
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new AxleError('entry-invalid', 'A call refers to arguments that are not JSON text.', { cause });
  }
}
