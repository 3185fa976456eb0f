/** What a call does to the world, and how much a person should care. */

/**
 * What a tool may do to the world. It drives retry, parallelism, durability and recovery:
 * - `read`: nothing changes. Runs in parallel, is retried, runs again after a crash.
 * - `idempotent`: changes something, and a second request with the same idempotency key changes nothing more.
 * - `write`: changes something each time. Never repeated blindly; a tool that declares nothing is a `write`.
 */
export type Effect = (typeof effects)[number];

export const effects = ['read', 'idempotent', 'write'] as const;

/** How much harm a wrong call can do. It drives approval, independently of the effect. */
export type Risk = (typeof risks)[number];

export const risks = ['low', 'medium', 'high'] as const;
