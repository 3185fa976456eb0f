/**
 * One job as a process of this machine: started in a group of its own, fed, listened to within a limit, and ended by time, by output or by its caller.
 *
 *     running ──exits──────────────────────────────► ended
 *        │                                             ▲
 *        └──time, memory, output, abort──► killed ─────┘   (what is inside first, where that can be told apart; then SIGKILL to the group)
 *
 * N1 The first reason to end counts; an exit that follows a kill changes nothing.
 * N2 Output is kept up to the limit and not a byte more; a job that holds its pipes open after its exit is not waited for longer than `lagMs`.
 * N3 When this process exits in order, what runs is killed.
 * N4 A process that holds others is given the time to collect them: killed with them, it would leave them to the first process of the machine, which may never do it.
 * N5 What it takes with all that it has started is looked at every `memoryEveryMs`: it may be over its limit for that long.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '../error/axle-error.ts';
import type { SandboxEnd, SandboxResult } from '../execute/sandbox/sandbox-driver.ts';
import { defined } from '../util/defined.ts';
import { notStarted } from '../execute/sandbox/not-started.ts';
import { isTreeOver } from './tree-memory.ts';

export interface ProcessPlan {
  readonly file: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  /** User and group to run as. */
  readonly userId?: number | undefined;
  readonly stdin: string;
  /** What the process can read from the descriptors 3, 4 and so on. */
  readonly descriptors?: readonly (string | Uint8Array)[];
  /** Takes what the process writes to the descriptor after those. */
  readonly onReport?: (text: string) => void;
  readonly wallMs: number;
  readonly outputBytes: number;
  /**
   * Ends what runs inside of the process, which then ends by itself and collects it; false while it is not known yet. Without it, and when it does not help, the group
   * is killed.
   */
  readonly endInside?: () => boolean;
  /** What it may take in memory with all that it starts, and the process from which on that is counted; undefined while that is not known yet. */
  readonly memory?: { readonly limitBytes: number; readonly rootId: (ownId: number) => number | undefined };
}

/** How long output may lag behind the exit, in milliseconds. */
const lagMs = 250;

/** How long what is inside may take to end, in milliseconds, and how often it is looked for before it is known. */
const patienceMs = 500;
const maxTries = 100;

/** How often memory is looked at, in milliseconds. */
const memoryEveryMs = 25;

const living = new Set<() => void>();

function killAll(): void {
  for (const kill of living) kill();
}

/** Runs one process to its end. Never throws. */
export function runProcess(plan: ProcessPlan, signal: AbortSignal): Promise<SandboxResult> {
  const startedAt = performance.now();
  if (signal.aborted) return Promise.resolve(notStarted('it was given up before it began'));
  let child: ChildProcess;
  try {
    child = start(plan);
  } catch (error) {
    return Promise.resolve(notStarted(messageOf(error)));
  }
  return new Promise((resolve) => {
    const output = new Output(plan.outputBytes, () => end({ kind: 'output-limit' }));
    let ended: SandboxEnd | undefined;
    const killGroup = (): void => {
      if (child.pid !== undefined) signalQuietly(-child.pid);
    };
    let patience: NodeJS.Timeout | undefined;
    const kill = (triesLeft: number): void => {
      if (plan.endInside === undefined || triesLeft === 0) killGroup();
      else if (plan.endInside()) patience = setTimeout(killGroup, patienceMs);
      else patience = setTimeout(() => kill(triesLeft - 1), patienceMs / maxTries);
    };
    const end = (reason: SandboxEnd): void => {
      if (ended !== undefined) return;
      ended = reason;
      kill(maxTries);
    };
    const killNow = (): void => {
      plan.endInside?.();
      killGroup();
    };
    const timer = setTimeout(() => end({ kind: 'timeout' }), plan.wallMs);
    const watch = watchMemory(plan, child, () => end({ kind: 'memory' }));
    const onAbort = (): void => end({ kind: 'killed', signal: 'SIGKILL' });
    signal.addEventListener('abort', onAbort, { once: true });
    if (living.size === 0) process.on('exit', killAll);
    living.add(killNow);
    output.read(child.stdout, 'stdout');
    output.read(child.stderr, 'stderr');
    const settle = (result: SandboxResult): void => {
      clearTimeout(timer);
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      clearTimeout(patience);
      living.delete(killNow);
      if (living.size === 0) process.off('exit', killAll);
      for (const stream of child.stdio) stream?.destroy();
      resolve(result);
    };
    child.once('error', (error) => settle(notStarted(error.message)));
    child.once('exit', (code, signalName) => {
      ended ??= endOf(code, signalName);
      const exited = ended;
      clearTimeout(patience);
      // What it left in its group ends with it, and would hold the pipes open.
      killGroup();
      const finish = (): void => {
        const usage = { wallMs: performance.now() - startedAt, outputBytes: output.sizeBytes };
        settle({ end: ended ?? exited, stdout: output.text('stdout'), stderr: output.text('stderr'), usage });
      };
      const lag = setTimeout(finish, lagMs);
      child.once('close', () => {
        clearTimeout(lag);
        finish();
      });
    });
    feed(child, plan);
  });
}

