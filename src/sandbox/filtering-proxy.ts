/**
 * The one way out that a job may be given: a proxy at a Unix socket that connects to the places its contract names and to no other.
 *
 * X1 A name is resolved here, once, and what is dialled is the address that was checked. A name that leads into a private network is refused; such a place is
 *    named by its address.
 * X2 Everything is closed with the job, and what leads to a place with the connection of the job that it was opened for.
 * X3 What a place answers ends at most the one exchange: what cannot be handed on, or breaks off, is broken off for the job as well.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { lookup } from 'node:dns/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, pipeline } from 'node:stream';
import type { NetworkPlace } from '../contract/program.ts';
import { messageOf } from '../error/axle-error.ts';
import { addressKind } from '../http-client/address-kind.ts';
import { destinationOf, readUrl } from '../http-client/destination.ts';
import { dial } from '../http-client/dial.ts';
import type { Grants } from '../http-client/grants.ts';
import { systemTimers } from '../util/system-clock.ts';

/** Connections of one job at a time. */
const maxConnections = 64;
const dialTimeoutMs = 10_000;

export interface FilteringProxy {
  readonly socketPath: string;
  close(): Promise<void>;
}

/** Opens the proxy for one job. */
export async function openFilteringProxy(places: readonly NetworkPlace[]): Promise<FilteringProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'axle-proxy-'));
  // A job may run as another user: it can pass through the folder, whose name it is told, and cannot look into it.
  await chmod(folder, 0o711);
  const socketPath = join(folder, 'socket');
  const ended = new AbortController();
  const open = new Set<Duplex>();
  const reach = (url: URL): Promise<Socket> => reachPlace(url, grantsOf(places), { signal: ended.signal, open });
  const server = createServer((asked, answer) => void forward(asked, answer, reach));
  server.maxConnections = maxConnections;
  server.on('connection', (socket) => keep(socket, open));
  server.on('connect', (asked, client: Duplex, head) => void tunnel(asked, { client, head }, reach));
  server.on('clientError', (_error, socket) => socket.destroy());
  await listen(server, socketPath);
  await chmod(socketPath, 0o666);
  return {
    socketPath,
    close: async () => {
      ended.abort();
      for (const socket of open) socket.destroy();
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}

function keep(socket: Duplex, open: Set<Duplex>): void {
  open.add(socket);
  socket.once('close', () => open.delete(socket));
  socket.on('error', () => socket.destroy());
}

/** Only what is listed, and of that only public addresses, unless the address itself is listed. */
function grantsOf(places: readonly NetworkPlace[]): Grants {
  return {
    permits: ({ hostname, port, address }) =>
      places.some((place) => place.host === hostname && place.port === port) &&
      (isIP(hostname) !== 0 || addressKind(address) === 'public'),
  };
}

interface Reach {
  readonly signal: AbortSignal;
  readonly open: Set<Duplex>;
}

async function reachPlace(url: URL, grants: Grants, { signal, open }: Reach): Promise<Socket> {
  const destination = await destinationOf(url, grants, async (hostname) =>
    (await lookup(hostname, { all: true })).map(({ address }) => address),
  );
  const socket = await dial(
    { ...destination, isSecure: false },
    { timers: systemTimers, timeoutMs: dialTimeoutMs, signal },
  );
  keep(socket, open);
  return socket;
}

/** Drops what was dialled for a connection of the job that has gone meanwhile. (X2) */
function letGo(dialled: Socket, client: Duplex): boolean {
  if (!client.destroyed) return false;
  dialled.destroy();
  return true;
}

interface Tunnel {
  readonly client: Duplex;
  readonly head: Buffer;
}

/** `CONNECT host:port`: bytes both ways; what is in them is between the job and the place. */
async function tunnel(
  asked: IncomingMessage,
  { client, head }: Tunnel,
  reach: (url: URL) => Promise<Socket>,
): Promise<void> {
  try {
    // Through the parser of URLs, so that every spelling of an address is checked as that address.
    const url = readUrl(`https://${asked.url ?? ''}`);
    const socket = await reach(url);
    if (letGo(socket, client)) return;
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    if (head.length > 0) socket.write(head);
    socket.pipe(client).pipe(socket);
    socket.once('close', () => client.destroy());
    client.once('close', () => socket.destroy());
  } catch (error) {
    client.end(`HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${messageOf(error)}\n`);
  }
}

/** Headers that speak of one connection only. */
const ofConnection = new Set(['connection', 'proxy-connection', 'keep-alive', 'proxy-authorization', 'te', 'upgrade']);

/** A plain request, with its whole URL. */
async function forward(
  asked: IncomingMessage,
  answer: ServerResponse,
  reach: (url: URL) => Promise<Socket>,
): Promise<void> {
  try {
    const url = readUrl(asked.url ?? '');
    if (url.protocol !== 'http:') throw new Error('a proxy takes https: by CONNECT alone.');
    const socket = await reach(url);
    if (letGo(socket, asked.socket)) return;
    const headers = Object.entries(asked.headers).filter(([name]) => !ofConnection.has(name));
    const sent = request({
      createConnection: () => socket,
      method: asked.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(headers), host: url.host, connection: 'close' },
    });
    sent.on('response', (response) => handOn(response, answer));
    // A change of the protocol is not asked for, and not taken part in.
    sent.on('upgrade', (_response, other) => {
      other.destroy();
      answer.destroy();
    });
    sent.on('error', () => answer.destroy());
    answer.on('error', () => undefined).on('close', () => sent.destroy());
    asked.pipe(sent);
  } catch (error) {
    answer.writeHead(403, { 'Content-Type': 'text/plain', Connection: 'close' });
    answer.end(`${messageOf(error)}\n`);
  }
}

/** The answer of a place, as far as HTTP lets it be repeated. */
function handOn(response: IncomingMessage, answer: ServerResponse): void {
  const headers = Object.entries(response.headers).filter(([name]) => !ofConnection.has(name) && name !== 'trailer');
  try {
    answer.writeHead(response.statusCode ?? 0, Object.fromEntries(headers));
  } catch {
    // A status that is none.
    response.destroy();
    answer.destroy();
    return;
  }
  pipeline(response, answer, () => undefined);
}
