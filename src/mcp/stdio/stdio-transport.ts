/**
 * The SDK's transport port over a server process. It adds what a caller with an effect law needs to know: whether a
 * request can have reached the server.
 *
 * S1 What is not a JSON-RPC message is dropped; it never ends the connection or a call.
 * S2 A response over the line limit fails the one request that it answers, with the code of wire.ts.
 * S3 A cancelled request that still waits is taken back, and the server hears neither of it nor of its cancellation.
 * S4 A request that carries a delivery key can be asked after until it is forgotten; the answer only moves forward.
 */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isRecord } from '../../util/json.ts';
import { shielded } from '../lenient-results.ts';
import { deliveryKeyOf, handOn, type RequestFacts, type Wire, wireCodes } from '../wire.ts';
import { idOfOversized, type Line } from './line-splitter.ts';
import type { Delivery } from './line-writer.ts';
import { type ServerCommand, type ServerEnd, type ServerProcess, startServer } from './server-process.ts';

export class StdioTransport implements Wire {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #command: ServerCommand;
  readonly #byKey = new Map<string, Delivery>();
  readonly #byId = new Map<number | string, Delivery>();
  #server: ServerProcess | undefined;
  #end: ServerEnd | undefined;

  constructor(command: ServerCommand) {
    this.#command = command;
  }

  get processes(): readonly number[] {
    if (this.#server === undefined || this.#end !== undefined) return [];
    return [this.#server.pid, this.#server.watchdogPid].filter((pid) => pid !== undefined);
  }

  // These two are how the SDK tells a process from a host on the network: silence of a process that is asked for its revision means an older one.
  get pid(): number | null {
    return this.#server?.pid ?? null;
  }
  get stderr(): null {
    return null;
  }

  get end(): ServerEnd | undefined {
    return this.#end;
  }

  async start(): Promise<void> {
    this.#server = await startServer(this.#command, {
      onLine: (line) => this.#receive(line),
      onEnd: (end) => {
        this.#end = end;
        this.onclose?.();
      },
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const server = this.#server;
    if (server === undefined) throw new Error('The server has not been started.');
    if (this.#takeBack(message, server)) return;
    const { delivery, done } = server.writer.write(JSON.stringify(message));
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    const key = deliveryKeyOf(message);
    if (key !== undefined) this.#byKey.set(key, delivery);
    if (id !== undefined) this.#byId.set(id, delivery);
    try {
      await done;
    } finally {
      if (id !== undefined) this.#byId.delete(id);
    }
  }

  async close(): Promise<void> {
    await this.#server?.end();
  }

  /** A process needs no goodbye: it is ended with its tree. */
  goodbye(): Promise<void> {
    return Promise.resolve();
  }

  facts(key: string): RequestFacts {
    const state = this.#byKey.get(key)?.state;
    return { evidence: state === 'underway' || state === 'written' ? 'unknown' : 'none' };
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #takeBack(message: JSONRPCMessage, server: ServerProcess): boolean {
    if (!('method' in message) || message.method !== 'notifications/cancelled') return false;
    const id = message.params?.['requestId'];
    const delivery = typeof id === 'number' || typeof id === 'string' ? this.#byId.get(id) : undefined;
    return delivery !== undefined && server.writer.withdraw(delivery);
  }

  #receive(line: Line): void {
    const message = line.kind === 'line' ? parseMessage(line.text) : answerForOversized(line);
    if (message === undefined) return;
    handOn(shielded(message), (received) => {
      try {
        this.onmessage?.(received);
      } catch (error) {
        // The SDK reports messages that it does not expect by throwing on some paths; one message must not end the stream.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }
}

function answerForOversized(line: Extract<Line, { kind: 'oversized' }>): JSONRPCMessage | undefined {
  const id = idOfOversized(line);
  if (id === undefined) return undefined;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: wireCodes.oversized, message: `The answer has ${line.sizeBytes} bytes, more than a line may have.` },
  };
}

function parseMessage(text: string): JSONRPCMessage | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isMessage(value) ? value : undefined;
}

// Enough to hand it on: the SDK checks every message against its schema itself.
function isMessage(value: unknown): value is JSONRPCMessage {
  return isRecord(value) && value['jsonrpc'] === '2.0' && ('method' in value || 'id' in value);
}
