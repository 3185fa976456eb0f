/** The only place where the core meets `node:crypto`: synchronous SHA-256, since an asynchronous one would be another await to crash at. */
import { createHmac, hash } from 'node:crypto';

/** SHA-256 of a text (UTF-8), as 43 characters of base64url. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** HMAC-SHA-256 of a text, as 43 characters of base64url. */
export function hmacSha256(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('base64url');
}
