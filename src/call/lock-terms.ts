/** The locks that a contract declares, as the call machine knows them. */

export const lockModes = ['exclusive', 'shared'] as const;

/** `exclusive`: nobody else has the lock meanwhile; `shared`: others may have it too, as long as they share it. */
export type LockMode = (typeof lockModes)[number];

/** A lock that each attempt takes before it is announced. */
export interface LockTerms {
  /** A text with places for arguments of the call: `order:{orderId}`. */
  readonly name: string;
  readonly mode: LockMode;
  /** How long a call may wait for it, in milliseconds. */
  readonly maxWaitMs: number;
  /** True when a call in doubt keeps it until the doubt is settled. */
  readonly keptInDoubt?: true;
}
