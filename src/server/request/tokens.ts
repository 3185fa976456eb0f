/**
 * Tokens: what a caller proves itself with, and what each may do. They are compared by their hashes, so a server need not hold them.
 *
 * K1 No answer takes another time because a token is nearly right: hashes are compared, all of them, in constant time.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AxleError } from '../../error/axle-error.ts';
import type { Scope } from '../wire.ts';

/** What callers may do: `read` everything; `run` starts, sends, cancels, takes back; `approve` answers approvals and doubts; `admin` steers upstreams. */
export const scopes = ['read', 'run', 'approve', 'admin'] as const satisfies readonly Scope[];

/** A token that a server accepts. One of `token` and `sha256`. */
export interface ServerToken {
  /** Shown to whoever holds it, and written into what it does. */
  readonly name: string;
  /** @defaultValue all */
  readonly scopes?: readonly Scope[];
  /** The token itself, at least 32 characters. */
  readonly token?: string;
  /** The SHA-256 of the token as 64 hex digits, for a server that must not know it. */
  readonly sha256?: string;
}

/** Who asks. */
export interface Caller {
  readonly name?: string;
  readonly scopes: readonly Scope[];
}

const minTokenLength = 32;

/** A new token of 256 random bits, and the hash that a server is given. */
export function createToken(): { readonly token: string; readonly sha256: string } {
  const token = `axle_${randomBytes(32).toString('base64url')}`;
  return { token, sha256: hashOf(token).toString('hex') };
}

export class TokenBook {
  readonly #known: readonly { readonly caller: Caller; readonly hash: Buffer }[];

  /** @throws AxleError `configuration-invalid` */
  constructor(tokens: readonly ServerToken[]) {
    this.#known = tokens.map((token) => ({ caller: callerOf(token), hash: readHash(token) }));
  }

  get isEmpty(): boolean {
    return this.#known.length === 0;
  }

  /** Who a request is from. Without tokens everybody may do everything. @throws AxleError `token-refused` */
  callerOf(authorization: string | null): Caller {
    if (this.isEmpty) return { scopes };
    const token = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new AxleError('token-refused', 'The request carries no token.');
    const hash = hashOf(token);
    let found: Caller | undefined;
    for (const known of this.#known) if (timingSafeEqual(known.hash, hash)) found = known.caller;
    if (found === undefined) throw new AxleError('token-refused', 'The token of the request is not known.');
    return found;
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

function callerOf({ name, scopes: granted = scopes }: ServerToken): Caller {
  const stranger = granted.find((scope) => !scopes.includes(scope));
  if (stranger !== undefined || typeof name !== 'string' || name === '') {
    throw new AxleError('configuration-invalid', `A token has a name, and scopes out of ${scopes.join(', ')}.`);
  }
  return { name, scopes: granted };
}

function readHash({ name, token, sha256 }: ServerToken): Buffer {
  if (sha256 !== undefined && token === undefined && /^[0-9a-f]{64}$/i.test(sha256)) return Buffer.from(sha256, 'hex');
  if (token !== undefined && sha256 === undefined && token.length >= minTokenLength) return hashOf(token);
  throw new AxleError(
    'configuration-invalid',
    `The token ${name} needs either token, with at least ${minTokenLength} characters, or sha256, with 64 hex digits.`,
    { remedy: 'Make one with createToken() of axle/http.' },
  );
}
