/**
 * A process that the demo starts: it says in one line of JSON when it is ready, and it ends when the demo lets go of its input, which
 * the operating system does for us when the demo itself is killed.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../src/util/json.ts';

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The time that a process gets to be ready. */
const readyWithinMs = 30_000;
/** The time that a process gets to end in order, before it is killed. */
const endWithinMs = 2_000;
/** How many lines are kept of what a process wrote to standard error. */
const keptLines = 40;

export interface Listener {
  /** How the process is called at the beginning of a sentence. */
  readonly name: string;
  /** Hears each line of its log, in words. */
  readonly onWords: (words: string) => void;
}

export class DemoProcess {
  readonly name: string;
  readonly pid: number;
  /** Resolves when the process is gone; never rejects. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #said: string[] = [];

  private constructor({ name, onWords }: Listener, child: ChildProcessByStdio<Writable, Readable, Readable>) {
    this.name = name;
    this.pid = child.pid ?? 0;
    this.#child = child;
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
      child.once('error', (error) => {
        this.#said.push(error.message);
        resolve({ code: null, signal: null });
      });
    });
    // Writing is never needed, and a process that is gone must not bring down the demo.
    child.stdin.on('error', () => undefined);
    createInterface({ input: child.stderr }).on('line', (line) => {
      const words = wordsOfLog(line);
      if (words !== undefined) onWords(words);
      this.#said.push(words ?? line.trim());
      this.#said.splice(0, this.#said.length - keptLines);
    });
  }

  /** Starts `demo/<program>.ts`. */
  static spawn(program: string, args: readonly string[], listener: Listener): DemoProcess {
    const file = fileURLToPath(new URL(`../${program}.ts`, import.meta.url));
    return new DemoProcess(listener, spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'pipe'] }));
  }

  /** The first line of the process. Called once. @throws Error with what it said, when it ends or takes too long. */
  async ready(): Promise<Ready> {
    const line = once(createInterface({ input: this.#child.stdout }), 'line', {
      signal: AbortSignal.timeout(readyWithinMs),
    });
    const first = await Promise.race([
      line.then(([text]) => String(text)).catch(() => undefined),
      this.exited.then(() => undefined),
    ]);
    if (first !== undefined) return new Ready(this.name, JSON.parse(first));
    await this.kill();
    throw new Error(`${this.name} did not start. ${this.complaint}`);
  }

  /** What the process said about its trouble, in one line. */
  get complaint(): string {
    const isTelling = (line: string): boolean => /Error\b.*:|ENOSPC|EACCES|EADDRINUSE/.test(line);
    const telling = this.#said.find(isTelling) ?? this.#said.findLast((line) => line !== '');
    return telling ?? 'It said nothing.';
  }

  /** `kill -9`. Resolves when the process is gone. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.exited;
  }

  /** Lets go of the process, and kills it when it stays. */
  async end(): Promise<void> {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endWithinMs);
    await this.exited;
    clearTimeout(timer);
  }
}

/** The line with which a process says that it is ready. */
export class Ready {
  readonly #name: string;
  readonly #value: unknown;

  constructor(name: string, value: unknown) {
    this.#name = name;
    this.#value = value;
  }

  text(field: string): string {
    const value = this.#field(field);
    if (typeof value !== 'string') throw new Error(`${this.#name} did not say its ${field}.`);
    return value;
  }

  number(field: string): number {
    const value = this.#field(field);
    if (typeof value !== 'number') throw new Error(`${this.#name} did not say its ${field}.`);
    return value;
  }

  #field(field: string): unknown {
    return isRecord(this.#value) ? this.#value[field] : undefined;
  }
}

/** What a line of a structured log says; undefined for any other line. */
function wordsOfLog(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || typeof value['message'] !== 'string') return undefined;
    return typeof value['reason'] === 'string' ? `${value['message']} ${value['reason']}` : value['message'];
  } catch {
    return undefined;
  }
}