function watchMemory({ memory }: ProcessPlan, { pid }: ChildProcess, onOver: () => void): NodeJS.Timeout | undefined {
  if (memory === undefined || pid === undefined) return undefined;
  const { limitBytes, rootId } = memory;
  return setInterval(() => {
    const root = rootId(pid);
    if (root !== undefined && isTreeOver(root, limitBytes)) onOver();
  }, memoryEveryMs);
}

function start(plan: ProcessPlan): ChildProcess {
  const pipes = [...(plan.descriptors ?? []), ...(plan.onReport === undefined ? [] : [''])].map(() => 'pipe' as const);
  return spawn(plan.file, plan.arguments, {
    stdio: ['pipe', 'pipe', 'pipe', ...pipes],
    detached: process.platform !== 'win32',
    windowsHide: true,
    cwd: plan.folder,
    env: plan.environment,
    ...defined({ uid: plan.userId, gid: plan.userId }),
  });
}

function feed(child: ChildProcess, plan: ProcessPlan): void {
  // A process that ends before it has read everything is no fault: the exit says what there is to say.
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  write(child.stdin, plan.stdin);
  const descriptors = plan.descriptors ?? [];
  for (const [index, content] of descriptors.entries()) write(child.stdio[3 + index], content);
  const { onReport } = plan;
  if (onReport === undefined) return;
  const report = child.stdio[3 + descriptors.length];
  if (report !== null && report !== undefined && 'read' in report) {
    report.setEncoding('utf8').on('data', (text: string) => onReport(text));
  }
}

function write(stream: Readable | Writable | null | undefined, content: string | Uint8Array): void {
  if (stream !== null && stream !== undefined && 'end' in stream) stream.end(content);
}

/** From an exit to an end. A shell and bubblewrap report the signal that ended their child as 128 and its number. */
function endOf(code: number | null, signalName: NodeJS.Signals | null): SandboxEnd {
  const name = signalName ?? signalOf(code ?? 0);
  if (name === 'SIGXCPU') return { kind: 'cpu' };
  if (name !== undefined) return { kind: 'killed', signal: name };
  return code === 0 || code === null ? { kind: 'ok' } : { kind: 'exit', code };
}

export function signalOf(code: number): string | undefined {
  if (code <= 128) return undefined;
  return Object.entries(constants.signals).find(([, number]) => number === code - 128)?.[0];
}

function signalQuietly(target: number): void {
  try {
    process.kill(process.platform === 'win32' ? Math.abs(target) : target, 'SIGKILL');
  } catch {
    // It has ended: there is nothing left to end.
  }
}

/** Standard output and standard error, which share one limit. */
export class Output {
  sizeBytes = 0;
  readonly #limitBytes: number;
  readonly #onFull: () => void;
  readonly #chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };

  constructor(limitBytes: number, onFull: () => void) {
    this.#limitBytes = limitBytes;
    this.#onFull = onFull;
  }

  read(stream: Readable | null, name: 'stdout' | 'stderr'): void {
    stream?.on('data', (chunk: Buffer) => this.push(name, chunk));
  }

  push(name: 'stdout' | 'stderr', chunk: Buffer): void {
    const left = this.#limitBytes - this.sizeBytes;
    if (left > 0) this.#chunks[name].push(chunk.subarray(0, left));
    this.sizeBytes += Math.min(left, chunk.length);
    if (chunk.length > left) this.#onFull();
  }

  text(name: 'stdout' | 'stderr'): string {
    return Buffer.concat(this.#chunks[name]).toString('utf8');
  }
}
