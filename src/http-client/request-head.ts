/** Method and headers of a request, as they may be sent. */
import { HttpFaultError } from './http-fault.ts';

/** What the connection needs for itself, or what would make two requests of one. */
const reserved: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A name in lower case, and its value. */
export type HeaderLine = readonly [name: string, value: string];

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const maxHeaders = 200;

/** @throws HttpFaultError `configuration-invalid` */
export function readMethod(method: string): string {
  const upper = method.toUpperCase();
  if (!token.test(upper) || upper === 'CONNECT' || upper === 'TRACE') {
    throw invalid(`the method ${JSON.stringify(method.slice(0, 40))} is not sent`);
  }
  return upper;
}

/** True for a header that only the client itself sets. */
export function isReservedHeader(name: string): boolean {
  return reserved.has(name.toLowerCase());
}

/** Names in lower case. @throws HttpFaultError `configuration-invalid` */
export function readHeaders(headers: Readonly<Record<string, string>>): readonly HeaderLine[] {
  const entries = Object.entries(headers);
  if (entries.length > maxHeaders) throw invalid(`${entries.length} headers are more than ${maxHeaders}`);
  return checkedHeaders(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** The lines as they are, when each can be sent. @throws HttpFaultError `configuration-invalid` */
export function checkedHeaders(lines: readonly HeaderLine[]): readonly HeaderLine[] {
  for (const [name, value] of lines) {
    if (!token.test(name)) throw invalid(`${JSON.stringify(name.slice(0, 40))} is no name of a header`);
    if (reserved.has(name)) throw invalid(`the header ${name} belongs to the connection and is not set by a request`);
    // The value itself is not shown: it may be a secret.
    if (!/^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value)) {
      throw invalid(`the value of the header ${name} has a line end, a control character or one beyond Latin-1`);
    }
  }
  return lines;
}

function invalid(what: string): HttpFaultError {
  return new HttpFaultError({ code: 'configuration-invalid', class: 'recoverable', effect: 'none', what: `${what}.` });
}
