/**
 * What a model is told about the outcome of a call. Adapters share this wording, so that a model reads the same words behind every provider.
 *
 * O1 Nothing is ever empty: providers refuse empty content.
 * O2 Every outcome but success says whether the effect may have happened: the model must never have to guess that.
 */
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
  return {
    kind: 'text',
    text: output.trim() === '' ? 'The call succeeded and returned an empty text.' : output.toWellFormed(),
  };
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
