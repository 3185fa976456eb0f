/** The chain of a call: the tool that was asked for, and those that stand in for it when it is down. */

/** One tool of a chain, as the call machine needs it. */
export interface ChainLink {
  readonly tool: string;
  /** Codes of failures after which it is asked. Absent: any failure that time may mend. */
  readonly when?: readonly string[];
}

/** Tools that one chain may hold, the first not counted. */
export const maxChainLinks = 8;

/**
 * The name under which a call's durable identity is known: the call id, and in a chain the place of the tool that has the call now. Idempotency keys and
 * approvals are made of it, so that no tool of a chain is handed what was meant for another.
 */
export function identityOf({ callId, link }: { readonly callId: string; readonly link?: number }): string {
  return link === undefined ? callId : `${callId}~${link}`;
}
