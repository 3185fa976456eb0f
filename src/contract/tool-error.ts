/** The error that a tool throws when it knows more about its failure than a message says. */
import { type AuthorizationPlace, effectEvidences, type EffectEvidence } from '../call/outcome.ts';
import { errorClasses, type ErrorClass } from '../error/catalogue.ts';
import { isRecord } from '../util/json.ts';

/** Recognises the errors of every copy of the package in a process. */
const brand: unique symbol = Symbol.for('axle.tool-error');

export interface ToolErrorOptions {
  readonly message: string;
  /** A code of the tool's own, for example `card-declined`. @defaultValue 'tool-failed'; 'authorization-required' with `authorize` */
  readonly code?: string;
  /**
   * Who can do something about it: time (`retryable`), the model (`recoverable`), or neither (`fatal`).
   * @defaultValue `fatal` with `authorize`; `retryable` when `effect` is `none` or `retryAfterMs` is given; else `recoverable`
   */
  readonly class?: ErrorClass;
  /**
   * What is known about the side effect: `none` promises that nothing was sent, and alone lets a `write` be tried again;
   * `unknown` puts a `write` in doubt. @defaultValue 'possible'
   */
  readonly effect?: EffectEvidence;
  /** How long the service behind the tool asked to wait, in milliseconds. One that is negative, infinite or no number counts as absent. */
  readonly retryAfterMs?: number;
  /** What the model can do about it. */
  readonly advice?: string;
  /** A login or a permission is missing that a person can give. A tool declared with `authorization: 'ask'` then waits for one. */
  readonly authorize?: AuthorizationPlace;
  readonly cause?: unknown;
}

/**
 * A failure that a tool understands.
 *
 * @example
 * ```ts
 * if (response.status === 402) throw new ToolError({ code: 'card-declined', message: 'The card was declined.', class: 'recoverable', effect: 'none' });
 * ```
 */
export class ToolError extends Error {
  override readonly name = 'ToolError';
  readonly code: string;
  readonly class: ErrorClass;
  readonly effect: EffectEvidence;
  readonly retryAfterMs: number | undefined;
  readonly advice: string | undefined;
  readonly authorize: AuthorizationPlace | undefined;
  readonly [brand] = true;

  constructor(options: ToolErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.authorize = options.authorize;
    this.code = options.code ?? (this.authorize === undefined ? 'tool-failed' : 'authorization-required');
    this.effect = options.effect ?? 'possible';
    this.retryAfterMs = isWait(options.retryAfterMs) ? options.retryAfterMs : undefined;
    const isWorthAnotherTry = this.effect === 'none' || this.retryAfterMs !== undefined;
    this.class =
      options.class ?? (this.authorize !== undefined ? 'fatal' : isWorthAnotherTry ? 'retryable' : 'recoverable');
    this.advice = options.advice;
  }
}

/**
 * True for a `ToolError` of any copy of the package, also under another name. One that says of itself what cannot be said, as a program without types may,
 * is none: what it knows about its effect is not believed.
 */
export function isToolError(error: unknown): error is ToolError {
  if (!(error instanceof Error) || !isRecord(error) || !Object.hasOwn(error, brand)) return false;
  const { code, class: errorClass, effect, retryAfterMs, advice, authorize } = error;
  return (
    typeof code === 'string' &&
    errorClasses.some((one) => one === errorClass) &&
    effectEvidences.some((one) => one === effect) &&
    (retryAfterMs === undefined || isWait(retryAfterMs)) &&
    (advice === undefined || typeof advice === 'string') &&
    (authorize === undefined || isRecord(authorize))
  );
}

function isWait(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
