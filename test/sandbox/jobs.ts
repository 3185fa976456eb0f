/** Jobs for tests of sandbox drivers. */
import type { SandboxJob } from '../../src/execute/sandbox/sandbox-driver.ts';

export const limits = {
  cpuMs: 5_000,
  memoryBytes: 1024 * 1024 * 1024,
  maxProcesses: 32,
  diskBytes: 4 * 1024 * 1024,
  outputBytes: 100_000,
};

export function commandJob(command: readonly string[], more: Partial<SandboxJob> = {}): SandboxJob {
  return {
    code: { kind: 'command', command },
    stdin: '',
    files: {},
    environment: {},
    limits,
    wallMs: 10_000,
    network: [],
    ...more,
  };
}

export function shellJob(script: string, more: Partial<SandboxJob> = {}): SandboxJob {
  return commandJob(['sh', '-c', script], more);
}

export function sourceJob(source: string, more: Partial<SandboxJob> = {}): SandboxJob {
  return { ...commandJob([]), code: { kind: 'source', source }, stdin: '{}', ...more };
}

export const never = new AbortController().signal;
