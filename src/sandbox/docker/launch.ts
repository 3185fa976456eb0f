/**
 * A container that was started before its job was known: a shell in it waits for one line, which makes it that job.
 *
 * The line sets the environment, reads the files, byte for byte, from what comes behind it, and becomes the command, which reads the rest.
 */
import type { SandboxJob } from '../../execute/sandbox/sandbox-driver.ts';
import { shellQuoted } from '../../util/shell-quoted.ts';

/** A longer line would be slow: a shell reads it letter by letter. */
const maxLineBytes = 64 * 1024;

/** The command of a container that waits. When whoever started it is gone there is no line, and it ends. */
export const waitingCommand: readonly string[] = [
  'sh',
  '-c',
  'nl=\'\n\'; IFS= read -r line || exit 125; eval "$line"; exit 127',
];

/** What makes it the job; undefined for one whose arguments and variables are too long. */
export function launchBytes(
  command: readonly string[],
  variables: Readonly<Record<string, string>>,
  { files, stdin }: Pick<SandboxJob, 'files' | 'stdin'>,
): Buffer | undefined {
  const contents = Object.entries(files).map(([path, content]) => ({ path, bytes: Buffer.from(content) }));
  const folders = new Set(contents.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)).filter(Boolean));
  const steps = [
    'unset line',
    ...[...folders].map((folder) => `mkdir -p ${quoted(folder)}`),
    ...contents.map(({ path, bytes }) => taking(bytes.length, quoted(path))),
    ...Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `set -- ${command.map(quoted).join(' ')}`,
    'unset nl',
    'exec "$@"',
  ];
  const line = `${steps.join('; ')}\n`;
  if (Buffer.byteLength(line) > maxLineBytes) return undefined;
  return Buffer.concat([Buffer.from(line), ...contents.map(({ bytes }) => bytes), Buffer.from(stdin)]);
}

/** Reads so many bytes and not one more, as `head` would from a pipe. */
function taking(sizeBytes: number, path: string): string {
  return sizeBytes === 0 ? `: > ${path}` : `dd bs=${sizeBytes} count=1 iflag=fullblock of=${path} 2> /dev/null`;
}

/** One word for a shell, on one line. */
function quoted(text: string): string {
  return shellQuoted(text).replaceAll('\n', `'"$nl"'`);
}
