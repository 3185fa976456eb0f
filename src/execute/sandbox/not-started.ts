/** The result of a job of which nothing ran. */
import type { SandboxResult } from './sandbox-driver.ts';

export function notStarted(reason: string): SandboxResult {
  return { end: { kind: 'not-started', reason }, stdout: '', stderr: '', usage: { wallMs: 0, outputBytes: 0 } };
}
