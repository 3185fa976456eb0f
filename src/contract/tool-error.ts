/** The error that a tool throws when it knows more about its failure than a message says. */
import type { EffectEvidence } from '../call/outcome.ts';
import type { ErrorClass } from '../error/catalogue.ts';

/** Recognises the errors of every copy of the package in a process. */
const brand: unique symbol = Symbol.for('axle.tool-error');

export interface ToolErrorOptions {
  readonly message: string;
  /** A code of the tool's own, for example `card-declined`. @defaultValue 'tool-failed' */
  readonly code?: string;
  /**
   * Who can do something about it: time (`retryable`), the model (`recoverable`), or neither (`fatal`).
   * @defaultValue `retryable` when `effect` is `none` or `retryAfterMs` is given, else `recoverable`
   */
  readonly class?: ErrorClass;
  /**
   * What is known about the side effect: `none` promises that nothing was sent, and alone lets a `write` be tried again;
   * `unknown` puts a `write` in doubt. @defaultValue 'possible'
   */
  readonly effect?: EffectEvidence;
  /** How long the service behind the tool asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the model can do about it. */
  readonly advice?: string;
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
  readonly [brand] = true;

  constructor(options: ToolErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code ?? 'tool-failed';
    this.effect = options.effect ?? 'possible';
    this.class =
      options.class ?? (this.effect === 'none' || options.retryAfterMs !== undefined ? 'retryable' : 'recoverable');
    this.retryAfterMs = options.retryAfterMs;
    this.advice = options.advice;
  }
}

/** True for a `ToolError` of any copy of the package. */
export function isToolError(error: unknown): error is ToolError {
  return error instanceof Error && error.name === 'ToolError' && Object.hasOwn(error, brand);
}
