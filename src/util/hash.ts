/** The only place where the core meets `node:crypto`: synchronous SHA-256, since an asynchronous one would be another await to crash at. */
import { hash } from 'node:crypto';

/** SHA-256 of a text (UTF-8), as 43 characters of base64url. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The first 32 hex digits of SHA-256: the form of a trace id. */
export function traceIdFrom(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 32);
}
