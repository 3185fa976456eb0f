/** Limits of the kernel, as arguments of `prlimit`. They count for each process, apart from the number of processes, which counts for the user. */

export interface ResourceLimits {
  readonly cpuMs: number;
  readonly memoryBytes: number;
  readonly maxProcesses: number | undefined;
  readonly diskBytes: number;
}

/** The largest number of open files of a process. */
const maxOpenFiles = 256;

export function resourceLimits({ cpuMs, memoryBytes, maxProcesses, diskBytes }: ResourceLimits): readonly string[] {
  const seconds = Math.ceil(cpuMs / 1_000);
  return [
    // A second between the signal that says why and the one that cannot be ignored.
    `--cpu=${seconds}:${seconds + 1}`,
    `--data=${memoryBytes}`,
    ...(maxProcesses === undefined ? [] : [`--nproc=${maxProcesses}`]),
    `--fsize=${diskBytes}`,
    `--nofile=${maxOpenFiles}`,
    '--core=0',
  ];
}
