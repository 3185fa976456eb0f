/** The only place where the core meets `node:crypto`: synchronous SHA-256, since an asynchronous one would be another await to crash at. */
import { hash } from 'node:crypto';

/** SHA-256 of a text (UTF-8), as 43 characters of base64url. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** SHA-256 of a text (UTF-8), as 64 hex digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text, 'hex');
}

/** The first 32 hex digits of SHA-256: the form of a trace id. */
export function traceIdFrom(text: string): string {
  return sha256Hex(text).slice(0, 32);
}
