/**
 * The ledger: a process of its own that stands for the outside world. It writes down every effect before it answers, so that what happened is known whatever
 * becomes of the process that asked for it.
 *
 *   node ledger.ts <socket> <file>
 *
 * HTTP over a Unix socket: `POST /effect` (ledger-lines.ts) and `POST /happened`. Ends when its parent does.
 */
import { openSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import process from 'node:process';
import type { EffectRequest, HappenedRequest, LedgerLine } from './ledger-lines.ts';

const [socketPath, filePath] = process.argv.slice(2);
if (socketPath === undefined || filePath === undefined) throw new Error('usage: node ledger.ts <socket> <file>');

const maxBodyBytes = 65_536;
const file = openSync(filePath, 'a', 0o600);
const receiptsOfKey = new Map<string, number>();
const receiptsOfCall = new Map<string, number[]>();
let lastReceipt = 0;

const server = createServer((request, response) => {
  answer(request, response).catch(() => request.socket.destroy());
});
server.listen(socketPath, () => process.send?.({ kind: 'listening' }));
process.on('disconnect', () => process.exit(0));

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body: unknown = JSON.parse(await bodyOf(request));
  // Only the programs of this folder know the socket, and they send these forms.
  if (request.url === '/happened') {
    reply(response, 200, { receipts: receiptsOfCall.get(callName(body as HappenedRequest)) ?? [] });
  } else perform(body as EffectRequest, request, response);
}

function perform(
  { manner, delayMs, ...effect }: EffectRequest,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (manner === 'refuse') {
    reply(response, 503, {});
    return;
  }
  const known = effect.kind === 'idempotent' ? receiptsOfKey.get(effect.key) : undefined;
  const receipt = write(effect);
  if (known === undefined) receiptsOfKey.set(effect.key, receipt);
  if (manner === 'drop') {
    request.socket.destroy();
    return;
  }
  setTimeout(() => reply(response, 200, { receipt: known ?? receipt }), delayMs);
}

function write(effect: Omit<LedgerLine, 'receipt'>): number {
  lastReceipt += 1;
  const line: LedgerLine = { receipt: lastReceipt, ...effect };
  writeSync(file, `${JSON.stringify(line)}\n`);
  const name = callName(effect);
  receiptsOfCall.set(name, [...(receiptsOfCall.get(name) ?? []), lastReceipt]);
  return lastReceipt;
}

function callName({ runId, callId }: HappenedRequest): string {
  return `${runId}/${callId}`;
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request) {
    // A request without an encoding gives buffers.
    const bytes = chunk as Buffer;
    sizeBytes += bytes.length;
    if (sizeBytes > maxBodyBytes) throw new Error('The request is too large.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
