/** How an attempt and a call end. */
import type { ErrorClass } from '../error/catalogue.ts';
import type { JsonValue } from '../util/json.ts';
import type { Drift } from './drift.ts';

/**
 * What is known about the effect of an attempt that failed:
 * - `none`: it is proved that nothing was sent, so even a `write` may be tried again.
 * - `possible`: the tool itself says it failed and does not say whether something happened before.
 * - `unknown`: nobody answered (time-out, connection lost, unmarked server fault): a `write` is in doubt.
 */
export type EffectEvidence = (typeof effectEvidences)[number];

export const effectEvidences = ['none', 'possible', 'unknown'] as const;

/** Where a person can give what an attempt was refused for. */
export interface AuthorizationPlace {
  /** Whose permission it is: calls that wait for the same one are freed by one answer. @defaultValue the upstream of the tool, else the tool */
  readonly upstream?: string;
  /** Where a person gives it: an `http` or `https` address. It is kept in the journal, so it must hold no secret. */
  readonly url?: string;
}

/** Why something failed, as plain data for the journal and the model. */
export interface Failure {
  /** A code of the catalogue, or the tool's own. */
  readonly code: string;
  readonly class: ErrorClass;
  readonly message: string;
  /** What the model can do about it. */
  readonly advice?: string;
  readonly evidence: EffectEvidence;
  /** How long the upstream asked us to wait, in milliseconds; 0 is an answer too. */
  readonly retryAfterMs?: number;
  /** Present when a person can authorise what was refused, and the tool knows where. */
  readonly authorize?: AuthorizationPlace;
  readonly details?: JsonValue;
}

/** How one try ended. */
export type AttemptResult =
  | { readonly status: 'succeeded'; readonly output: JsonValue }
  | {
      readonly status: 'failed';
      readonly failure: Failure;
      /** Present when the tool answered in another form than declared. */
      readonly drift?: Drift;
    };

/** How a call ended, once and for all. */
export type Outcome =
  | { readonly status: 'succeeded'; readonly output: JsonValue }
  | { readonly status: 'failed'; readonly failure: Failure; readonly effectMayHaveHappened: boolean }
  | { readonly status: 'denied'; readonly reason: string; readonly code: 'call-denied' | 'approval-expired' }
  | { readonly status: 'cancelled'; readonly reason: string }
  /** Only where policy says that the model is told instead of a person asked. */
  | { readonly status: 'in-doubt'; readonly reason: string };
