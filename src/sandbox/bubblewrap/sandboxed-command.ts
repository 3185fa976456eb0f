/**
 * A command line that starts a long-lived program in bubblewrap: an MCP server, for whoever starts it by command and arguments alone.
 *
 * S1 The same confinement as that of a job, apart from time; and only the folders that are granted are there as well.
 * S2 Nothing of the environment of whoever starts it comes in: it is emptied before bubblewrap begins.
 */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import process from 'node:process';
import type { SandboxLimits } from '../../contract/program.ts';
import { defaultLimits } from '../../contract/declare/program.ts';
import { AxleError } from '../../error/axle-error.ts';
import { findProgram } from '../find-program.ts';
import { seccompFilter } from './seccomp-filter.ts';
import { serverUserId } from './user-ids.ts';
import { searchPath, workFolder, wrapCommand } from './wrap-command.ts';

export interface SandboxedCommandOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Its whole environment, beside PATH, HOME, TMPDIR and LANG. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Absolute paths that it may read, at the same place inside. Started by root, it sees of them what everybody may see. */
  readonly readable?: readonly string[];
  /** Absolute paths that it may read and write. */
  readonly writable?: readonly string[];
  /** @defaultValue those of a tool; processor time has no limit */
  readonly limits?: Partial<Omit<SandboxLimits, 'outputBytes' | 'cpuMs'>>;
}

/** Larger than any server lives: 100 years of processor time. */
const endlessMs = 3_153_600_000_000;

/**
 * What to start instead of a command. It has no network. The files that it is started from are there until this process ends.
 *
 * @throws AxleError `sandbox-unavailable` where bubblewrap cannot run, `configuration-invalid` for a path that is not there
 */
export function sandboxedCommand(options: SandboxedCommandOptions): {
  readonly command: string;
  readonly args: string[];
} {
  const [bwrap, prlimit, filter] = [findProgram('bwrap'), findProgram('prlimit'), seccompFilter(process.arch)];
  if (process.platform !== 'linux' || bwrap === undefined || prlimit === undefined || filter === undefined) {
    throw new AxleError('sandbox-unavailable', `${options.command} needs bubblewrap and prlimit, on Linux.`);
  }
  const { readable = [], writable = [] } = options;
  for (const path of [...readable, ...writable]) assertThere(path);
  const { words, hidden } = wrapCommand({
    command: [options.command, ...(options.args ?? [])],
    variables: { LANG: 'C.UTF-8', PATH: searchPath(), HOME: workFolder, TMPDIR: '/tmp', ...options.environment },
    limits: { ...defaultLimits, ...options.limits, cpuMs: endlessMs },
    prlimit,
    files: [],
    argumentsFrom: 3,
    filterFrom: 4,
    reportTo: undefined,
    proxyPath: undefined,
    readable,
    writable,
  });
  const folder = mkdtempSync(join(tmpdir(), 'axle-server-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const [hiddenPath, filterPath] = [join(folder, 'arguments'), join(folder, 'filter')];
  writeFileSync(hiddenPath, hidden, { mode: 0o600 });
  writeFileSync(filterPath, filter, { mode: 0o600 });
  // Both are opened before the user changes: the folder is this user's alone.
  const script = 'arguments=$1; filter=$2; shift 2; exec env -i "$@" 3< "$arguments" 4< "$filter"';
  return { command: '/bin/sh', args: ['-c', script, 'sh', hiddenPath, filterPath, ...asUser(), bwrap, ...words] };
}

/** What makes another user of root. */
function asUser(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  const setpriv = findProgram('setpriv');
  if (setpriv === undefined) throw new AxleError('sandbox-unavailable', 'Started by root, a sandbox needs setpriv.');
  const userId = serverUserId();
  return [setpriv, `--reuid=${userId}`, `--regid=${userId}`, '--clear-groups', '--'];
}

function assertThere(path: string): void {
  if (isAbsolute(path) && statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  throw new AxleError('configuration-invalid', `${path} is no absolute path of something that is there.`);
}
