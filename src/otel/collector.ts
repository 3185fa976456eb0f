/**
 * A collector that takes OTLP over HTTP, in JSON.
 *
 *   sending ──answered 2xx──► sent (less what the answer says was refused)
 *     │  ▲
 *     │  └─ waited: 429, 502, 503, 504 and no answer at all are tried again, twice
 *     └──────► given up: any other answer, the third try, or the end of the time that `endWithin` leaves
 */
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { messageOf } from '../error/axle-error.ts';
import { isRecord } from '../util/json.ts';
import { retryAfterMs } from '../util/retry-after.ts';

/** Where a collector is. */
export interface CollectorOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One of the two things that the protocol calls what was refused in an answer of success. */
export type RefusedField = 'rejectedSpans' | 'rejectedDataPoints';

const timeoutMs = 10_000;
const waitsMs = [500, 2_000] as const;
/** What a collector asks for is honoured up to this. */
const longestWaitMs = 10_000;
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
/** Characters of an answer that are looked at. */
const maxAnswerChars = 65_536;

export class Collector {
  readonly #options: CollectorOptions;
  readonly #end = new AbortController();

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** Sends a body. Resolves with how many of its items the collector refused. @throws Error when it is given up */
  async send(body: Buffer, refused: RefusedField): Promise<number> {
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#post(body);
      if (answer.kind === 'answered' && answer.status >= 200 && answer.status < 300) {
        return refusedIn(answer.text, refused);
      }
      const waitMs = waitsMs[tries];
      const isFinal = answer.kind === 'answered' && !passing.has(answer.status);
      if (isFinal || waitMs === undefined || this.#end.signal.aborted) throw reasonOf(answer, this.#options.url);
      const askedMs = answer.kind === 'answered' ? askedMsOf(answer.headers) : 0;
      await this.#wait(Math.max(waitMs, Math.min(askedMs, longestWaitMs)));
    }
  }

  /** What is under way, and what is sent from now on, has this long. Returns the way to take it back. */
  endWithin(ms: number): () => void {
    const timer = setTimeout(() => this.#end.abort(), ms);
    timer.unref();
    return () => clearTimeout(timer);
  }

  async #post(body: Buffer): Promise<Answer> {
    try {
      return await this.#request(body);
    } catch (error) {
      return { kind: 'silent', error };
    }
  }

  /** With the client of Node, and a timer of its own: `fetch`, and a signal for each request, cost several times as much as sending what is sent here. */
  #request(body: Buffer): Promise<Answer> {
    const { url, headers } = this.#options;
    const { signal } = this.#end;
    const begin = url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sized = { ...headers, 'content-type': 'application/json', 'content-length': String(body.length) };
      const request = begin(url, { method: 'POST', headers: sized }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (piece: string) => {
          if (text.length <= maxAnswerChars) text += piece;
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ kind: 'answered', status: response.statusCode ?? 0, text, headers: response.headers });
        });
      });
      const giveUp = (): void => void request.destroy(new Error('Its time is over.'));
      const timer = setTimeout(giveUp, timeoutMs);
      signal.addEventListener('abort', giveUp);
      request.on('error', reject);
      request.on('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', giveUp);
      });
      if (signal.aborted) giveUp();
      else request.end(body);
    });
  }

  async #wait(ms: number): Promise<void> {
    const { signal } = this.#end;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
    });
  }
}

type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly text: string;
      readonly headers: IncomingHttpHeaders;
    }
  | { readonly kind: 'silent'; readonly error: unknown };

/** How long the collector asks to be left alone. */
function askedMsOf(headers: IncomingHttpHeaders): number {
  return retryAfterMs(new Map(Object.entries(headers).map(oneText)), undefined) ?? 0;
}

function oneText([name, value]: readonly [string, string | readonly string[] | undefined]): readonly [string, string] {
  return [name, typeof value === 'string' ? value : (value?.[0] ?? '')];
}

function reasonOf(answer: Answer, url: string): Error {
  if (answer.kind === 'answered') return new Error(`The collector at ${url} answered ${answer.status}.`);
  const { error } = answer;
  return new Error(`The collector at ${url} did not answer: ${messageOf(error)}`, { cause: error });
}

/** A collector may take a part and say so in an answer of success. What it says otherwise is its own matter. */
function refusedIn(text: string, refused: RefusedField): number {
  if (text.length > maxAnswerChars || !text.includes('partialSuccess')) return 0;
  try {
    const answer: unknown = JSON.parse(text);
    const partial = isRecord(answer) ? answer['partialSuccess'] : undefined;
    const count = isRecord(partial) ? Number(partial[refused] ?? 0) : 0;
    return Number.isSafeInteger(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}
