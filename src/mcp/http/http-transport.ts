/**
 * The SDK's transport for streamable HTTP, and around it what the effect law needs: whether a request can have reached the server, and an end to every wait.
 *
 * H1 A request counts as not sent only when its first connection was refused, or never made; as not looked at, when its session is unknown (404).
 * H2 A stream that ends without the answer fails the request at once; the SDK alone would wait for its time limit.
 * H3 Nothing follows a redirect to another host, and an answer over the limit fails the one request that it answers.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type {
  JSONRPCMessage,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import { isToolError } from '../../contract/tool-error.ts';
import { retryAfterMs } from '../../util/retry-after.ts';
import { shielded } from '../lenient-results.ts';
import {
  deliveryKeyOf,
  handOn,
  type HttpRefusal,
  type RequestFacts,
  type Wire,
  type WireEvidence,
  wireCodes,
} from '../wire.ts';
import { answerLimitBytes, limitedResponse } from './response-limit.ts';

/** `fetch` that dials only what may be dialled, and says of its failures whether anything was sent. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface HttpTransportOptions {
  readonly url: URL;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly Transport: typeof StreamableHTTPClientTransport;
}

interface Delivery {
  /** Ends what is open of it when nobody waits any more. */
  readonly over: AbortController;
  evidence: WireEvidence;
  fetches: number;
  refusal: HttpRefusal | undefined;
  isOversized: boolean;
}

/** Carries the delivery key from `send` to `fetch`; it never leaves. */
const keyHeader = 'axle-delivery';
const goodbyeLimitMs = 2_000;

export class HttpTransport implements Wire {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly hasPerRequestStream = true;
  readonly end = undefined;
  readonly processes: readonly number[] = [];
  readonly #options: HttpTransportOptions;
  readonly #inner: StreamableHTTPClientTransport;
  readonly #byKey = new Map<string, Delivery>();

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#inner = new options.Transport(options.url, {
      fetch: (url, init) => this.#fetch(url, init),
      requestInit: { headers: { ...options.headers } },
      onInsufficientScope: 'throw',
    });
  }

  get sessionId(): string | undefined {
    return this.#inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion(version);
  }

  start(): Promise<void> {
    this.#inner.onmessage = (message) => handOn(shielded(message), (received) => this.onmessage?.(received));
    this.#inner.onclose = () => this.onclose?.();
    this.#inner.onerror = (error) => this.onerror?.(error);
    return this.#inner.start();
  }

  send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const { requestSignal, onRequestStreamEnd, headers } = options;
    const key = deliveryKeyOf(message);
    const over = new AbortController();
    if (key !== undefined) {
      this.#byKey.set(key, { over, evidence: 'none', fetches: 0, refusal: undefined, isOversized: false });
    }
    return this.#inner.send(message, {
      requestSignal: requestSignal === undefined ? over.signal : AbortSignal.any([requestSignal, over.signal]),
      headers: { ...headers, ...(key === undefined ? {} : { [keyHeader]: key }) },
      onRequestStreamEnd: onRequestStreamEnd ?? (() => this.#cutOff(message, key)),
    });
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  async goodbye(): Promise<void> {
    const late = delay(goodbyeLimitMs, undefined, { ref: false });
    await Promise.race([this.#inner.terminateSession().catch(() => undefined), late]);
  }

  facts(key: string): RequestFacts {
    const delivery = this.#byKey.get(key);
    if (delivery === undefined) return { evidence: 'none' };
    const { evidence, refusal, isOversized } = delivery;
    return {
      evidence,
      ...(refusal === undefined ? {} : { refusal }),
      isOversized,
    };
  }

  forget(key: string): void {
    this.#byKey.get(key)?.over.abort();
    this.#byKey.delete(key);
  }

  /** Answers a request in the server's place, whose stream is over (H2). */
  #cutOff(message: JSONRPCMessage, key: string | undefined): void {
    if (!('method' in message) || !('id' in message)) return;
    const isOversized = key !== undefined && this.#byKey.get(key)?.isOversized === true;
    const error = isOversized
      ? { code: wireCodes.oversized, message: `The answer has more than ${answerLimitBytes} bytes.` }
      : { code: wireCodes.cutOff, message: 'the stream on which the answer was to come ended without it.' };
    this.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
  }

  async #fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    const key = headers.get(keyHeader);
    headers.delete(keyHeader);
    const delivery = key === null ? undefined : this.#byKey.get(key);
    if (delivery !== undefined) {
      delivery.fetches += 1;
      delivery.evidence = 'unknown';
      delivery.refusal = undefined;
    }
    let response: Response;
    try {
      response = await this.#options.fetch(url, { ...init, headers });
    } catch (error) {
      if (delivery?.fetches === 1 && isToolError(error) && error.effect === 'none') delivery.evidence = 'none';
      throw error;
    }
    if (delivery !== undefined && !response.ok) {
      const sessionExpired = response.status === 404 && headers.has('mcp-session-id');
      const waitMs = retryAfterMs(new Map(response.headers), Date.now());
      delivery.refusal = {
        status: response.status,
        sessionExpired,
        ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
      };
    }
    return limitedResponse(response, answerLimitBytes, () => {
      if (delivery !== undefined) delivery.isOversized = true;
    });
  }
}
