/**
 * The sandbox driver `bubblewrap`: namespaces of Linux, a filter of system calls, limits of the kernel. No daemon, no image, some 20 ms a start.
 *
 * G1 Never as root: started by root, each job runs as a user of its own that owns nothing, since a namespace made by root maps back to root. Its number
 *    is free again when the job is gone.
 * G2 bubblewrap itself gets an empty environment: what it is given can be read inside, whatever it is told to clear.
 * G3 A kill hits the first process inside; when that one is gone the kernel ends everything in its namespace, whatever it did to hide.
 */
import process from 'node:process';
import { messageOf } from '../../error/axle-error.ts';
import type { SandboxDriver, SandboxJob, SandboxResult } from '../../execute/sandbox/sandbox-driver.ts';
import { proveByEscape } from '../escape/prove.ts';
import { findProgram } from '../find-program.ts';
import { jobEnvironment } from '../job-environment.ts';
import { notStarted } from '../../execute/sandbox/not-started.ts';
import { type FilteringProxy, openFilteringProxy } from '../filtering-proxy.ts';
import { type ProcessPlan, runProcess } from '../run-process.ts';
import { Running } from '../running.ts';
import { bridgeMemoryBytes, proxyVariables } from '../network-bridge.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { maxUserIds, UserIds } from './user-ids.ts';
import { searchPath, workFolder, wrapCommand, type Wrapping } from './wrap-command.ts';

/** Makes the driver. It holds nothing until a job runs. */
export function bubblewrap(): SandboxDriver {
  const running = new Running();
  const userIds = new UserIds();
  const driver: SandboxDriver = {
    id: 'bubblewrap',
    runs: 'command',
    startMs: 25,
    isBoundary: true,
    grantsNetwork: true,
    probe: async (options = {}) => {
      const missing = whatIsMissing();
      if (missing !== undefined) return { kind: 'unusable', reason: missing };
      return proveByEscape(driver, {
        ...options,
        notes: [
          'memory of all processes together is looked at every 25 ms, and may be over its limit for that long; processor time is counted for each process',
        ],
      });
    },
    run: (job, signal) => running.add(signal, (ended) => runJob(job, ended, userIds)),
    close: () => running.close(),
  };
  return driver;
}

function whatIsMissing(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (findProgram('bwrap') === undefined) return 'there is no bwrap; install the package bubblewrap';
  if (findProgram('prlimit') === undefined) return 'there is no prlimit; install the package util-linux';
  if (seccompFilter(process.arch) === undefined) return `no filter of system calls is known for ${process.arch}`;
  return undefined;
}

async function runJob(job: SandboxJob, signal: AbortSignal, userIds: UserIds): Promise<SandboxResult> {
  if (job.code.kind !== 'command') return notStarted('it takes commands, and no source');
  const isReaching = job.network.length > 0;
  const own = { PATH: searchPath(), HOME: workFolder, TMPDIR: '/tmp', ...(isReaching ? proxyVariables : {}) };
  const environment = jobEnvironment(job, own);
  if (environment.kind === 'missing') return notStarted(environment.reason);
  const userId = userIds.take();
  if (userId === undefined) return notStarted(`more than ${maxUserIds} jobs at a time`);
  let proxy: FilteringProxy | undefined;
  try {
    if (isReaching) proxy = await openFilteringProxy(job.network);
    const { command } = job.code;
    const { variables } = environment;
    return await runProcess(planOf(job, { command, variables, userId, proxyPath: proxy?.socketPath }), signal);
  } catch (error) {
    return notStarted(messageOf(error));
  } finally {
    userIds.giveBack(userId);
    await proxy?.close();
  }
}

interface Place extends Pick<Wrapping, 'command' | 'variables' | 'proxyPath'> {
  readonly userId: number | 'own';
}

function planOf(job: SandboxJob, { command, variables, userId, proxyPath }: Place): ProcessPlan {
  const bwrap = findProgram('bwrap');
  const prlimit = findProgram('prlimit');
  const filter = seccompFilter(process.arch);
  if (bwrap === undefined || prlimit === undefined || filter === undefined) throw new Error('bubblewrap is gone');
  const files = Object.entries(job.files);
  const { words, hidden } = wrapCommand({
    command,
    variables,
    proxyPath,
    limits: job.limits,
    prlimit,
    files: files.map(([path], index) => ({ path, descriptor: 5 + index })),
    argumentsFrom: 3,
    filterFrom: 4,
    reportTo: 5 + files.length,
    readable: [],
    writable: [],
  });
  let report = '';
  return {
    file: bwrap,
    arguments: words,
    environment: {},
    folder: '/',
    userId: userId === 'own' ? undefined : userId,
    stdin: job.stdin,
    descriptors: [hidden, filter, ...files.map(([, text]) => text)],
    onReport: (text) => {
      report += text;
    },
    wallMs: job.wallMs,
    outputBytes: job.limits.outputBytes,
    endInside: () => endInside(report),
    memory: {
      limitBytes: job.limits.memoryBytes + (proxyPath === undefined ? 0 : bridgeMemoryBytes),
      rootId: () => firstInside(report),
    },
  };
}

/** Everything inside descends from it: what loses its parent becomes its child. */
function firstInside(report: string): number | undefined {
  const pid = Number(/"child-pid"\s*:\s*(\d+)/.exec(report)?.[1]);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/** bubblewrap says which process it has started inside, collects it, and ends. Should bubblewrap itself be killed, that process dies with its parent. */
function endInside(report: string): boolean {
  const pid = firstInside(report);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
  return true;
}
