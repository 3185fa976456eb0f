/**
 * A mail server on the loopback that remembers what it accepted, and says so over HTTP. Run it as a process of its own:
 * `node demo/mail-service.ts --ledger FILE [--reply-delay-ms N]`.
 *
 * M1 A mail is in the ledger, on disk, before the sender is told that it was accepted.
 * M2 With `--reply-delay-ms`, the first mail of the ledger is recorded at once and acknowledged later: the moment in which a sender that
 *    dies leaves a mail that was sent and does not know it.
 *
 *     GET /messages?id=<message-id>   { "messages": [...] }: the ledger's rows with that id, all of them without `id`
 */
import { createServer } from 'node:http';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SMTPServer } from 'smtp-server';
import { Ledger } from './ledger.ts';
import { readMail, textSha256 } from './mail-message.ts';
import { announce, endWithParent, listenOnLoopback } from './service-life.ts';

/** A row of the ledger: one mail that was accepted. */
interface MailRow {
  readonly messageId: string;
  readonly to: string;
  readonly subject: string;
  readonly textSha256: string;
  readonly atMs: number;
}

const limitBytes = 1024 * 1024;

const { values } = parseArgs({
  options: {
    ledger: { type: 'string' },
    port: { type: 'string', default: '0' },
    'smtp-port': { type: 'string', default: '0' },
    'reply-delay-ms': { type: 'string', default: '0' },
  },
});
if (values.ledger === undefined) {
  process.stderr.write('usage: mail-service --ledger FILE [--port N] [--smtp-port N] [--reply-delay-ms N]\n');
  process.exit(2);
}
const replyDelayMs = Number(values['reply-delay-ms']);
const ledger = new Ledger<MailRow>(values.ledger);

/** The whole message, or undefined when it is larger than the limit; what is too much is read and thrown away, as SMTP wants it. */
async function readAll(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.length;
    if (size <= limitBytes) chunks.push(bytes);
  }
  return size <= limitBytes ? Buffer.concat(chunks) : undefined;
}

/** Takes a mail in. Gives the error to answer with, or undefined when the mail was accepted. */
async function accept(stream: Readable): Promise<Error | undefined> {
  const raw = await readAll(stream);
  if (raw === undefined) return Object.assign(new Error('The message is too large.'), { responseCode: 552 });
  const mail = readMail(raw);
  const isFirst = ledger.size === 0;
  ledger.append({
    messageId: mail.messageId,
    to: mail.to,
    subject: mail.subject,
    textSha256: textSha256(mail.text),
    atMs: Date.now(),
  });
  if (isFirst && replyDelayMs > 0) await delay(replyDelayMs);
  return undefined;
}

async function answer(stream: Readable, reply: (refusal?: Error) => void): Promise<void> {
  reply(await accept(stream));
}

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  size: limitBytes,
  onData: (stream, _session, callback) => void answer(stream, callback),
});
// A sender that dies in the middle resets its connection; that is what this service is for.
smtp.on('error', () => undefined);

const http = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isKnown = request.method === 'GET' && url.pathname === '/messages';
  const id = url.searchParams.get('id');
  const messages = ledger
    .rows()
    .filter(
      (row) => id === null || (typeof row === 'object' && row !== null && 'messageId' in row && row.messageId === id),
    );
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify(isKnown ? { messages } : { error: 'Only GET /messages is served.' }));
});

const port = await listenOnLoopback(http, Number(values.port));
const smtpPort = await new Promise<number>((resolve) => {
  const listener = smtp.listen(Number(values['smtp-port']), '127.0.0.1', () => {
    const address = listener.address();
    resolve(typeof address === 'object' && address !== null ? address.port : 0);
  });
});
endWithParent(() => {
  http.closeAllConnections();
  ledger.close();
});
announce({ url: `http://127.0.0.1:${port}`, port, smtpPort });
