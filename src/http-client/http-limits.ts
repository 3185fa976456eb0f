/** How much and how long a request may take. Each limit that is reached is an error with a code. */
import { AxleError } from '../error/axle-error.ts';
import { longestWaitMs } from '../util/system-clock.ts';

export interface HttpLimits {
  /** Resolution, connection and TLS of one hop. @defaultValue 10 s */
  readonly connectTimeoutMs: number;
  /** From the first byte sent to the last header received, of one hop. @defaultValue 30 s */
  readonly responseTimeoutMs: number;
  /** Between two pieces of a body. @defaultValue 30 s */
  readonly idleTimeoutMs: number;
  /** From the call to the last byte of the body, redirects included; up to 366 days, for streams. @defaultValue 60 s */
  readonly totalTimeoutMs: number;
  /** Bytes of a response's body, both as received and after decompression. @defaultValue 8 MiB */
  readonly maxResponseBytes: number;
  /** Bytes of a request's body. @defaultValue 8 MiB */
  readonly maxRequestBytes: number;
  /** Bytes of all headers of a response together. @defaultValue 32 KiB */
  readonly maxHeaderBytes: number;
  /** Redirects that are followed, 0 to 20; with 0 a redirect is a response like any other. @defaultValue 5 */
  readonly maxRedirects: number;
}

const defaultHttpLimits: HttpLimits = {
  connectTimeoutMs: 10_000,
  responseTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  maxResponseBytes: 8 * 1_048_576,
  maxRequestBytes: 8 * 1_048_576,
  maxHeaderBytes: 32_768,
  maxRedirects: 5,
};

const ranges: Readonly<Record<keyof HttpLimits, readonly [from: number, to: number]>> = {
  connectTimeoutMs: [1, longestWaitMs],
  responseTimeoutMs: [1, longestWaitMs],
  idleTimeoutMs: [1, longestWaitMs],
  totalTimeoutMs: [1, longestWaitMs],
  maxResponseBytes: [0, Number.MAX_SAFE_INTEGER],
  maxRequestBytes: [0, Number.MAX_SAFE_INTEGER],
  maxHeaderBytes: [1_024, 1_048_576],
  maxRedirects: [0, 20],
};

/** @throws AxleError `configuration-invalid` */
export function readHttpLimits(given: Partial<HttpLimits>, base: HttpLimits = defaultHttpLimits): HttpLimits {
  const limits: Record<string, number> = { ...base };
  for (const [name, value] of Object.entries(given)) {
    const range = isLimit(name) ? ranges[name] : undefined;
    if (range === undefined) throw invalid(`${name} is no limit`);
    const [from, to] = range;
    if (!Number.isSafeInteger(value) || value < from || value > to) {
      throw invalid(`${name} must be a whole number from ${from} to ${to}, not ${String(value)}`);
    }
    limits[name] = value;
  }
  return { ...base, ...limits };
}

function isLimit(name: string): name is keyof HttpLimits {
  return Object.hasOwn(ranges, name);
}

function invalid(what: string): AxleError {
  return new AxleError('configuration-invalid', `The limits of an HTTP request: ${what}.`);
}
