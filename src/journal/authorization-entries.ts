/** What becomes of a call that waits for a login or a permission that only a person can give. The machine is drawn in `run/authorization.ts`. */

/** An attempt was refused for want of a permission, and the call waits for a person; the failure is that of the attempt before. */
export interface AuthorizationRequested {
  readonly type: 'authorization-requested';
  readonly callId: string;
  /** Calls that wait for the same upstream wait for one authorization. */
  readonly authorizationId: string;
  readonly upstream: string;
  readonly expiresAtMs: number;
}
/** A person has answered: one entry for each call that waits for it. */
export interface AuthorizationAnswered {
  readonly type: 'authorization-answered';
  readonly callId: string;
  readonly authorizationId: string;
  readonly granted: boolean;
  readonly note?: string;
  readonly by?: string;
}
/** Nobody answered in time. */
export interface AuthorizationExpired {
  readonly type: 'authorization-expired';
  readonly callId: string;
  readonly authorizationId: string;
}
