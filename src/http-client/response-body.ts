/**
 * The body of a response, piece by piece, within its limits.
 *
 * B1 Bytes are counted as received and again as decompressed; at the limit the connection is dropped, and what is in memory is bounded by one piece. (L13)
 * B2 The idle limit runs only while somebody waits for the next piece: a slow reader is not the server's fault.
 * B3 A body that ends before its length says so is a failure and never a short body.
 */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { codeOf, HttpFaultError } from './http-fault.ts';
import type { HttpLimits } from './http-limits.ts';
import { type Lifetime, reasonOf, timedOut } from './lifetime.ts';

/** Yields the decoded body. Leaving the loop early drops the connection. */
export async function* bodyPieces(
  message: IncomingMessage,
  setting: { readonly isEmpty: boolean; readonly lifetime: Lifetime; readonly limits: HttpLimits },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { lifetime, limits } = setting;
  try {
    if (lifetime.signal.aborted) throw reasonOf(lifetime.signal);
    if (setting.isEmpty) return;
    const { stream, receivedBytes } = decoded(message, limits);
    const source: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
    let sizeBytes = 0;
    for (;;) {
      const next = await lifetime.within(nextOf(source, receivedBytes), {
        timeoutMs: limits.idleTimeoutMs,
        fault: timedOut(`the body stopped coming for ${limits.idleTimeoutMs} ms`),
      });
      if (next.done === true) break;
      if (!(next.value instanceof Uint8Array)) continue;
      sizeBytes += next.value.byteLength;
      if (sizeBytes > limits.maxResponseBytes) throw tooLarge(limits);
      yield next.value;
    }
    if (!message.complete) throw brokenOff(undefined);
  } catch (error) {
    if (lifetime.signal.aborted) throw reasonOf(lifetime.signal);
    throw error instanceof HttpFaultError ? error : brokenOff(error);
  } finally {
    lifetime.release();
    drop(message);
  }
}

/** No bytes at all are an empty body in every encoding, although they are none of gzip. */
async function nextOf(source: AsyncIterator<unknown>, receivedBytes: () => number): Promise<IteratorResult<unknown>> {
  try {
    return await source.next();
  } catch (error) {
    if (receivedBytes() === 0 && /^(?:Z_|ERR__)/.test(codeOf(error) ?? '')) return { done: true, value: undefined };
    throw error;
  }
}

/** Ends a response and its connection, at whatever point. */
export function drop(message: IncomingMessage): void {
  // Whoever still reads hears of it; nobody else need.
  message.on('error', () => {});
  message.destroy();
  message.socket.destroy();
}

interface Decoded {
  readonly stream: Readable;
  /** Bytes that have come so far, as they came. */
  readonly receivedBytes: () => number;
}

function decoded(message: IncomingMessage, limits: HttpLimits): Decoded {
  let sizeBytes = 0;
  const counted = new Transform({
    transform: (piece: Uint8Array, _encoding, done) => {
      sizeBytes += piece.byteLength;
      if (sizeBytes > limits.maxResponseBytes) done(tooLarge(limits));
      else done(null, piece);
    },
  });
  // An error reaches the reader through the last stream of the line.
  const ignore = (): void => {};
  const decoder = decoderOf((message.headers['content-encoding'] ?? '').trim().toLowerCase());
  return {
    stream: decoder === undefined ? pipeline(message, counted, ignore) : pipeline(message, counted, decoder, ignore),
    receivedBytes: () => sizeBytes,
  };
}

function decoderOf(coding: string): Transform | undefined {
  switch (coding) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new HttpFaultError({
        code: 'response-unreadable',
        class: 'recoverable',
        effect: 'possible',
        what: `the body is encoded as ${JSON.stringify(coding.slice(0, 40))}, which was not asked for.`,
      });
  }
}

function tooLarge(limits: Pick<HttpLimits, 'maxResponseBytes'>): HttpFaultError {
  return new HttpFaultError({
    code: 'limit-exceeded',
    class: 'recoverable',
    effect: 'possible',
    what: `the response is larger than ${limits.maxResponseBytes} bytes.`,
    advice: 'Ask for less: a page, a filter, fewer fields.',
  });
}

function brokenOff(cause: unknown): HttpFaultError {
  const code = codeOf(cause);
  const isDecoding = code !== undefined && /^(?:Z_|ERR_)/.test(code) && code !== 'ERR_STREAM_PREMATURE_CLOSE';
  return new HttpFaultError({
    code: isDecoding ? 'response-unreadable' : 'upstream-unavailable',
    class: isDecoding ? 'recoverable' : 'retryable',
    effect: isDecoding ? 'possible' : 'unknown',
    what: isDecoding
      ? `the body cannot be decompressed (${code}).`
      : `the body broke off before its end${code === undefined ? '' : ` (${code})`}.`,
    ...(cause === undefined ? {} : { cause }),
  });
}
