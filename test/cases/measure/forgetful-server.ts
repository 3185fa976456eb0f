/** A server of streamable HTTP on the loopback that can forget its sessions, as one does that was started again. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { isFields } from './fields.ts';

export interface ForgetfulServer extends AsyncDisposable {
  readonly url: string;
  /** The session ids with which sessions were begun: none of them should have one. */
  readonly begun: readonly (string | undefined)[];
  /** Calls that ran. */
  readonly acted: number;
  forget(): void;
}

export async function startForgetfulServer(): Promise<ForgetfulServer> {
  const sessions = new Set<string>();
  const begun: (string | undefined)[] = [];
  let acted = 0;
  const answer = (response: ServerResponse, session: string | undefined, message: unknown): void => {
    if (!isFields(message)) return void response.writeHead(400).end();
    const { id, method, params } = message;
    const result = (value: unknown, headers: Record<string, string> = {}): void => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: value }));
    };
    if (method === 'initialize') {
      begun.push(session);
      const name = `session-${begun.length}`;
      sessions.add(name);
      const version = isFields(params) ? params['protocolVersion'] : undefined;
      const capabilities = { tools: {} };
      result(
        { protocolVersion: version, capabilities, serverInfo: { name: 'case', version: '1' } },
        { 'mcp-session-id': name },
      );
    } else if (session === undefined || !sessions.has(session)) response.writeHead(404).end();
    else if (id === undefined) response.writeHead(202).end();
    else if (method === 'tools/list') result({ tools: [{ name: 'act', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') {
      acted += 1;
      result({ content: [{ type: 'text', text: 'done' }] });
    } else result({});
  };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => {
      const session = request.headers['mcp-session-id'];
      if (request.method === 'POST') {
        answer(response, typeof session === 'string' ? session : undefined, JSON.parse(body));
      } else response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`,
    begun,
    get acted() {
      return acted;
    },
    forget: () => sessions.clear(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
