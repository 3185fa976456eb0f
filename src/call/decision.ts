/** What policy says of a call. */

export type Decision =
  | { readonly kind: 'allow'; readonly rule: string }
  | { readonly kind: 'deny'; readonly rule: string; readonly reason: string }
  | { readonly kind: 'ask'; readonly rule: string; readonly reason: string; readonly expiresAfterMs: number };
