/** Reads as much of a mail as the demo's verdict needs: three headers and the plain text. Not a general parser: one part, UTF-8. */
import { createHash } from 'node:crypto';

export interface MailMessage {
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Reads a message as it came over the wire. */
export function readMail(raw: Buffer): MailMessage {
  const source = raw.toString('latin1');
  const gap = source.indexOf('\r\n\r\n');
  const [head, body] = gap === -1 ? [source, ''] : [source.slice(0, gap), source.slice(gap + 4)];
  const headers = new Map<string, string>();
  // A header that goes on over several lines has its further lines indented.
  for (const line of head.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim()));
  }
  const header = (name: string): string => headers.get(name) ?? '';
  return {
    messageId: header('message-id'),
    to: header('to'),
    subject: header('subject'),
    text: decodeBody(body, header('content-transfer-encoding').toLowerCase()),
  };
}

/** SHA-256 of a text in hex, with the line ends and the closing line ends that mail changes made equal. */
export function textSha256(text: string): string {
  return createHash('sha256').update(text.replaceAll('\r\n', '\n').trimEnd()).digest('hex');
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding === 'quoted-printable') return decodeQuoted(body.replace(/=\r\n/g, ''));
  return Buffer.from(body, 'latin1').toString('utf8');
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

// RFC 2047: =?utf-8?Q?...?= and =?utf-8?B?...?=, and no space between two of them.
function decodeWords(value: string): string {
  return value
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}
