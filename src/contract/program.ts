/**
 * A program as the body of a tool: a command, or source text, run apart from the process that drives the run.
 *
 * A program is data, so that it can be hashed, kept in a file and shown; and each part that comes from the input becomes exactly one argument, which no shell
 * ever reads.
 */
import type { SandboxProperty } from '../call/isolation.ts';
import { isRecord } from '../util/json.ts';

/** A field of the input: as one argument of a command, or as its standard input. */
export interface FromInput {
  readonly input: string;
}

/** A field of the input as the content of a file. */
export interface FileFromInput extends FromInput {
  /** For bytes. @defaultValue the text is the content */
  readonly encoding?: 'base64';
}

/** Files that a program leaves. */
export interface DeclaredFiles {
  readonly paths: readonly string[];
  /** 1 to 100. @defaultValue 20 */
  readonly count?: number;
  /** Bytes of all together, or a text such as `64KB`; at most 700,000. @defaultValue 256 KB */
  readonly size?: number | string;
}

/** The same, read. */
export interface ProducedFiles {
  readonly paths: readonly string[];
  readonly maxCount: number;
  readonly maxBytes: number;
}

/** A variable of the process that drives the run, read when the program starts: a contract holds its name, never its value. */
export interface FromVariable {
  readonly variable: string;
}

/** An alias of the Axle, whose real value is read when the program starts: a contract holds its name, never its value. */
export interface FromAlias {
  readonly alias: string;
}

export function isFromAlias(value: unknown): value is FromAlias {
  return isRecord(value) && Object.keys(value).length === 1 && typeof value['alias'] === 'string';
}

/** A command: the program and its arguments, as one list. */
export interface CommandProgram {
  readonly command: readonly (string | FromInput | FromAlias)[];
  /** What it reads: the whole input as JSON, or one field of it as text. @defaultValue 'json' */
  readonly stdin?: 'json' | FromInput;
  /** What it writes: JSON, or a text whose last line break is dropped. @defaultValue 'json' */
  readonly stdout?: 'json' | 'text';
  /** Files that lie in its folder when it starts, by relative path: a text, or a field of the input. At most 100, 4 MB together. */
  readonly files?: Readonly<Record<string, string | FileFromInput | FromAlias>>;
  /** Files that it leaves, which are part of the result. */
  readonly produces?: ProducedFiles;
  /** Its environment, beside PATH, HOME, TMPDIR and LANG. Nothing else is in it. */
  readonly environment?: Readonly<Record<string, string | FromVariable | FromAlias>>;
}

/** A command, as it is declared. */
export interface CommandDeclaration extends Omit<CommandProgram, 'produces'> {
  /**
   * Files that it leaves in its folder: with them the result is `{ output, files }`, where `output` is what it wrote. Paths may have `*` and `?` in them, and each must
   * lead to a file; at most 20 files and 256 KB together, unless `{ paths, count, size }` says otherwise.
   */
  readonly produces?: readonly string[] | DeclaredFiles;
}

/** JavaScript: a module whose default export is a function of the input. It has the language and nothing else: no files, no network, no timers. */
export interface SourceProgram {
  readonly source: string;
}

export type Program = CommandProgram | SourceProgram;
export type ProgramDeclaration = CommandDeclaration | SourceProgram;

/** What a program may use up. The time that it may take is the tool's `timeout`. */
export interface SandboxLimits {
  /** Processor time of each process, in milliseconds. */
  readonly cpuMs: number;
  /** Bytes of memory: of all its processes together where the driver can tell, else of each. */
  readonly memoryBytes: number;
  readonly maxProcesses: number;
  /** Bytes that may lie in its folder, and as many again in its folder for temporary files. */
  readonly diskBytes: number;
  /** Bytes of standard output and standard error together. */
  readonly outputBytes: number;
}

/** A place that a program may reach although the network is held back. */
export interface NetworkPlace {
  /** A name in lower case, or an address. */
  readonly host: string;
  readonly port: number;
}

/** What a contract demands of the place where its program runs. */
export interface SandboxTerms {
  readonly properties: readonly SandboxProperty[];
  readonly limits: SandboxLimits;
  /** Exceptions from `network`. */
  readonly network: readonly (NetworkPlace | FromAlias)[];
}

export function isSourceProgram(program: Program): program is SourceProgram {
  return 'source' in program;
}

/** The aliases that a program and its sandbox name. */
export function programAliases({
  program,
  sandbox,
}: {
  readonly program?: Program;
  readonly sandbox?: SandboxTerms;
}): readonly string[] {
  if (program === undefined) return [];
  const inProgram: readonly unknown[] = isSourceProgram(program)
    ? []
    : [...program.command, ...Object.values(program.environment ?? {}), ...Object.values(program.files ?? {})];
  return [...inProgram, ...(sandbox?.network ?? [])].flatMap((place) => (isFromAlias(place) ? [place.alias] : []));
}
