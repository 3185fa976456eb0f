/**
 * From the result of a job to the output of its call, or to a failure. Pure.
 *
 * J2 What ended without a word of its own (time, memory, output, a signal) says nothing about its effect: evidence `unknown`, so a write is in doubt. (R13)
 */
import { failureOf } from '../../call/failure.ts';
import type { Failure } from '../../call/outcome.ts';
import { isSourceProgram } from '../../contract/program.ts';
import { ToolError } from '../../contract/tool-error.ts';
import { cutText } from '../../util/cut-text.ts';
import type { ProgramFacts } from './program-job.ts';
import type { SandboxResult } from './sandbox-driver.ts';

/** What a program that ended by itself and well has to say. @throws ToolError for every other end, and for an output that is not what was declared */
export function outputOf(facts: ProgramFacts, ended: SandboxResult, conceal: (text: string) => string): unknown {
  // Before a part of it is told: a value that is cut in two would be recognised in neither half.
  const result = { ...ended, stdout: conceal(ended.stdout), stderr: conceal(ended.stderr) };
  if (result.end.kind !== 'ok') throw toolError(failureOfEnd(facts, result));
  const { program } = facts;
  const text = result.stdout;
  if (!isSourceProgram(program) && program.stdout === 'text') return text.replace(/\r?\n$/, '');
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    const found = text.trim() === '' ? 'nothing' : JSON.stringify(cutText(text.trim(), 200));
    throw new ToolError({
      code: 'output-invalid',
      class: 'recoverable',
      message: `${facts.name} must write one JSON value to its standard output, and wrote ${found}. A command that writes text declares stdout: 'text'.`,
      cause,
    });
  }
}

function toolError({ code, class: errorClass, message, advice, evidence }: Failure): ToolError {
  return new ToolError({
    code,
    class: errorClass,
    message,
    effect: evidence,
    ...(advice === undefined ? {} : { advice }),
  });
}

function failureOfEnd({ name, timeoutMs, sandbox }: ProgramFacts, { end, stderr }: SandboxResult): Failure {
  const said = stderr.trim() === '' ? '' : ` It said: ${lastOf(stderr.trim())}`;
  const unknown = { evidence: 'unknown' } as const;
  switch (end.kind) {
    case 'ok':
    case 'exit': {
      const code = end.kind === 'ok' ? 0 : end.code;
      return failureOf('tool-failed', `${name} ended with code ${code}.${said}`, { evidence: 'possible' });
    }
    case 'timeout':
      return failureOf('tool-timed-out', `${name} did not end within ${timeoutMs} ms, and was ended.`, unknown);
    case 'memory': {
      const message = `${name} took more memory than its ${sandbox.limits.memoryBytes} bytes, and was ended.`;
      return failureOf('sandbox-limit-exceeded', message, unknown);
    }
    case 'cpu': {
      const message = `${name} took more processor time than its ${sandbox.limits.cpuMs} ms, and was ended.`;
      return failureOf('sandbox-limit-exceeded', message, unknown);
    }
    case 'output-limit': {
      const message = `${name} wrote more than its ${sandbox.limits.outputBytes} bytes, and was ended.`;
      return failureOf('sandbox-limit-exceeded', message, unknown);
    }
    case 'killed':
      return failureOf('tool-failed', `${name} was ended by ${end.signal}.${said}`, unknown);
    case 'not-started':
      return failureOf('sandbox-unavailable', `${name} could not be started: ${end.reason}.`, { evidence: 'none' });
  }
}

/** The end of what a program said: there it says what went wrong. */
function lastOf(text: string): string {
  return text.length <= 500 ? text : `… ${text.slice(-500)}`;
}
