/**
 * Where a command writes.
 *
 * E1 With `--json` exactly one JSON text goes to standard output, or one a line where a stream is asked for; everything for people goes to standard error.
 * E2 A reader that goes away (`axle runs | head`) ends the output and never the work: a run goes on, its exit code stays.
 * E3 What tools and configuration print to standard output goes to standard error: standard output is the command's.
 */
import process from 'node:process';

export interface Terminal {
  readonly isJson: boolean;
  /** Columns of a line; undefined when nobody looks at lines (a pipe, a file). */
  readonly width: number | undefined;
  readonly hasColours: boolean;
  /** Plain ASCII, where the locale says that nothing else can be shown. */
  readonly isAscii: boolean;
  /** A line of the result, for people; standard error with `--json` (E1). */
  readonly say: (line: string) => void;
  /** A line about the progress: standard error. */
  readonly note: (line: string) => void;
  /** A piece of a line about the progress, which whatever comes next ends: standard error. */
  readonly piece: (text: string) => void;
  /** The result of a command with `--json`: once, and before it the events of a stream, each once. */
  readonly json: (value: unknown) => void;
  /** Resolves when everything is written. */
  readonly flushed: () => Promise<void>;
}

export interface TerminalOptions {
  readonly isJson: boolean;
  readonly wantsColours: boolean;
}

/** The terminal of this process; takes standard output over (E3). */
export function processTerminal(options: TerminalOptions): Terminal {
  const out = writer(process.stdout);
  const error = writer(process.stderr);
  // What is written through the stream by anyone else, console.log included, is no result of ours (E3).
  process.stdout.write = process.stderr.write.bind(process.stderr);
  let isLineOpen = false;
  const endLine = (): void => {
    if (isLineOpen) error.write('\n');
    isLineOpen = false;
  };
  const { env } = process;
  const locale = env['LC_ALL'] ?? env['LC_CTYPE'] ?? env['LANG'];
  return {
    isJson: options.isJson,
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    hasColours:
      options.wantsColours &&
      process.stdout.isTTY &&
      !options.isJson &&
      (env['NO_COLOR'] ?? '') === '' &&
      env['TERM'] !== 'dumb',
    isAscii: locale === 'C' || locale === 'POSIX',
    say: (line) => {
      endLine();
      (options.isJson ? error : out).write(`${line}\n`);
    },
    note: (line) => {
      endLine();
      error.write(`${line}\n`);
    },
    piece: (text) => {
      error.write(text);
      isLineOpen = !text.endsWith('\n');
    },
    json: (value) => out.write(`${JSON.stringify(value)}\n`),
    flushed: async () => {
      await Promise.all([out.flushed(), error.flushed()]);
    },
  };
}

interface Writer {
  write(text: string): void;
  flushed(): Promise<void>;
}

function writer(stream: NodeJS.WriteStream): Writer {
  const write = stream.write.bind(stream);
  let isBroken = false;
  let last: Promise<void> = Promise.resolve();
  // Without a listener a closed pipe would end the process (E2).
  stream.on('error', () => {
    isBroken = true;
  });
  return {
    write: (text) => {
      if (isBroken) return;
      last = new Promise((resolve) => {
        write(text, () => resolve());
      });
    },
    flushed: () => last,
  };
}
