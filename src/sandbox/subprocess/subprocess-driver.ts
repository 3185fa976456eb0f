/**
 * The sandbox driver `subprocess`: a process of its own in a folder of its own. It keeps a crash, a loop and a flood away from this process, on every system. It is
 * no boundary against code that means harm: that code runs as the same user, sees the same files and reaches the same network.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { messageOf } from '../../error/axle-error.ts';
import type { SandboxDriver, SandboxJob, SandboxResult } from '../../execute/sandbox/sandbox-driver.ts';
import { proveByEscape } from '../escape/prove.ts';
import { findProgram } from '../find-program.ts';
import { jobEnvironment } from '../job-environment.ts';
import { notStarted } from '../../execute/sandbox/not-started.ts';
import { resourceLimits } from '../resource-limits.ts';
import { runProcess } from '../run-process.ts';
import { Running } from '../running.ts';

/** Makes the driver. It holds nothing until a job runs. */
export function subprocess(): SandboxDriver {
  const running = new Running();
  const driver: SandboxDriver = {
    id: 'subprocess',
    runs: 'command',
    startMs: 5,
    isBoundary: false,
    grantsNetwork: false,
    probe: (options = {}) => proveByEscape(driver, { ...options, notes: notes() }),
    run: (job, signal) => running.add(signal, (ended) => runJob(job, ended)),
    close: () => running.close(),
  };
  return driver;
}

function notes(): readonly string[] {
  return prlimit() === undefined
    ? ['there is no prlimit here, so only time and output have a limit']
    : ['processor time and the size of a file are counted for each process, memory for all of them but daemons'];
}

let found: { readonly path: string | undefined } | undefined;

function prlimit(): string | undefined {
  found ??= { path: process.platform === 'linux' ? findProgram('prlimit') : undefined };
  return found.path;
}

async function runJob(job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
  if (job.code.kind !== 'command') return notStarted('it takes commands, and no source');
  let folder: string;
  try {
    folder = await mkdtemp(join(tmpdir(), 'axle-job-'));
  } catch (error) {
    return notStarted(messageOf(error));
  }
  try {
    const environment = jobEnvironment(job, { PATH: searchPath(), HOME: folder, TMPDIR: folder });
    if (environment.kind === 'missing') return notStarted(environment.reason);
    for (const [path, text] of Object.entries(job.files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const [file = '', ...words] = limited(job.code.command, job);
    const { stdin, wallMs, limits } = job;
    const plan = { file, arguments: words, environment: environment.variables, folder, stdin, wallMs };
    const memory = { limitBytes: limits.memoryBytes, rootId: (ownId: number) => ownId };
    return await runProcess({ ...plan, outputBytes: limits.outputBytes, memory }, signal);
  } catch (error) {
    return notStarted(messageOf(error));
  } finally {
    // What escaped its group may still write here; the folder is the system's to clear then.
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

/** `node` is the one that runs this process. */
function searchPath(): string {
  const system = process.env['PATH'] ?? ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  return [dirname(process.execPath), system].join(delimiter);
}

function limited(command: readonly string[], { limits }: SandboxJob): readonly string[] {
  const path = prlimit();
  // Processes are counted for the user as a whole, not for the job: a limit would hit the user's other programs.
  return path === undefined
    ? command
    : [path, ...resourceLimits({ ...limits, maxProcesses: undefined }), '--', ...command];
}
