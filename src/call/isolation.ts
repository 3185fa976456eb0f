/** What a sandbox can hold back, and how far a call is kept apart from the process that drives its run. */
/**
 * What can be proven of a sandbox. A contract names the properties that it needs and never a driver:
 * - `files`: what runs inside can neither read nor change files of the host, system programs and libraries aside.
 * - `environment`: no variable of the host can be read, not even those of other processes.
 * - `network`: no connection can be made, neither over an interface nor to a socket of the host.
 * - `processes`: other processes can be neither seen nor signalled, and the number of own ones has a limit.
 * - `memory`: taking more memory than the limit fails.
 * - `disk`: writing more than the limit fails.
 * - `kernel`: settings, devices, mounts and namespaces of the machine are out of reach.
 * - `treeKill`: when the job ends, whatever it started ends too, also what left its group and its parent.
 */
export const sandboxProperties = [
  'files',
  'environment',
  'network',
  'processes',
  'memory',
  'disk',
  'kernel',
  'treeKill',
] as const;
export type SandboxProperty = (typeof sandboxProperties)[number];

/**
 * Where the code of a call runs: a function `in-process`, with all that the process may do; a command in a `process` of its own of which nothing was
 * demanded; a command or a source in a `sandbox` that was demanded to hold something back.
 */
export type Isolation = 'in-process' | 'process' | 'sandbox';

/** The isolation that the terms of a call demand. @param sandbox `CallTerms.sandbox` */
export function isolationOf(sandbox: readonly SandboxProperty[] | undefined): Isolation {
  if (sandbox === undefined) return 'in-process';
  return sandbox.length === 0 ? 'process' : 'sandbox';
}
