/** Speaks to a container engine over its socket, by HTTP: the few requests that a job needs. No client program is asked, since its exit codes mean two things. */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isRecord } from '../../util/json.ts';

/** The engine said no, or cannot be spoken to. */
export class EngineFault extends Error {
  override readonly name = 'EngineFault';
  /** 0 when there was no answer. */
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
  }
}

interface EngineRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** Sent as it is, in place of `body`. */
  readonly archive?: Readable;
  /** Milliseconds without a byte after which the request is given up. @defaultValue 30,000 */
  readonly idleMs?: number;
}

/** An answer longer than this is not the engine's. */
const maxAnswerBytes = 16 * 1024 * 1024;

export class EngineClient {
  readonly #socketPath: string;

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** The answer as JSON, as text where it is none. @throws EngineFault */
  async ask({ method, path, body, archive, idleMs = 30_000 }: EngineRequest): Promise<unknown> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const { status, answer } = await new Promise<{ status: number; answer: string }>((resolve, reject) => {
      const fail = (error: Error): void =>
        reject(new EngineFault(0, `the engine does not answer: ${error.message}`, error));
      const asked = request({
        socketPath: this.#socketPath,
        method,
        path,
        headers: {
          Host: 'engine',
          ...(text === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
          ...(archive === undefined ? {} : { 'Content-Type': 'application/x-tar' }),
        },
      });
      asked.setTimeout(idleMs, () => asked.destroy(new Error(`nothing came for ${idleMs} ms`)));
      asked.on('error', fail);
      asked.on('response', (response) => {
        let received = '';
        response.setEncoding('utf8').on('error', fail);
        response.on('data', (part: string) => {
          received += part;
          if (received.length > maxAnswerBytes) asked.destroy(new Error('the answer is too long'));
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, answer: received }));
      });
      if (archive === undefined) asked.end(text);
      else pipeline(archive, asked).catch(fail);
    });
    const value = parsed(answer);
    if (status >= 200 && status < 300) return value;
    const message = isRecord(value) && typeof value['message'] === 'string' ? value['message'] : answer.trim();
    throw new EngineFault(status, message === '' ? `the engine answered ${status}` : message);
  }

  /** The streams of a container as one connection, before it is started. @throws EngineFault */
  attach(id: string): Promise<{ readonly socket: Socket; readonly head: Buffer }> {
    return new Promise((resolve, reject) => {
      const asked = request({
        socketPath: this.#socketPath,
        method: 'POST',
        path: `/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
        headers: { Host: 'engine', Connection: 'Upgrade', Upgrade: 'tcp' },
      });
      asked.on('error', (error) => reject(new EngineFault(0, `the engine does not answer: ${error.message}`, error)));
      asked.on('upgrade', (_response, socket, head) => {
        // Node types it as a stream; over a socket it is one.
        if ('setTimeout' in socket) resolve({ socket, head });
        else reject(new EngineFault(0, 'the engine gave no connection to attach to'));
      });
      asked.on('response', (response) => {
        response.resume();
        reject(new EngineFault(response.statusCode ?? 0, `the engine refused to attach: ${response.statusCode ?? 0}`));
      });
      asked.end();
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
