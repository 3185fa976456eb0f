/** A loopback server that answers every request with one recording: its events as they were sent, or its status and body. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { type Fields, isFields } from './fields.ts';

export interface RecordingServer extends AsyncDisposable {
  readonly url: string;
}

/** How the events of a recording stand on the wire. */
export type Wire = 'sse' | 'aws-event-stream';

export async function serveRecording(recording: Fields, wire: Wire): Promise<RecordingServer> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      if (Array.isArray(recording['chunks'])) sendEvents(response, recording['chunks'], wire);
      else sendBody(response, recording);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function sendBody(response: ServerResponse, { status, headers, body }: Fields): void {
  response.writeHead(typeof status === 'number' ? status : 200, {
    'content-type': 'application/json',
    ...(isFields(headers) ? (headers as Record<string, string>) : {}),
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function sendEvents(response: ServerResponse, chunks: readonly unknown[], wire: Wire): void {
  const isSse = wire === 'sse';
  response.writeHead(200, { 'content-type': isSse ? 'text/event-stream' : 'application/vnd.amazon.eventstream' });
  for (const chunk of chunks) response.write(isSse ? sseEvent(chunk) : awsEvent(chunk));
  response.end(isSse && chunks.at(-1) !== '[DONE]' ? 'data: [DONE]\n\n' : undefined);
}

/** Events that carry their name in `type` are sent under it, as Anthropic and OpenAI do; a text is sent as it is. */
function sseEvent(chunk: unknown): string {
  if (typeof chunk === 'string') return `data: ${chunk}\n\n`;
  const name = isFields(chunk) && typeof chunk['type'] === 'string' ? `event: ${chunk['type']}\n` : '';
  return `${name}data: ${JSON.stringify(chunk)}\n\n`;
}

/** One message of the AWS event stream: lengths, headers, payload, and a checksum of each part. */
function awsEvent(chunk: unknown): Buffer {
  const [name = '', payload = {}] = isFields(chunk) ? (Object.entries(chunk)[0] ?? []) : [];
  const headers = Buffer.concat([
    awsHeader(':message-type', 'event'),
    awsHeader(':event-type', name),
    awsHeader(':content-type', 'application/json'),
  ]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + body.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const checked = Buffer.concat([prelude, checksum(prelude), headers, body]);
  return Buffer.concat([checked, checksum(checked)]);
}

const textHeader = 7;

function awsHeader(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([textHeader]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes) >>> 0);
  return sum;
}
