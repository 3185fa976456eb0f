/** A server that answers byte by byte as a test says, so that it can also answer as no server should, and keeps what it was sent. */
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

/** Called for each request with its whole text (head and body) and the connection. */
export type Answer = (socket: Socket, request: string) => void;

export interface RawServer extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The text of each request, in order. */
  readonly requests: readonly string[];
  /** Connections that were opened, those without a request included. */
  readonly connections: number;
  /** Connections that are open now. */
  readonly open: ReadonlySet<Socket>;
}

export interface RawServerOptions {
  readonly host?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Called for each connection; for what happens before a request has come. */
  readonly onConnection?: (socket: Socket) => void;
}

export async function startRawServer(answer: Answer, options: RawServerOptions = {}): Promise<RawServer> {
  const requests: string[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const onSocket = (socket: Socket): void => {
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (!isWhole(text)) return;
      requests.push(text);
      const whole = text;
      text = '';
      answer(socket, whole);
    });
  };
  const server: Server =
    options.tls === undefined ? createServer(onSocket) : createTlsServer({ ...options.tls }, onSocket);
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
    options.onConnection?.(socket);
  });
  const host = options.host ?? '127.0.0.1';
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    port: address.port,
    url: `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    requests,
    get connections() {
      return connections;
    },
    open,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length >= end + 4 + length;
}

/** A whole response as bytes of HTTP. */
export function reply(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: string | Uint8Array = '',
): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const lines = Object.entries({ 'content-length': String(bytes.byteLength), ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Any\r\n${lines.join('')}\r\n`), bytes]);
}

/** Answers every request alike, and closes. */
export function always(...parts: Parameters<typeof reply>): Answer {
  return (socket) => socket.end(reply(...parts));
}
