/** A real HTTP server on the loopback address that answers as a test says and keeps what it was sent. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isRecord } from '../../src/util/json.ts';

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as it is. */
  readonly body: unknown;
}

/** A reply, or what to do with the connection instead of replying. */
export type Behaviour = Reply | ((response: ServerResponse) => void);

export interface Loopback extends AsyncDisposable {
  readonly url: string;
  /** The bodies of all requests so far. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

const maxRequestChars = 4_000_000;

/** Starts a server that answers the first request with the first behaviour, and so on; the last one answers all further requests. */
export async function startLoopback(...behaviours: readonly [Behaviour, ...Behaviour[]]): Promise<Loopback> {
  const requests: Readonly<Record<string, unknown>>[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const parsed: unknown = JSON.parse(body);
      const behaviour = behaviours[Math.min(requests.length, behaviours.length - 1)] ?? behaviours[0];
      requests.push(isRecord(parsed) ? parsed : {});
      if (typeof behaviour === 'function') behaviour(response);
      else send(response, behaviour);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body }: Reply): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let body = '';
  // With an encoding set, chunks are texts.
  for await (const chunk of request as AsyncIterable<string>) {
    body += chunk;
    if (body.length > maxRequestChars) throw new Error('The request is too large for a test.');
  }
  return body;
}
