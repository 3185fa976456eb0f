/**
 * From a program and the input of a call to a job. Pure.
 *
 * J1 A part of the input becomes one argument, and never an option: a text that begins with `-` is refused unless `--` stands before it.
 */
import type { ToolContext } from '../../contract/contract.ts';
import { networkPlace } from '../../contract/declare/program.ts';
import {
  type CommandProgram,
  type FileFromInput,
  type FromAlias,
  type FromInput,
  isFromAlias,
  isSourceProgram,
  type NetworkPlace,
  type Program,
  type SandboxLimits,
  type SandboxTerms,
} from '../../contract/program.ts';
import { ToolError } from '../../contract/tool-error.ts';
import { AxleError } from '../../error/axle-error.ts';
import { sha256Hex } from '../../util/hash.ts';
import { isJsonObject, type JsonValue } from '../../util/json.ts';
import { archiveBytes, collecting, collectingProcesses } from './collect-files.ts';
import type { SandboxJob } from './sandbox-driver.ts';

/** What a contract says of its program. */
export interface ProgramFacts {
  readonly name: string;
  readonly program: Program;
  readonly sandbox: SandboxTerms;
  readonly timeoutMs: number;
}

/** What a command is told of its call, by variables. */
type JobContext = Pick<ToolContext, 'idempotencyKey' | 'runId' | 'callId' | 'attempt'> & {
  /** The real values of the aliases that the program names. */
  readonly reals: ReadonlyMap<string, string>;
};

/** The job of one attempt. @throws ToolError with effect `none` when a field of the input cannot be what the program takes there */
export function jobOf(facts: ProgramFacts, input: JsonValue, context: JobContext): SandboxJob {
  const { program, sandbox, timeoutMs } = facts;
  const { reals } = context;
  const network = sandbox.network.map((place) => (isFromAlias(place) ? placeOf(place, reals) : place));
  const place = { limits: limitsOf(facts), network, wallMs: timeoutMs };
  if (isSourceProgram(program)) {
    const code = { kind: 'source', source: program.source } as const;
    return { ...place, code, stdin: JSON.stringify(input), files: {}, environment: {} };
  }
  const { stdin = 'json', files = {}, environment = {} } = program;
  return {
    ...place,
    code: { kind: 'command', command: packed(program, commandOf(program, input, reals), context) },
    stdin: stdin === 'json' ? JSON.stringify(input) : textOf(stdin, input),
    files: Object.fromEntries(
      Object.entries(files).map(([path, text]) => [
        path,
        typeof text === 'string' ? text : contentOf(text, input, reals),
      ]),
    ),
    environment: {
      AXLE_IDEMPOTENCY_KEY: context.idempotencyKey,
      AXLE_RUN_ID: context.runId,
      AXLE_CALL_ID: context.callId,
      AXLE_ATTEMPT: String(context.attempt),
      ...Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [name, isFromAlias(value) ? realOf(value, reals) : value]),
      ),
    },
  };
}

/** The mark between what a command writes and the files that it leaves. */
export function markOf({ runId, callId, attempt }: Pick<JobContext, 'runId' | 'callId' | 'attempt'>): string {
  return `axle-files-${sha256Hex(`${runId} ${callId} ${attempt}`)}`;
}

function packed({ produces }: CommandProgram, command: readonly string[], context: JobContext): readonly string[] {
  return produces === undefined ? command : collecting(command, produces, markOf(context));
}

/** What packs the files takes part in what a job may use. */
function limitsOf({ program, sandbox: { limits } }: ProgramFacts): SandboxLimits {
  if (isSourceProgram(program) || program.produces === undefined) return limits;
  return {
    ...limits,
    maxProcesses: limits.maxProcesses + collectingProcesses,
    outputBytes: limits.outputBytes + archiveBytes(program.produces),
  };
}

type Reals = ReadonlyMap<string, string>;

function realOf({ alias }: FromAlias, reals: Reals): string {
  const real = reals.get(alias);
  if (real === undefined) throw new AxleError('internal', `The alias ${alias} was not looked up.`);
  return real;
}

function contentOf(content: FileFromInput | FromAlias, input: JsonValue, reals: Reals): string | Uint8Array {
  if (isFromAlias(content)) return realOf(content, reals);
  const text = textOf(content, input);
  if (content.encoding !== 'base64') return text;
  if (/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  throw refused(`${content.input} must be bytes in base64`);
}

const webPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** A host, with a port, or the host of a URL. */
function placeOf(place: FromAlias, reals: Reals): NetworkPlace {
  const real = realOf(place, reals);
  const url = URL.canParse(real) ? new URL(real) : undefined;
  const isUrl = url !== undefined && url.hostname !== '';
  const port = isUrl && url.port === '' ? webPorts[url.protocol] : url?.port;
  const read = networkPlace(isUrl ? `${url.hostname}:${port ?? ''}` : real);
  if (read !== undefined) return read;
  throw refused(`the alias ${place.alias} stands for no host that a program could reach`);
}

function commandOf({ command }: CommandProgram, input: JsonValue, reals: Reals): readonly string[] {
  let mayBeOption = true;
  return command.map((word) => {
    if (typeof word === 'string') {
      if (word === '--') mayBeOption = false;
      return word;
    }
    if (isFromAlias(word)) return realOf(word, reals);
    const text = textOf(word, input);
    if (mayBeOption && text.startsWith('-') && !isNumber(input, word)) {
      throw refused(`${word.input} begins with a dash, so the program would read it as an option`);
    }
    return text;
  });
}

function isNumber(input: JsonValue, { input: field }: FromInput): boolean {
  return isJsonObject(input) && typeof input[field] === 'number';
}

function textOf({ input: field }: FromInput, input: JsonValue): string {
  const value = isJsonObject(input) && Object.hasOwn(input, field) ? input[field] : undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    if (value.includes('\0')) throw refused(`${field} holds a null character`);
    return value;
  }
  throw refused(`${field} must be a text, a number or a boolean`);
}

function refused(message: string): ToolError {
  return new ToolError({ code: 'arguments-invalid', class: 'recoverable', effect: 'none', message: `${message}.` });
}
