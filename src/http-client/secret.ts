/**
 * Secrets, named and not held: a reference stands in declarations, and becomes a value when a request is dialled.
 *
 * S1 A value is in no error, no header or text that the client gives out, in any of the spellings in which it was sent. (L12)
 * S2 A value that cannot be sent whole (empty, with a line end or a control character) is refused by its name.
 */
import { spellingsOf } from '../util/spellings.ts';
import { HttpFaultError } from './http-fault.ts';

/** Names a secret. It is looked up each time that a request is dialled, so a rotated secret is used at once. */
export interface SecretReference {
  readonly secret: string;
}

/** Where secrets are: gives the value of a name, or undefined. */
export type Secrets = (name: string) => string | undefined | Promise<string | undefined>;

/**
 * Names a secret, for example `secret('BILLING_KEY')`. By default it is the environment variable of this name.
 * In a file it is written `{ "secret": "BILLING_KEY" }`.
 */
export function secret(name: string): SecretReference {
  return Object.freeze({ secret: name });
}

/**
 * Proves who asks. Sent to the origin of the request's own URL and never to where a redirect leads.
 * - `bearer`: `Authorization: Bearer …`; `basic`: `Authorization: Basic …`
 * - `header`, `query`, `cookie`: under a name of the service's own; `prefix` stands before the value
 */
export type Credential =
  | { readonly kind: 'bearer'; readonly token: SecretReference }
  | { readonly kind: 'basic'; readonly username: string | SecretReference; readonly password: SecretReference }
  | {
      readonly kind: 'header';
      readonly name: string;
      readonly value: SecretReference;
      readonly prefix?: string;
    }
  | { readonly kind: 'query' | 'cookie'; readonly name: string; readonly value: SecretReference };

/** Credentials with their values, for one hop. */
export interface ResolvedCredentials {
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
}

/** Spellings that are remembered for redaction; the oldest go first, as secrets that were rotated long ago. */
const maxSpellings = 10_000;

/** Resolves credentials and remembers what must not be shown. */
export class SecretKeeper {
  readonly #secrets: Secrets;
  /** Every spelling of every value that was resolved, with the name that is shown instead. */
  readonly #spellings = new Map<string, string>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** @throws HttpFaultError `secret-unusable` */
  async resolve(credentials: readonly Credential[]): Promise<ResolvedCredentials> {
    const headers: (readonly [string, string])[] = [];
    const query: (readonly [string, string])[] = [];
    const cookies: string[] = [];
    for (const credential of credentials) {
      switch (credential.kind) {
        case 'bearer':
          headers.push(['authorization', `Bearer ${await this.#value(credential.token)}`]);
          break;
        case 'basic':
          headers.push(['authorization', `Basic ${await this.#basic(credential)}`]);
          break;
        case 'header':
          headers.push([
            credential.name.toLowerCase(),
            `${credential.prefix ?? ''}${await this.#value(credential.value)}`,
          ]);
          break;
        case 'query':
          query.push([credential.name, await this.#value(credential.value)]);
          break;
        case 'cookie':
          cookies.push(`${credential.name}=${encodeURIComponent(await this.#value(credential.value))}`);
          break;
      }
    }
    if (cookies.length > 0) headers.push(['cookie', cookies.join('; ')]);
    return { headers, query };
  }

  /** The text with every secret that this client has used replaced by its name. */
  redact(text: string): string {
    const found = [...this.#spellings].filter(([spelling]) => text.includes(spelling));
    // The longest first, so that a secret that is contained in another does not leave the rest of it behind.
    found.sort(([a], [b]) => b.length - a.length);
    return found.reduce((rest, [spelling, name]) => rest.replaceAll(spelling, `[secret ${name}]`), text);
  }

  async #basic(credential: Extract<Credential, { kind: 'basic' }>): Promise<string> {
    const { username, password } = credential;
    const user = typeof username === 'string' ? username : await this.#value(username);
    if (user.includes(':')) throw unusable('the user name of basic authentication', 'contains a colon');
    const pair = Buffer.from(`${user}:${await this.#value(password)}`).toString('base64');
    this.#remember(pair, password.secret);
    return pair;
  }

  async #value({ secret: name }: SecretReference): Promise<string> {
    const value = await this.#lookUp(name);
    if (value === undefined || value === '') throw unusable(name, 'is not set');
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(value)) throw unusable(name, 'contains a line end or another control character');
    for (const spelling of spellingsOf(value)) this.#remember(spelling, name);
    return value;
  }

  /** What a store of secrets says when it fails may hold anything, so it is not passed on. */
  async #lookUp(name: string): Promise<string | undefined> {
    try {
      return await this.#secrets(name);
    } catch {
      throw unusable(name, 'could not be looked up');
    }
  }

  #remember(spelling: string, name: string): void {
    this.#spellings.delete(spelling);
    this.#spellings.set(spelling, name);
    for (const oldest of this.#spellings.keys()) {
      if (this.#spellings.size <= maxSpellings) break;
      this.#spellings.delete(oldest);
    }
  }
}

function unusable(name: string, why: string): HttpFaultError {
  return new HttpFaultError({
    code: 'secret-unusable',
    class: 'fatal',
    effect: 'none',
    what: `the secret ${name} ${why}.`,
  });
}
