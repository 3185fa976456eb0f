/** Real second processes: a fixture in its own Node. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`fixtures/${name}.ts`, import.meta.url));
}

/** Node as fixtures are started with it: older versions warn of `node:sqlite`, and what a fixture writes to standard error is looked at. */
export const nodeOptions = ['--disable-warning=ExperimentalWarning'] as const;

/** How a process ended and what it said. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, while this process goes on reading from others. */
export async function runToEnd(command: string, words: readonly string[]): Promise<Ended> {
  const child = spawn(command, words, { timeout: 15_000, killSignal: 'SIGKILL' });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data) => (stdout += String(data)));
  child.stderr.on('data', (data) => (stderr += String(data)));
  await once(child, 'close');
  return { status: child.exitCode, stdout, stderr };
}

/** Runs a fixture to its end. */
export function runFixture(name: string, ...words: readonly string[]): Promise<Ended> {
  return runToEnd(process.execPath, [...nodeOptions, fixturePath(name), ...words]);
}

/** A fixture that runs until it is killed; its lines are kept. */
export class RunningFixture {
  readonly lines: string[] = [];
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly closed: Promise<unknown>;
  private waiting: { readonly prefix: string; readonly resolve: () => void }[] = [];
  private errors = '';

  constructor(name: string, ...words: readonly string[]) {
    this.child = spawn(process.execPath, [...nodeOptions, fixturePath(name), ...words]);
    this.closed = once(this.child, 'close');
    this.child.stderr.on('data', (data) => (this.errors += String(data)));
    createInterface(this.child.stdout).on('line', (line) => {
      this.lines.push(line);
      for (const waiter of this.waiting.filter(({ prefix }) => line.startsWith(prefix))) waiter.resolve();
      this.waiting = this.waiting.filter(({ prefix }) => !line.startsWith(prefix));
    });
  }

  /** Resolves at a line that begins so, also one of the past. @throws Error with its standard error when the fixture ends before. */
  async said(prefix: string): Promise<void> {
    if (this.lines.some((line) => line.startsWith(prefix))) return;
    const line = new Promise<void>((resolve) => {
      this.waiting.push({ prefix, resolve });
    });
    const end = this.closed.then(() => {
      throw new Error(`The process ended without saying "${prefix}": ${this.errors}`);
    });
    await Promise.race([line, end]);
  }

  /** Kills it, as nothing else can. Resolves when it is gone and its last line is read. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.closed;
  }
}
