/** How an error is told: two lines for people, and its object with `--json`. */
import type { AxleError } from '../error/axle-error.ts';
import { oneLine } from '../trace/safe-text.ts';
import { isJsonObject, isRecord, type JsonValue, toJson } from '../util/json.ts';
import type { Terminal } from './terminal.ts';

export function tellError(error: AxleError, terminal: Terminal): void {
  terminal.note(`axle: ${oneLine(error.message)} (${error.code})`);
  const first = firstAnswer(error.details['first']);
  if (first !== undefined) terminal.note(`      The first answer: ${oneLine(first)}`);
  terminal.note(`      ${oneLine(error.remedy)}`);
  if (terminal.isJson) terminal.json({ error: error.toJSON() });
}

/** The answer that an answer came too late for, in words. */
function firstAnswer(first: unknown): string | undefined {
  if (!isRecord(first)) return undefined;
  const answer: JsonValue = toJson(first);
  if (!isJsonObject(answer)) return undefined;
  const { decision, happened, then, edit, output, note, by } = answer;
  const verdict =
    typeof decision === 'string'
      ? decision
      : happened === true
        ? 'it happened'
        : `it did not happen, then ${typeof then === 'string' ? then : 'fail'}`;
  const given = edit ?? output;
  return [
    verdict,
    ...(given === undefined ? [] : [JSON.stringify(given)]),
    ...(typeof by === 'string' ? [`by ${by}`] : []),
    ...(typeof note === 'string' ? [`(${note})`] : []),
  ].join(' ');
}
