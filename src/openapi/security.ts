/** Which credentials an operation is sent with: what the document asks for, of what the configuration has. */
import { AxleError } from '../error/axle-error.ts';
import type { Credential, SecretReference } from '../http-client/secret.ts';
import { isJsonObject, isRecord, type JsonObject, type JsonValue } from '../util/json.ts';
import type { ApiDocument } from './document.ts';
import type { Operation } from './operation.ts';
import { listOf, textOf } from './json-parts.ts';
import { resolveObject } from './reference.ts';

/** A secret for a scheme of the document (a key, or a token), or a user with one. */
export type SchemeSecret =
  | SecretReference
  | { readonly username: string | SecretReference; readonly password: SecretReference };

/** By the names of the document's security schemes; or credentials that every request is sent with, whatever the document says. */
export type ApiAuth = Readonly<Record<string, SchemeSecret>> | readonly Credential[];

export interface OperationSecurity {
  readonly credentials: readonly Credential[];
  /** Names of schemes, one of which the operation asks for and none of which is given. */
  readonly missing: readonly string[];
}

/** @throws AxleError `configuration-invalid` for a scheme that the document does not have, or that cannot be served by what is given */
export function readAuth(
  document: ApiDocument,
  auth: ApiAuth,
): ReadonlyMap<string, Credential> | readonly Credential[] {
  if (isList(auth)) return auth;
  const schemes = schemesOf(document);
  return new Map(
    Object.entries(auth).map(([name, given]) => {
      const scheme = Object.hasOwn(schemes, name) ? resolveObject(document.json, schemes[name]) : undefined;
      if (scheme === undefined) {
        throw new AxleError(
          'configuration-invalid',
          `auth names ${name}, which is no security scheme of this document; it has ${Object.keys(schemes).join(', ') || 'none'}.`,
        );
      }
      return [name, credentialOf(name, scheme, given)] as const;
    }),
  );
}

function credentialOf(name: string, scheme: JsonObject, given: SchemeSecret): Credential {
  const { type, in: place } = scheme;
  const isBasic = type === 'http' && textOf(scheme['scheme'])?.toLowerCase() === 'basic';
  if ('password' in given) {
    if (isBasic) return { kind: 'basic', username: given.username, password: given.password };
    throw unfit(name, 'takes one secret, not a user name and a password');
  }
  if (isBasic) throw unfit(name, 'takes a user name and a password: { username, password: secret(...) }');
  if (type === 'oauth2' || type === 'openIdConnect' || type === 'http') return { kind: 'bearer', token: given };
  if (type === 'apiKey' && (place === 'header' || place === 'query' || place === 'cookie')) {
    const header = textOf(scheme['name']);
    if (header !== undefined) return { kind: place, name: header, value: given };
  }
  throw unfit(name, `is of the kind ${JSON.stringify(type)}, which cannot be sent`);
}

function unfit(name: string, why: string): AxleError {
  return new AxleError('configuration-invalid', `auth: the security scheme ${name} ${why}.`);
}

/** The first alternative of which everything is given. */
export function securityOf(
  document: ApiDocument,
  operation: Operation,
  auth: ReadonlyMap<string, Credential> | readonly Credential[],
): OperationSecurity {
  if (isList(auth)) return { credentials: auth, missing: [] };
  const alternatives = alternativesOf(operation.json['security'] ?? document.json['security']);
  for (const alternative of alternatives) {
    const credentials = alternative.map((name) => auth.get(name));
    if (credentials.every((each) => each !== undefined)) return { credentials, missing: [] };
  }
  const missing = [...new Set(alternatives.flat())].filter((name) => !auth.has(name));
  return { credentials: [], missing };
}

/** Each a list of schemes that belong together. What asks for nothing comes last: a credential that is given is used. */
function alternativesOf(security: JsonValue | undefined): readonly (readonly string[])[] {
  const alternatives = listOf(security).flatMap((each) => (isJsonObject(each) ? [Object.keys(each)] : []));
  return alternatives.toSorted((a, b) => Number(a.length === 0) - Number(b.length === 0));
}

function schemesOf(document: ApiDocument): JsonObject {
  const { components } = document.json;
  const schemes = isJsonObject(components) ? components['securitySchemes'] : undefined;
  return isJsonObject(schemes) ? schemes : {};
}

// `Array.isArray` does not narrow a readonly array.
function isList(auth: ApiAuth | ReadonlyMap<string, Credential>): auth is readonly Credential[] {
  return Array.isArray(auth);
}

/** True for the parameters that these credentials fill. */
export function fills(credentials: readonly Credential[], place: string, name: string): boolean {
  return credentials.some(
    (credential) =>
      isRecord(credential) &&
      credential.kind === place &&
      'name' in credential &&
      credential.name.toLowerCase() === name.toLowerCase(),
  );
}
