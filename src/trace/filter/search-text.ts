/** What a filter may look into beside the name of a span: what was asked, answered and said in it. */
import type { AttemptResult, Failure, Outcome } from '../../call/outcome.ts';
import type { JsonValue } from '../../util/json.ts';
import type { CallPart, ModelAttemptSpan, RunPart, TraceHead, WaitSpan } from '../trace.ts';
import type { TextOf } from './match-rows.ts';

/** Characters of one value that are looked into. */
const maxSearchedLength = 1_000_000;

/** Texts of spans by their ids, made when they are first asked for. */
export function searchTexts(head: TraceHead, parts: readonly RunPart[]): TextOf {
  let texts: Map<string, string> | undefined;
  return (id) => {
    texts ??= new Map([['run', ofRun(head)], ...parts.flatMap(ofPart)]);
    return texts.get(id);
  };
}

type Text = readonly [id: string, text: string];

function ofRun({ input, ending }: TraceHead): string {
  return joined(ofValue(input), ofValue(ending?.output), ofFailure(ending?.failure));
}

function ofPart(part: RunPart): readonly Text[] {
  switch (part.kind) {
    case 'model':
      return part.children.flatMap((child) => (child.kind === 'wait' ? ofWait(child) : ofModelAttempt(child)));
    case 'call': {
      const { argumentsText, input, outcome, refusal, decision } = part;
      const reason = decision !== undefined && 'reason' in decision ? decision.reason : undefined;
      const said = joined(argumentsText, ofValue(input), ofOutcome(outcome), ofFailure(refusal?.failure), reason);
      return [[part.id, said], ...part.children.flatMap(ofCallPart)];
    }
    case 'wait':
      return ofWait(part);
    case 'gap':
      return [];
    case 'mark':
      return [[part.id, ofValue(part.mark)]];
  }
}

function ofModelAttempt({ id, end }: ModelAttemptSpan): readonly Text[] {
  if (end?.status === 'failed') return [[id, ofFailure(end.failure)]];
  if (end?.status !== 'answered') return [];
  const said = end.parts.map((part) => (part.kind === 'call' ? `${part.toolName} ${part.argumentsText}` : part.text));
  return [[id, joined(...said, end.unreadable)]];
}

function ofCallPart(part: CallPart): readonly Text[] {
  switch (part.kind) {
    case 'attempt':
      return part.end === undefined || part.end.status === 'lost' ? [] : [[part.id, ofResult(part.end)]];
    case 'evidence':
      return [[part.id, ofResult(part.result)]];
    case 'wait':
      return ofWait(part);
    case 'doubt':
      return [
        [part.id, joined(part.resolution?.note, ofValue(part.resolution?.verdict))],
        ...part.children.flatMap((child) => (child.kind === 'wait' ? ofWait(child) : [])),
      ];
    case 'stand-in':
      return [[part.id, joined(ofValue(part.input), ...part.skipped.map(({ reason }) => reason))]];
    case 'refused-by-upstream':
      return [[part.id, ofFailure(part.failure)]];
    case 'breaker':
      return [[part.id, part.reason]];
  }
}

function ofWait({ id, on }: WaitSpan): readonly Text[] {
  return [[id, ofValue(on)]];
}

function ofResult(result: AttemptResult): string {
  return result.status === 'succeeded' ? ofValue(result.output) : ofFailure(result.failure);
}

function ofOutcome(outcome: Outcome | undefined): string {
  if (outcome === undefined) return '';
  switch (outcome.status) {
    case 'succeeded':
      return ofValue(outcome.output);
    case 'failed':
      return ofFailure(outcome.failure);
    default:
      return outcome.reason;
  }
}

function ofFailure(failure: Failure | undefined): string {
  return failure === undefined ? '' : joined(failure.code, failure.message, failure.advice);
}

/** A text as it is, anything else as JSON. */
function ofValue(value: object | JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, maxSearchedLength);
}

function joined(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined && text !== '').join('\n');
}
