/**
 * One server as a process: started in a group of its own, spoken to in lines, and ended with everything that it started.
 *
 *     running ──► ending ──► ended
 *
 * running: from the start to the first of: `end()`, exit of the process, end of its standard output.
 * ending:  standard input is closed, then SIGTERM, then SIGKILL, each to the whole tree, each after a grace of its own.
 * ended:   nothing of the tree lives, and the watchdog has been sent home.
 *
 * P1 `onLine` is not called after `onEnd`, and `onEnd` is called exactly once: at once when the process is gone or asked to go, not
 *    when its tree is.
 * P2 What the server wrote before it exited is read before `onEnd`, unless a child of it holds the pipe open.
 * P3 No tree outlives its host: an orderly exit kills it in a hook, `kill -9` of the host leaves it to the watchdog.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { AxleError } from '../../error/axle-error.ts';
import { type Line, LineSplitter } from './line-splitter.ts';
import { LineWriter } from './line-writer.ts';
import { findTree, markName, type SeenProcess, signalTree, treeLives, type TreeRoot } from './process-tree.ts';
import { type Watchdog, watch } from './watchdog.ts';
import { defined } from '../../util/defined.ts';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Why a server is no longer there. */
export interface ServerEnd {
  readonly asked: boolean;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The last lines of its standard error. */
  readonly stderr: string;
}

export interface ServerListener {
  readonly onLine: (line: Line) => void;
  readonly onEnd: (end: ServerEnd) => void;
}

/** The longest line that a server may write, in bytes. */
const lineLimitBytes = 16 * 1024 * 1024;
const stderrKeptBytes = 8 * 1024;

/** How long a tree is given, in milliseconds, after its input closed, after SIGTERM, and after SIGKILL; and how long output may lag behind the exit. */
const graceMs = { input: 500, terminate: 1_000, kill: 2_000, output: 250 } as const;
const pollMs = 20;

type Mode = 'running' | 'ending' | 'ended';

const living = new Set<ServerProcess>();

function killAll(): void {
  for (const server of living) server.killNow();
}

/** Starts a server. @throws AxleError `mcp-unavailable` when the command cannot be run. */
export async function startServer(command: ServerCommand, listener: ServerListener): Promise<ServerProcess> {
  const mark = randomUUID();
  const child = spawn(command.command, command.args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    env: { ...command.environment, [markName]: mark },
    ...defined({ cwd: command.cwd }),
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new AxleError('mcp-unavailable', `The MCP server '${command.command}' could not be started: ${cause.message}`, {
          cause,
        }),
      );
    });
    child.once('spawn', () => resolve(child.pid ?? 0));
  });
  return new ServerProcess(child, { pid, mark }, listener);
}

export class ServerProcess {
  readonly writer: LineWriter;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #root: TreeRoot;
  readonly #listener: ServerListener;
  readonly #watchdog: Watchdog;
  readonly #exited: Promise<void>;
  /** Exited, and all of its output read. */
  readonly #closed: Promise<void>;
  #mode: Mode = 'running';
  #asked = false;
  #told = false;
  #stderr = '';
  #gone: Promise<void> = Promise.resolve();

  constructor(child: ChildProcessWithoutNullStreams, root: TreeRoot, listener: ServerListener) {
    this.#child = child;
    this.#root = root;
    this.#listener = listener;
    this.#watchdog = watch(root);
    this.writer = new LineWriter(child.stdin);
    if (living.size === 0) process.on('exit', killAll);
    living.add(this);
    this.#exited = happening(child, 'exit');
    // Asked for here, since both events may come in one turn.
    this.#closed = happening(child, 'close');
    this.#read();
    void this.#exited.then(() => this.#startEnding());
  }

  get pid(): number {
    return this.#root.pid;
  }

  /** The watchdog's process, for whoever wants to see that it goes home. */
  get watchdogPid(): number | undefined {
    return this.#watchdog.pid;
  }

  /** Ends the server and all that it started. Resolves when nothing of it lives. */
  end(): Promise<void> {
    this.#asked = true;
    this.#startEnding();
    return this.#gone;
  }

  /** Kills what can be found, at once and without waiting: for the moment when the host exits. */
  killNow(): void {
    signalTree(this.#root, findTree(this.#root), 'SIGKILL');
  }

  #read(): void {
    const splitter = new LineSplitter(lineLimitBytes);
    this.#child.stdout.on('data', (chunk: Buffer) => {
      for (const line of splitter.push(chunk)) if (!this.#told) this.#listener.onLine(line);
    });
    // A server that closes its output cannot answer any more, whether it runs on or not.
    this.#child.stdout.once('end', () => this.#startEnding());
    this.#child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-stderrKeptBytes);
    });
    // A broken pipe shows as the failure of the write it hit, and as the exit; there is nobody else to tell.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) {
      stream.on('error', () => undefined);
    }
  }

  #startEnding(): void {
    if (this.#mode !== 'running') return;
    this.#mode = 'ending';
    this.writer.close();
    this.#gone = Promise.all([this.#tell(), this.#endTree()]).then(() => undefined);
  }

  /** Tells the listener as soon as no more output can come. */
  async #tell(): Promise<void> {
    // One that is asked to end may have died by itself a moment before: its exit and its last words are worth a short wait.
    const limitMs = this.#asked ? graceMs.output : graceMs.input;
    await Promise.race([this.#closed, this.#exited.then(() => delay(graceMs.output)), delay(limitMs)]);
    this.#told = true;
    const { exitCode: code, signalCode: signal } = this.#child;
    this.#listener.onEnd({ asked: this.#asked, code, signal, stderr: this.#stderr });
  }

  async #endTree(): Promise<void> {
    let seen = findTree(this.#root);
    this.#child.stdin.end();
    // What a server leaves behind when it exits does not listen to the input that it had.
    if (!(await this.#isGone(seen, this.#hasExited() ? 0 : graceMs.input))) {
      seen = findTree(this.#root, seen);
      signalTree(this.#root, seen, 'SIGTERM');
      if (!(await this.#isGone(seen, graceMs.terminate))) {
        seen = findTree(this.#root, seen);
        signalTree(this.#root, seen, 'SIGKILL');
        await this.#isGone(seen, graceMs.kill);
      }
    }
    // A process that left every sign behind may still hold the pipes; nothing of it is read any more.
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
    await this.#watchdog.dismiss();
    this.#mode = 'ended';
    living.delete(this);
    if (living.size === 0) process.off('exit', killAll);
  }

  async #isGone(seen: readonly SeenProcess[], limitMs: number): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += pollMs) {
      if (this.#hasExited() && !treeLives(this.#root, seen)) return true;
      await Promise.race([this.#hasExited() ? delay(pollMs) : this.#exited, delay(pollMs)]);
    }
    return this.#hasExited() && !treeLives(this.#root, seen);
  }

  #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}

/** Resolves when an event of a process comes. Unlike `once` of node:events it never rejects. */
function happening(child: ChildProcessWithoutNullStreams, event: 'exit' | 'close'): Promise<void> {
  return new Promise((resolve) => {
    child.once(event, () => resolve());
  });
}
