/**
 * A fault around a model, as a failure for the journal.
 *
 * F1 It carries no secret that can be told by its form: words that look like a key are masked, and the message is cut.
 * F2 A mistake in the code of a model object is told apart from a provider that is away: somebody has to mend it.
 */
import { failureOf } from '../call/failure.ts';
import type { Failure } from '../call/outcome.ts';
import { messageOf } from '../error/axle-error.ts';
import type { ErrorCode } from '../error/catalogue.ts';
import { cutText } from '../util/cut-text.ts';
import { isRecord } from '../util/json.ts';

/** Longest message that is kept, in UTF-16 code units. */
const maxMessageChars = 2_000;

/** Asking a model changes nothing in the world, so there is no effect to be in doubt about. */
export function modelFailure(code: ErrorCode, message: string): Failure {
  return failureOf(code, cutText(masked(message), maxMessageChars), { evidence: 'none' });
}

/** What the model object threw where it should have answered: most likely a mistake in its code. */
export function threw(error: unknown): Failure {
  const name = nameOf(error);
  const words = messageOf(error);
  return modelFailure(
    'model-threw',
    `The model object threw ${words === name || name === '' ? words : `${name}: ${words}`}`,
  );
}

/**
 * True for what JavaScript itself throws over code that is wrong. A request that failed is a `TypeError` too, with what was in its way as the cause; and a
 * `SyntaxError` is what a body makes that is not JSON.
 */
export function isMistakeOfCode(error: unknown): boolean {
  return mistakes.includes(nameOf(error)) && isRecord(error) && error['cause'] === undefined;
}

function nameOf(error: unknown): string {
  try {
    return isRecord(error) && typeof error['name'] === 'string' ? error['name'] : '';
  } catch {
    // What throws when it is looked at has no name.
    return '';
  }
}

const mistakes: readonly string[] = ['TypeError', 'ReferenceError', 'RangeError'];

/** Providers quote the key that they refuse, or parts of it. */
function masked(message: string): string {
  return message
    .replaceAll(/\b(?:sk|pk|rk|gsk|xai|AIza)[-_A-Za-z0-9*.]{8,}/g, '[key]')
    .replaceAll(/\b(Bearer|Basic)\s+[-_A-Za-z0-9+/=.~]{8,}/gi, '$1 [key]')
    .replaceAll(/([?&](?:api[-_]?key|key|token|access_token)=)[^&\s"']+/gi, '$1[key]');
}
