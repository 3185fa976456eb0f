/** What `mcp()` takes, and its defaults. */
import type { BreakerDeclaration, LimitsDeclaration } from '../contract/declare/limits.ts';
import { isSourceName, sharedTerms, type SourceToolTerms } from '../contract/declare/source-terms.ts';
import { parseDurationMs } from '../contract/duration.ts';
import { AxleError } from '../error/axle-error.ts';
import type { Credential } from '../http-client/secret.ts';
import type { McpNotice } from './notice.ts';

/** `auto` asks the server, and takes the older of the two when it does not know what is meant. */
export type McpProtocol = 'auto' | '2025-11-25' | '2026-07-28';

/** What the user knows of a server's tool and its server cannot be trusted to say. */
export interface McpToolTerms extends SourceToolTerms {
  /** The longest silence of a call; progress that the server reports breaks it, up to `timeout`. @defaultValue that of the server */
  readonly idleTimeout?: number | string;
}

interface CommonOptions {
  /** Names the server; its tools are called `name.tool`. Letters, digits, `_` and `-`. */
  readonly name: string;
  /** Terms by the server's own names of its tools. A tool that is not named is a `write`. */
  readonly effects?: Readonly<Record<string, McpToolTerms>>;
  /** What may be asked of the server: all its tools share it, under the name of this source unless `upstream` gives another. */
  readonly limits?: LimitsDeclaration;
  /** When calls stop going to the server. @defaultValue the default breaker, where there are `limits`; else none */
  readonly breaker?: BreakerDeclaration | boolean;
  /** What a refused login does to calls of its tools, where a tool's terms do not say: fail, or wait until a person has authorised. @defaultValue 'fail' */
  readonly authorization?: NonNullable<McpToolTerms['authorization']>;
  /** How long a start, a list or a call may take, where a tool's `timeout` does not say: milliseconds or a text such as `20s`. @defaultValue '60s' */
  readonly requestTimeout?: number | string;
  /** The longest silence of a call, where a tool does not say. @defaultValue no limit but that of the call */
  readonly idleTimeout?: number | string;
  /**
   * The revision of the protocol: `auto` asks the server and takes the older one when it does not understand.
   * @defaultValue 'auto'
   */
  readonly protocol?: McpProtocol;
  /**
   * The file that says which tools were accepted. The first connection accepts all that the server offers and writes it; from then on a tool that is new or
   * described in another way is not called until somebody accepts it. @defaultValue none: what the first connection of this process saw
   */
  readonly pins?: string;
  /** Characters of text that one result may put in front of a model; more is kept under a reference. 1,000 to 500,000. @defaultValue 32,000 */
  readonly maxResultChars?: number;
  /**
   * The folder that keeps long texts, pictures and sounds; `false` keeps none. Name one beside the store for runs that last.
   * @defaultValue a folder of this user among the temporary files
   */
  readonly keep?: string | false;
  /** Told what a person should hear of the server. @defaultValue a warning of the process, except for a server that was connected again */
  readonly onNotice?: (notice: McpNotice) => void;
}

/** A server that is started as a process and spoken to over its standard input and output. */
export interface McpCommandOptions extends CommonOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables for the server beside the few that it inherits (PATH, HOME, LANG, TMPDIR and their like). */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: never;
}

/** A server on the network, spoken to over streamable HTTP. */
export interface McpHttpOptions extends CommonOptions {
  /** An absolute https or http URL. */
  readonly url: string;
  /**
   * Headers of every request to the origin of `url`. `${NAME}` at the end of a value stands for the environment variable of this name, which is read when a
   * request is made and is in no error, result or entry: `{ authorization: 'Bearer ${BILLING_TOKEN}' }`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** The same for proofs of other forms. */
  readonly credentials?: readonly Credential[];
  /** What may be dialled beyond public addresses at ports 80 and 443, such as `127.0.0.1:8080` or `10.0.0.0/8`. @defaultValue nothing */
  readonly allow?: readonly string[];
  /** Certificates (PEM) that are trusted instead of the usual ones. */
  readonly ca?: string | readonly string[];
  readonly command?: never;
}

export type McpOptions = McpCommandOptions | McpHttpOptions;

/** The options as the source uses them. */
export interface McpSettings {
  readonly name: string;
  readonly effects: Readonly<Record<string, McpToolTerms>>;
  /** What all tools are held to. */
  readonly shared: ReturnType<typeof sharedTerms>;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number | undefined;
  readonly protocol: McpProtocol;
  readonly pins: string | undefined;
  readonly maxResultChars: number;
  readonly keep: string | false | undefined;
}

const maxTimeoutMs = 24 * 3_600_000;
const protocols: ReadonlySet<string> = new Set(['auto', '2025-11-25', '2026-07-28']);

/** @throws AxleError `configuration-invalid` */
export function readMcpOptions(options: McpOptions): McpSettings {
  const { name, protocol = 'auto', maxResultChars = 32_000 } = options;
  if (!isSourceName(name)) {
    throw invalid(name, `its name must be 1 to 64 letters, digits, _ or -`);
  }
  if (!protocols.has(protocol)) throw invalid(name, `protocol must be one of ${[...protocols].join(', ')}`);
  if (!Number.isInteger(maxResultChars) || maxResultChars < 1_000 || maxResultChars > 500_000) {
    throw invalid(name, 'maxResultChars must be a whole number from 1,000 to 500,000');
  }
  return {
    name,
    protocol,
    maxResultChars,
    effects: options.effects ?? {},
    shared: sharedTerms(options),
    requestTimeoutMs: readLimit(name, 'requestTimeout', options.requestTimeout ?? '60s'),
    idleTimeoutMs: options.idleTimeout === undefined ? undefined : readLimit(name, 'idleTimeout', options.idleTimeout),
    pins: options.pins,
    keep: options.keep,
  };
}

/** @throws AxleError `configuration-invalid` */
export function readLimit(name: string, field: string, given: number | string): number {
  const limitMs = parseDurationMs(given);
  if (limitMs === undefined || limitMs < 1 || limitMs > maxTimeoutMs) {
    throw invalid(name, `${field} must be from 1 ms to 24 h`);
  }
  return limitMs;
}

export function invalid(name: string, what: string): AxleError {
  return new AxleError('configuration-invalid', `MCP server '${name}': ${what}.`);
}
