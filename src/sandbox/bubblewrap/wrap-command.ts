/**
 * The command line of bubblewrap: what a job sees of the machine.
 *
 * W1 Of the files of the host, unless more is granted, only `/usr` is there, with what links to it from the root, and the `node` that runs this process: read-only, all of it.
 * W2 Every place that can be written is a memory file system with a size, `/dev/shm` and `/dev` not forgotten.
 * W3 Every namespace is new, none can be made inside, and no capability is left.
 * W4 Values of variables stand in a pipe and not in the arguments, which every user of the machine can read.
 */
import { foldersAbove } from '../../execute/sandbox/folders-above.ts';
import { lstatSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import type { SandboxLimits } from '../../contract/program.ts';
import { resourceLimits } from '../resource-limits.ts';
import { bridged, bridgeThreads, proxySocket } from '../network-bridge.ts';

export interface Wrapping {
  readonly command: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
  /** Paths of `prlimit`, which is executed inside: there, only the job's own processes are counted. */
  readonly prlimit: string;
  /** Files that are put into the folder of the job: the path, and the descriptor that its text can be read from. */
  readonly files: readonly { readonly path: string; readonly descriptor: number }[];
  /** Descriptors: where the rest of the arguments and the filter are read, and where the id of the first process inside is written. */
  readonly argumentsFrom: number;
  readonly filterFrom: number;
  readonly reportTo: number | undefined;
  /** The socket of a proxy, when the job may reach some places. */
  readonly proxyPath: string | undefined;
  /** Paths of the host that are there as well, at the same place. */
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** The folder of a job, inside. */
export const workFolder = '/work';
const nodeFolder = '/opt/axle';

/** What of the root links to `/usr`, or stands beside it where `/usr` is not merged. */
const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

/** What is passed to `bwrap`, and what is written to the descriptor `argumentsFrom`. */
export function wrapCommand(wrapping: Wrapping): { readonly words: readonly string[]; readonly hidden: string } {
  const { command, limits, files, argumentsFrom, filterFrom, reportTo, prlimit, proxyPath, readable, writable } =
    wrapping;
  const variables = Object.entries(wrapping.variables).flatMap(([name, value]) => ['--setenv', name, value]);
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  const hidden = [
    ...confinement(limits.diskBytes),
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...writable.flatMap((path) => ['--bind', path, path]),
    ...[...folders].flatMap((folder) => ['--dir', `${workFolder}/${folder}`]),
    ...files.flatMap(({ path, descriptor }) => ['--file', String(descriptor), `${workFolder}/${path}`]),
    ...(proxyPath === undefined ? [] : ['--ro-bind', proxyPath, proxySocket, ...certificates]),
    '--remount-ro',
    '/',
    ...variables,
    '--chdir',
    workFolder,
    '--seccomp',
    String(filterFrom),
    ...(reportTo === undefined ? [] : ['--info-fd', String(reportTo)]),
  ];
  const maxProcesses = limits.maxProcesses + (proxyPath === undefined ? 0 : bridgeThreads);
  const limited = [prlimit, ...resourceLimits({ ...limits, maxProcesses }), '--', ...command];
  const run = proxyPath === undefined ? limited : bridged(nodeInside(), limited);
  return {
    words: ['--args', String(argumentsFrom), '--', ...run],
    hidden: hidden.map((word) => `${word}\0`).join(''),
  };
}

/** Whom programs trust on the other side of TLS; public, and of use only to a job that reaches one. */
const certificates = ['/etc/ssl/certs', '/etc/pki/tls/certs', '/etc/pki/ca-trust/extracted'].flatMap((path) => [
  '--ro-bind-try',
  path,
  path,
]);

function confinement(diskBytes: number): readonly string[] {
  const size = String(diskBytes);
  const parts: readonly (readonly string[])[] = [
    ['--unshare-all', '--unshare-user', '--disable-userns', '--die-with-parent', '--new-session', '--clearenv'],
    ['--cap-drop', 'ALL', '--uid', '65534', '--gid', '65534', '--hostname', 'sandbox'],
    ['--ro-bind', '/usr', '/usr'],
    ...systemFolders.map(systemFolder),
    // The loader's cache, and the links by which Debian names its awk, its editor and others.
    ['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ['--dev', '/dev', '--size', size, '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ['--size', size, '--tmpfs', '/tmp', '--size', size, '--tmpfs', workFolder],
    hasOwnNode() ? ['--dir', nodeFolder, '--ro-bind', process.execPath, `${nodeFolder}/node`] : [],
  ];
  return parts.flat();
}

function systemFolder(path: string): readonly string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  return found.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** What a job finds without naming a path. */
export function searchPath(): string {
  const system = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];
  return [...(hasOwnNode() ? [nodeFolder] : []), ...system].join(':');
}

/** Where Node lies, inside. */
function nodeInside(): string {
  return hasOwnNode() ? `${nodeFolder}/node` : process.execPath;
}

/** True when `node` lies outside of `/usr` and can be read by everybody, as it must be for the user that a job runs as. */
function hasOwnNode(): boolean {
  if (process.execPath.startsWith('/usr/')) return false;
  if (process.getuid?.() !== 0) return true;
  for (let path = process.execPath; ; path = dirname(path)) {
    const needed = path === process.execPath ? 0o005 : 0o001;
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined || (found.mode & needed) !== needed) return false;
    if (path === '/') return true;
  }
}
