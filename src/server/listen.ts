/** A Node server around the handler: what only the wire shows is checked here, before anything else sees the request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import { wireFault } from './request/guard.ts';
import { loadNodeServer } from './load-hono.ts';
import { problemOf } from './problem.ts';

export interface ListenOptions {
  /** @defaultValue 4983; 0 takes a free one */
  readonly port?: number;
  /** @defaultValue '127.0.0.1' */
  readonly host?: string;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Without a stroke at its end. */
  readonly url: string;
  /** Takes no more connections, and ends those that are idle. Resolves when all have ended; `end` ends them. */
  readonly close: () => Promise<void>;
  readonly end: () => void;
}

const defaultPort = 4_983;

/** Connections at a time: twice the listeners that streams have room for. */
const maxConnections = 4_096;

/** True for an address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** @throws AxleError `listen-failed`, `peer-missing` */
export async function listenOn(
  fetch: (request: Request) => Promise<Response>,
  { port = defaultPort, host = '127.0.0.1' }: ListenOptions,
): Promise<Listening> {
  const { getRequestListener } = await loadNodeServer();
  const answer = getRequestListener(async (request) => fetch(request), { overrideGlobalObjects: false });
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 20_000, keepAliveTimeout: 10_000 });
  server.maxConnections = maxConnections;
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const fault = wireFault(incoming.url, incoming.rawHeaders);
    if (fault === undefined) void answer(incoming, outgoing);
    else refuse(fault, outgoing);
  });
  await listening(server, { port, host });
  const address = server.address();
  const bound = isRecord(address) && typeof address['port'] === 'number' ? address['port'] : port;
  return {
    host,
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    end: () => server.closeAllConnections(),
  };
}

async function listening(server: Server, { port, host }: Required<ListenOptions>): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host }, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    throw new AxleError('listen-failed', `Nothing can listen on ${host}, port ${port}: ${messageOf(cause)}`, { cause });
  }
}

function refuse(fault: AxleError, outgoing: ServerResponse): void {
  const problem = problemOf(fault);
  outgoing.writeHead(problem.status, {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  });
  outgoing.end(JSON.stringify(problem));
}
