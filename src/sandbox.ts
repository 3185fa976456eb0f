/** `axle/sandbox`: where programs run, and what each place has proven to hold back. */
export { subprocess } from './sandbox/subprocess/subprocess-driver.ts';
export { quickjs } from './sandbox/quickjs/quickjs-driver.ts';
export { bubblewrap } from './sandbox/bubblewrap/bubblewrap-driver.ts';
export { sandboxedCommand, type SandboxedCommandOptions } from './sandbox/bubblewrap/sandboxed-command.ts';
export { docker, type DockerOptions } from './sandbox/docker/docker-driver.ts';
export { sandboxProperties, type SandboxProperty } from './call/isolation.ts';
export type {
  ProbeResult,
  Proof,
  SandboxCode,
  SandboxDriver,
  SandboxEnd,
  SandboxJob,
  SandboxResult,
} from './execute/sandbox/sandbox-driver.ts';
export type { SandboxLimits } from './contract/program.ts';
