/**
 * What binding did not change is not stored twice: a call that stands in the same append as the model's answer keeps only what differs from the model's words.
 *
 * Q1 `CallExpander` makes of what `compactCalls` gave what is deeply equal to the entries.
 * Q2 The n-th `call-bound` or `call-refused` after a `model-finished` belongs to the n-th call part of it; any other is stored whole.
 */
import { AxleError } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import type { Entry } from './entry.ts';

/** A call as the model wrote it. */
interface Written {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly argumentsText: string;
}

type Fields = Readonly<Record<string, unknown>>;
type MutableFields = Record<string, unknown>;

/** The entries with undefined, which JSON text leaves out, for what can be had from the model's words. */
export function compactCalls(entries: readonly Entry[]): readonly Fields[] {
  const written = new WrittenCalls();
  return entries.map((entry): Fields => {
    if (entry.type === 'model-finished') written.read(entry.parts);
    else if (entry.type === 'call-bound') {
      return { ...entry, call: compactBound(fieldsOf(entry.call), written.next()) };
    } else if (entry.type === 'call-refused') return compactRefused(fieldsOf(entry), written.next());
    return fieldsOf(entry);
  });
}

/** Makes the entries of one append whole again, one after another and in place, right after they were parsed: a resume does this for thousands. The result is not checked. */
export class CallExpander {
  readonly #written = new WrittenCalls();

  expand(entry: MutableFields): void {
    switch (entry['type']) {
      case 'model-finished':
        this.#written.read(entry['parts']);
        return;
      case 'call-bound':
        expandBound(entry['call'], this.#written.next());
        return;
      case 'call-refused':
        expandRefused(entry, this.#written.next());
    }
  }
}

/** An entry as its fields: the same object, which is not changed. */
function fieldsOf(entry: object): Fields {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every object has its fields by name; interfaces hide that from the compiler.
  return entry as Fields;
}

/** The calls of an answer, one after another. */
class WrittenCalls {
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

function compactBound(call: Fields, written: Written | undefined): Fields {
  if (written === undefined) return call;
  const { toolCallId, tool, input } = call;
  return {
    ...call,
    toolCallId: toolCallId === written.toolCallId ? undefined : toolCallId,
    tool: tool === written.toolName ? undefined : tool,
    input: JSON.stringify(input) === written.argumentsText ? undefined : input,
  };
}

function expandBound(call: unknown, written: Written | undefined): void {
  if (!isRecord(call) || written === undefined) return;
  const whole: MutableFields = call;
  whole['toolCallId'] ??= written.toolCallId;
  whole['tool'] ??= written.toolName;
  if (whole['input'] === undefined) whole['input'] = parse(written.argumentsText);
}

function compactRefused(entry: Fields, written: Written | undefined): Fields {
  if (written === undefined) return entry;
  const { toolCallId, toolName, argumentsText } = entry;
  return {
    ...entry,
    toolCallId: toolCallId === written.toolCallId ? undefined : toolCallId,
    toolName: toolName === written.toolName ? undefined : toolName,
    argumentsText: argumentsText === written.argumentsText ? undefined : argumentsText,
  };
}

function expandRefused(entry: MutableFields, written: Written | undefined): void {
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
