/** The environment of a job: a few variables without which hardly any program starts, and what the job names. */
import process from 'node:process';
import type { SandboxJob } from '../execute/sandbox/sandbox-driver.ts';

export type JobEnvironment =
  | { readonly kind: 'ready'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'missing'; readonly reason: string };

/** @param own What the driver sets: at least PATH, and HOME and TMPDIR for folders that exist in its place */
export function jobEnvironment(job: SandboxJob, own: Readonly<Record<string, string>>): JobEnvironment {
  const variables: Record<string, string> = { LANG: 'C.UTF-8', ...own };
  for (const [name, value] of Object.entries(job.environment)) {
    const text = typeof value === 'string' ? value : process.env[value.variable];
    if (text === undefined) {
      const missing = typeof value === 'string' ? name : value.variable;
      return { kind: 'missing', reason: `the variable ${missing}, which its environment refers to, is not set` };
    }
    variables[name] = text;
  }
  return { kind: 'ready', variables };
}
