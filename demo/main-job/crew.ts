/**
 * The processes of a demo.
 *
 * C1 Whatever was started here is ended by `endAll`, by its own id; when the demo itself is killed, the closing of their inputs ends them.
 * C2 A process that ends when nobody asked it to raises `trouble`, with what it said.
 */
import { DemoProcess, type Ready } from './child-process.ts';

export class Crew {
  readonly #members = new Set<DemoProcess>();
  readonly #trouble = new AbortController();
  #isEnding = false;
  readonly #onWords: (name: string, words: string) => void;

  /** `onWords` hears what the processes log. */
  constructor(onWords: (name: string, words: string) => void) {
    this.#onWords = onWords;
  }

  /** Aborts with an `Error` when a process has ended by itself and badly. */
  get trouble(): AbortSignal {
    return this.#trouble.signal;
  }

  /** Starts `demo/<program>.ts` and waits until it is ready. */
  async start(program: string, args: readonly string[], name: string): Promise<{ process: DemoProcess; ready: Ready }> {
    const child = DemoProcess.spawn(program, args, { name, onWords: (words) => this.#onWords(name, words) });
    this.#members.add(child);
    void child.exited.then(({ code, signal }) => {
      const isExpected = this.#isEnding || !this.#members.delete(child) || code === 0;
      if (!isExpected) {
        this.#trouble.abort(
          new Error(`${name} ended by itself (${signal ?? `code ${code ?? 'none'}`}). ${child.complaint}`),
        );
      }
    });
    return { process: child, ready: await child.ready() };
  }

  /** `kill -9`. */
  async kill(child: DemoProcess): Promise<void> {
    this.#members.delete(child);
    await child.kill();
  }

  async endAll(): Promise<void> {
    this.#isEnding = true;
    await Promise.all([...this.#members].map((child) => child.end()));
  }
}
