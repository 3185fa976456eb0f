/** A program of the kill tests as the harness holds it: started, spoken to, killed. */
import { type ChildProcess, fork } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Order, type ProgramOptions, type Report, toReport } from './programs/messages.ts';

export interface ChildOptions {
  readonly program: 'worker' | 'client' | 'ledger';
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly onReport: (report: Report) => void;
}

export interface Ending {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
}

/** Standard error of a program is kept up to this length. */
const maxKeptChars = 20_000;

export class Child {
  /** Resolves when the process is gone. */
  readonly ended: Promise<Ending>;
  readonly #process: ChildProcess;
  readonly #heard = new Set<string>();
  readonly #listeners = new Map<string, (() => void)[]>();
  #errorText = '';
  #isGone = false;

  constructor({ program, words, environment = {}, onReport }: ChildOptions) {
    const isOurs = program !== 'ledger';
    const hook = fileURLToPath(new URL('./crashpoint-hook.ts', import.meta.url));
    this.#process = fork(fileURLToPath(new URL(`./programs/${program}.ts`, import.meta.url)), [...words], {
      execArgv: isOurs ? ['--import', hook] : [],
      env: { ...process.env, NODE_OPTIONS: '', ...environment },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errorText = `${this.#errorText}${text}`.slice(-maxKeptChars);
    });
    this.#process.on('message', (value) => {
      const report = toReport(value);
      if (report === undefined) return;
      onReport(report);
      this.#heard.add(report.kind);
      for (const resolve of this.#listeners.get(report.kind)?.splice(0) ?? []) resolve();
    });
    this.ended = new Promise((resolve) => {
      this.#process.on('close', (code, signal) => {
        this.#isGone = true;
        for (const listeners of this.#listeners.values()) for (const done of listeners) done();
        resolve({ code, signal });
      });
    });
    this.#process.on('error', () => {});
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** What it wrote to standard error. */
  get errorText(): string {
    return this.#errorText;
  }

  /** True when the process took the order into its channel; whether it obeys is told by its reports. */
  order(order: Order): boolean {
    if (!this.#process.connected) return false;
    this.#process.send(order, () => {
      // A process that is killed meanwhile hears nothing; what it did not acknowledge is asked for again.
    });
    return true;
  }

  /** Resolves when it has reported `kind` once, or is gone; true for the first. */
  async heard(kind: Report['kind']): Promise<boolean> {
    if (!this.#heard.has(kind) && !this.#isGone) {
      await new Promise<void>((resolve) => {
        this.#listeners.set(kind, [...(this.#listeners.get(kind) ?? []), resolve]);
      });
    }
    return this.#heard.has(kind);
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    if (!this.#isGone) this.#process.kill(signal);
  }

  async kill(): Promise<Ending> {
    this.signal('SIGKILL');
    return this.ended;
  }
}

/** Starts a driver or a client with its options. */
export function startProgram(
  program: 'worker' | 'client',
  options: ProgramOptions,
  rest: Omit<ChildOptions, 'program' | 'words'>,
): Child {
  return new Child({ program, words: [JSON.stringify(options)], ...rest });
}
