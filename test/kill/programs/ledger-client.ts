/** How tools and people reach the ledger: HTTP over its Unix socket, a connection for each request. */
import { Agent, request } from 'node:http';
import type { EffectAnswer, EffectRequest, HappenedAnswer, HappenedRequest } from './ledger-lines.ts';

/** An answer with another status than 200. */
export class LedgerRefusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The ledger answered ${status}.`);
    this.status = status;
  }
}

export class LedgerClient {
  readonly #socketPath: string;
  // A kept connection may be closed by the other side just when the next request is sent, which then looks like a lost answer.
  readonly #agent = new Agent({ keepAlive: false });

  constructor(socketPath: string) {
    this.#socketPath = socketPath;
  }

  /** @throws LedgerRefusal, or the error of the connection */
  async effect(effect: EffectRequest, signal?: AbortSignal): Promise<EffectAnswer> {
    // The ledger's answers have the forms of `ledger-lines.ts`.
    return (await this.#post('/effect', effect, signal)) as EffectAnswer;
  }

  async happened(call: HappenedRequest, signal?: AbortSignal): Promise<HappenedAnswer> {
    return (await this.#post('/happened', call, signal)) as HappenedAnswer;
  }

  #post(path: string, body: object, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const options = {
        socketPath: this.#socketPath,
        path,
        method: 'POST',
        agent: this.#agent,
        ...(signal === undefined ? {} : { signal }),
      };
      const sent = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new LedgerRefusal(response.statusCode ?? 0));
        });
      });
      sent.on('error', reject);
      sent.end(JSON.stringify(body));
    });
  }
}
