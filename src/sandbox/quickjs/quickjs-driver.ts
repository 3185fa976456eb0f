/**
 * The sandbox driver `quickjs`: JavaScript in an engine that has the language and nothing else. Runs wherever Node does.
 *
 * K1 A thread for each job, with no variable of the host; it is ended with its job, in the middle of a loop if need be.
 * K2 The engine is WebAssembly inside of that thread: what breaks out of the language is still inside of a memory of its own.
 */
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../../error/axle-error.ts';
import type { SandboxDriver, SandboxEnd, SandboxJob, SandboxResult } from '../../execute/sandbox/sandbox-driver.ts';
import { proveSource } from '../escape/source-probes.ts';
import { notStarted } from '../../execute/sandbox/not-started.ts';
import { Running } from '../running.ts';
import type { SourceAnswer, SourceRequest } from './quickjs-worker.ts';

/** The line that installs the engine, an optional peer. */
const installLine = 'npm install quickjs-emscripten@0.32.0';

/** Makes the driver. It holds nothing until a job runs. */
export function quickjs(): SandboxDriver {
  const running = new Running();
  const driver: SandboxDriver = {
    id: 'quickjs',
    runs: 'source',
    startMs: 150,
    isBoundary: true,
    grantsNetwork: false,
    probe: (options = {}) => proveSource(driver, options.thorough === true),
    run: (job, signal) => running.add(signal, (ended) => runJob(job, ended)),
    close: () => running.close(),
  };
  return driver;
}

async function runJob(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
  if (job.code.kind !== 'source') return notStarted('it takes JavaScript source, and no command');
  if (signal.aborted) return notStarted('it was given up before it began');
  const { memoryBytes, outputBytes, cpuMs } = job.limits;
  const startedAt = performance.now();
  const request: SourceRequest = { source: job.code.source, input: job.stdin, memoryBytes, outputBytes };
  const worker = startWorker(request);
  const answer = await new Promise<SourceAnswer | SandboxEnd>((resolve) => {
    // One thread: processor time is no more than what the clock shows.
    const limit: SandboxEnd = cpuMs < job.wallMs ? { kind: 'cpu' } : { kind: 'timeout' };
    const timer = setTimeout(() => done(limit), Math.min(cpuMs, job.wallMs));
    const onAbort = (): void => done({ kind: 'killed', signal: 'SIGKILL' });
    const done = (told: SourceAnswer | SandboxEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(told);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (told: SourceAnswer) => done(told));
    // The engine itself broke, which happens when its memory is at its end.
    worker.once('error', (error: unknown) => done({ kind: 'failed', message: messageOf(error), log: '' }));
    worker.once('exit', () => done({ kind: 'killed', signal: 'SIGABRT' }));
  });
  await worker.terminate();
  return resultOf(answer, performance.now() - startedAt);
}

function startWorker(workerData: SourceRequest): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./quickjs-worker.${extension}`, import.meta.url), {
    workerData,
    env: {},
    argv: [],
    stdin: false,
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
  });
}

function resultOf(answer: SourceAnswer | SandboxEnd, wallMs: number): SandboxResult {
  const log = 'log' in answer ? answer.log : '';
  const result = (end: SandboxEnd, stdout = '', stderr = log): SandboxResult => ({
    end,
    stdout,
    stderr,
    usage: { wallMs, outputBytes: Buffer.byteLength(stdout) + Buffer.byteLength(stderr) },
  });
  switch (answer.kind) {
    case 'output':
      return result({ kind: 'ok' }, answer.text);
    case 'failed':
      return result({ kind: 'exit', code: 1 }, '', log === '' ? answer.message : `${log}\n${answer.message}`);
    case 'missing':
      return notStarted(`it needs the package quickjs-emscripten (${installLine}): ${answer.message}`);
    case 'memory':
    case 'output-limit':
      return result({ kind: answer.kind });
    default:
      return result(answer);
  }
}
