/**
 * What a model is told about the outcome of a call. Adapters share this wording, so that a model reads the same words behind every provider.
 *
 * O1 Nothing is ever empty: providers refuse empty content.
 * O2 Every outcome but success says whether the effect may have happened: the model must never have to guess that.
 * O3 A text is of whole characters, without NULs: several providers refuse both.
 */
import type { HistoryResult } from '../call/message.ts';
import type { Failure, Outcome } from '../call/outcome.ts';
import type { JsonValue } from '../util/json.ts';
import { cutText } from '../util/cut-text.ts';

/** An outcome in words; the kind tells an adapter which form of its provider fits. */
export type OutcomeText =
  | { readonly kind: 'data'; readonly value: JsonValue }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'denied'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string };

/** Longest message of a failure that a model is shown, in UTF-16 code units. */
const maxMessageChars = 4_000;

/** The same as one text, for forms that know no other. */
export function plainText(described: OutcomeText): string {
  return described.kind === 'data' ? JSON.stringify(described.value) : described.text;
}

/** Words the result of a call for the model, and says so when another tool stood in for the one that it asked for. */
export function describeResult({ toolName, outcome, standIn }: HistoryResult): OutcomeText {
  const described = describeOutcome(outcome);
  if (standIn === undefined) return described;
  const who = `${toolName} was down, so ${standIn} was asked in its place.`;
  const words = plainText(described);
  const kind = described.kind === 'data' ? 'text' : described.kind;
  return { kind, text: `${who}\n${words}` };
}

/** Words of the runtime, as the model is told them: where its user speaks, since several providers take no others inside a conversation. */
export function describeNotice(text: string): string {
  return `[Notice of the runtime, not of the user] ${text}`;
}

/** Words an outcome for the model. */
export function describeOutcome(outcome: Outcome): OutcomeText {
  switch (outcome.status) {
    case 'succeeded':
      return describeOutput(outcome.output);
    case 'failed':
      return { kind: 'error', text: describeFailure(outcome.failure, outcome.effectMayHaveHappened) };
    case 'denied':
      return { kind: 'denied', text: describeDenial(outcome.code, outcome.reason) };
    case 'cancelled':
      return {
        kind: 'error',
        text: sentences('The call was cancelled and changed nothing.', reasonOf(outcome.reason)),
      };
    case 'in-doubt':
      return {
        kind: 'error',
        text: sentences(
          'It is not known whether this call took effect.',
          reasonOf(outcome.reason),
          'Do not send it again: it could happen twice. Find out first, or tell the user what is uncertain.',
        ),
      };
  }
}

function describeOutput(output: JsonValue): OutcomeText {
  if (output === null) return { kind: 'text', text: 'The call succeeded and returned nothing.' };
  if (typeof output !== 'string') return { kind: 'data', value: output };
  const text = cleanText(output);
  return { kind: 'text', text: text.trim() === '' ? 'The call succeeded and returned an empty text.' : text };
}

/** Whole characters, and none that mean nothing: the NULs of UTF-16 that was taken for UTF-8, and the mark before it. The journal keeps what came. */
function cleanText(text: string): string {
  const whole = text.toWellFormed();
  const unmarked = whole.startsWith('\ufeff') ? whole.slice(1) : whole;
  return unmarked.replaceAll('\u0000', '');
}

function describeFailure(failure: Failure, effectMayHaveHappened: boolean): string {
  const lines = [`The call failed (${failure.code}): ${cutText(orSilence(failure.message), maxMessageChars)}`];
  if (failure.advice !== undefined && failure.advice.trim() !== '') {
    lines.push(`What to do: ${cutText(failure.advice, maxMessageChars)}`);
  }
  lines.push(
    effectMayHaveHappened
      ? 'Its effect may have happened nevertheless: check before you send it again.'
      : 'It changed nothing.',
  );
  return lines.join('\n');
}

function describeDenial(code: 'call-denied' | 'approval-expired', reason: string): string {
  return code === 'approval-expired'
    ? sentences(
        'Nobody approved the call in time, so it was not made.',
        reasonOf(reason),
        'Tell the user; ask again only if they want it.',
      )
    : sentences(
        'The call was denied, so it was not made.',
        reasonOf(reason),
        'Do not send the same call again: choose another way or tell the user.',
      );
}

function reasonOf(reason: string): string {
  return reason.trim() === '' ? '' : `Reason: ${asSentence(cutText(reason.trim(), maxMessageChars))}`;
}

function asSentence(text: string): string {
  return /[.!?…)]$/u.test(text) ? text : `${text}.`;
}

function orSilence(message: string): string {
  return message.trim() === '' ? 'no reason was given.' : message;
}

function sentences(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
