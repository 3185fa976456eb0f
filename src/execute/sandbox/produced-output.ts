/** The files that a program has left, as the part of its result that they are, or the failure that they come to. Pure. */
import type { ErrorCode } from '../../error/catalogue.ts';
import { ToolError } from '../../contract/tool-error.ts';
import type { CommandProgram, ProducedFiles } from '../../contract/program.ts';
import { collected, type CollectedFile, splitAtMark } from './collect-files.ts';
import { markOf, type ProgramFacts } from './program-job.ts';
import { outputOf } from './program-output.ts';
import type { SandboxResult } from './sandbox-driver.ts';

/** A file in a result: as text where it is UTF-8, else as base64. */
type OutputFile =
  | { readonly path: string; readonly sizeBytes: number; readonly text: string }
  | { readonly path: string; readonly sizeBytes: number; readonly base64: string };

interface Producing {
  readonly facts: ProgramFacts & { readonly program: CommandProgram };
  readonly produces: ProducedFiles;
  readonly context: Parameters<typeof markOf>[0] & { readonly conceal: (text: string) => string };
}

/** @throws ToolError for every end but a good one, and `program-file-missing`, `program-file-refused`, `sandbox-limit-exceeded` for files that are not as declared */
export function producedOutput({ facts, produces, context }: Producing, result: SandboxResult): unknown {
  const { said, packed } = splitAtMark(result.stdout, markOf(context));
  const { outputBytes } = facts.sandbox.limits;
  const isTooLong = Buffer.byteLength(said) + Buffer.byteLength(result.stderr) > outputBytes;
  // What is packed has room of its own, which a command may not write into.
  if (result.end.kind === 'output-limit' && packed !== undefined && !isTooLong) throw tooMuch(facts.name, produces);
  const end: SandboxResult['end'] = isTooLong ? { kind: 'output-limit' } : result.end;
  const output = outputOf(facts, { ...result, end, stdout: said }, context.conceal);
  const files = filesOf(facts, produces, packed ?? '');
  return { output, files: files.map((file) => outputFile(facts.name, file, context.conceal)) };
}

function filesOf({ name }: ProgramFacts, produces: ProducedFiles, packed: string): readonly CollectedFile[] {
  const found = collected(packed, produces);
  switch (found.kind) {
    case 'files':
      return found.files;
    case 'missing':
      throw failed('program-file-missing', `${name} ended well and left no file ${found.path}.`);
    case 'refused':
      throw refused(name, found.path, found.reason);
    case 'no-tools':
      throw failed(
        'sandbox-unavailable',
        `The place where ${name} ran has no tar and base64, which taking files out of it needs.`,
      );
    case 'unreadable':
      throw failed('program-file-refused', `${name} left files that cannot be read, or that changed while they were.`);
    case 'too-many':
    case 'too-large':
      throw tooMuch(name, produces);
  }
}

function tooMuch(name: string, { maxCount, maxBytes }: ProducedFiles): ToolError {
  return failed(
    'sandbox-limit-exceeded',
    `${name} left more than ${maxCount} files, or more than ${maxBytes} bytes in them.`,
  );
}

function outputFile(name: string, { path, bytes }: CollectedFile, conceal: (text: string) => string): OutputFile {
  const sizeBytes = bytes.length;
  const buffer = Buffer.from(bytes);
  const text = buffer.toString('utf8');
  if (!text.includes('\0') && Buffer.from(text).equals(buffer)) return { path, sizeBytes, text };
  const letters = buffer.toString('latin1');
  if (conceal(letters) !== letters) {
    throw refused(name, path, 'it holds the real value of an alias, which nobody can replace in bytes');
  }
  return { path, sizeBytes, base64: buffer.toString('base64') };
}

function refused(name: string, path: string, reason: string): ToolError {
  return failed('program-file-refused', `${name} left ${path}, which is not taken: ${reason}.`);
}

/** The program has ended well: what it did, it did. */
function failed(code: ErrorCode, message: string): ToolError {
  return new ToolError({
    code,
    class: code === 'sandbox-unavailable' ? 'fatal' : 'recoverable',
    effect: 'possible',
    message,
  });
}
