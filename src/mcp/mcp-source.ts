/** `mcp()`: the tools of an MCP server, as contracts of Axle. */
import process from 'node:process';
import type { Tool } from '@modelcontextprotocol/client';
import type { Contract, ToolContext, VerifyAnswer } from '../contract/contract.ts';
import { parseDurationMs } from '../contract/duration.ts';
import { tool, type ToolFacts } from '../contract/tool.ts';
import { ToolError } from '../contract/tool-error.ts';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import { isRecord, type JsonObject } from '../util/json.ts';
import { Connection } from './connection.ts';
import { serverEnvironment } from './server-environment.ts';
import { tightenedTerms } from './tool-terms.ts';

/** What the user knows of a server's tool and its server cannot be trusted to say. */
export interface McpToolTerms extends Pick<
  ToolFacts,
  'effect' | 'risk' | 'irreversible' | 'timeout' | 'retry' | 'parallel' | 'settle'
> {
  /** Finds out whether a call in doubt had its effect, by whatever way the user has. */
  readonly verify?: (input: JsonObject, context: ToolContext) => VerifyAnswer | Promise<VerifyAnswer>;
}

export interface McpOptions {
  /** Names the server; its tools are called `name.tool`. Letters, digits, `_` and `-`. */
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables for the server beside the few that it inherits (PATH, HOME, LANG, TMPDIR and their like). */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Terms by the server's own names of its tools. A tool that is not named is a `write`. */
  readonly effects?: Readonly<Record<string, McpToolTerms>>;
  /** How long a start, a list or a call may take, where a tool's `timeout` does not say: milliseconds or a text such as `20s`. @defaultValue '60s' */
  readonly requestTimeout?: number | string;
}

/** A tool that the server offers and that cannot become a contract. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** A server whose tools can be had. */
export interface McpSource {
  readonly name: string;
  /** Starts the server and gives its tools. @throws AxleError `mcp-unavailable`, `peer-missing`, `configuration-invalid` */
  connect(): Promise<readonly Contract[]>;
  /** The tools that the last `connect()` left out, with the reasons. */
  readonly refused: readonly RefusedTool[];
  /** The ids of the processes that belong to the server now: itself and its watchdog. */
  readonly processes: readonly number[];
  /** Ends the server and all that it started. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const maxTools = 512;
const maxDescriptionLength = 4_000;
const maxTimeoutMs = 24 * 3_600_000;

/**
 * Declares an MCP server that is started as a process and spoken to over its standard input and output.
 *
 * @example
 * ```ts
 * const files = mcp({
 *   name: 'files',
 *   command: 'npx',
 *   args: ['-y', '@modelcontextprotocol/server-filesystem', '/srv/reports'],
 *   effects: { read_text_file: { effect: 'read' }, write_file: { effect: 'idempotent', risk: 'low' } },
 * });
 * const tools = await files.connect();
 * ```
 * @throws AxleError `configuration-invalid`
 */
export function mcp(options: McpOptions): McpSource {
  const { name } = options;
  if (!/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw invalid(name, `its name must be 1 to 64 letters, digits, _ or -`);
  }
  if (options.command === '') throw invalid(name, 'command is empty');
  const requestTimeoutMs = parseDurationMs(options.requestTimeout ?? '60s');
  if (requestTimeoutMs === undefined || requestTimeoutMs < 1 || requestTimeoutMs > maxTimeoutMs) {
    throw invalid(name, 'requestTimeout must be from 1 ms to 24 h');
  }
  const command = {
    command: options.command,
    args: options.args ?? [],
    environment: serverEnvironment(process.env, options.env ?? {}),
    ...defined({ cwd: options.cwd }),
  };
  const connection = new Connection({ name, command, requestTimeoutMs });
  const declared = options.effects ?? {};
  let refused: readonly RefusedTool[] = [];
  const close = (): Promise<void> => connection.close();
  return {
    name,
    connect: async () => {
      const offered = await connection.open();
      checkDeclared(name, declared, offered);
      const taken = toContracts(offered, { name, declared, connection, requestTimeoutMs });
      refused = taken.refused;
      return taken.contracts;
    },
    get refused() {
      return refused;
    },
    get processes() {
      return connection.processes;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function checkDeclared(name: string, declared: Readonly<Record<string, McpToolTerms>>, offered: readonly Tool[]): void {
  if (offered.length > maxTools) throw invalid(name, `it offers ${offered.length} tools, more than ${maxTools}`);
  const names = offered.map((each) => each.name);
  const unknown = Object.keys(declared).filter((each) => !names.includes(each));
  if (unknown.length > 0) {
    throw invalid(
      name,
      `effects names ${unknown.join(', ')}, which the server does not offer; it offers ${names.join(', ')}`,
    );
  }
}

interface Setting {
  readonly name: string;
  readonly declared: Readonly<Record<string, McpToolTerms>>;
  readonly connection: Connection;
  readonly requestTimeoutMs: number;
}

function toContracts(
  offered: readonly Tool[],
  setting: Setting,
): { contracts: readonly Contract[]; refused: readonly RefusedTool[] } {
  const contracts: Contract[] = [];
  const refused: RefusedTool[] = [];
  for (const each of offered) {
    try {
      contracts.push(toContract(each, setting));
    } catch (error) {
      // One tool with a broken schema must not take the others of its server away.
      refused.push({ name: each.name, reason: messageOf(error) });
    }
  }
  return { contracts, refused };
}

function toContract(offered: Tool, { name, declared, connection, requestTimeoutMs }: Setting): Contract {
  // `Object.hasOwn`, since a server may call a tool `constructor`.
  const own: McpToolTerms = (Object.hasOwn(declared, offered.name) ? declared[offered.name] : undefined) ?? {};
  const { verify, parallel, timeout = requestTimeoutMs, ...terms } = own;
  const tightened = tightenedTerms(terms, offered.annotations);
  const timeoutMs = parseDurationMs(timeout) ?? requestTimeoutMs;
  return tool({
    ...terms,
    ...tightened,
    // Left out where an annotation made a write of what was declared idempotent.
    ...(parallel === undefined || tightened.effect !== 'idempotent' ? {} : { parallel }),
    ...defined({ verify }),
    name: `${name}.${offered.name}`,
    description: describe(offered, name),
    input: offered.inputSchema,
    ...(isRecord(offered.outputSchema) ? { output: offered.outputSchema } : {}),
    timeout,
    execute: async (input, context) => {
      const answer = await connection.call({ tool: offered.name, input, timeoutMs, context });
      if (answer.kind === 'output') return answer.output;
      throw new ToolError({ class: 'recoverable', message: answer.message });
    },
  });
}

/** A model needs some words for every tool; a server may give none. */
function describe(offered: Tool, server: string): string {
  const words = [offered.description?.trim(), offered.title?.trim()].find((text) => text !== undefined && text !== '');
  return cutText(words ?? `The tool ${offered.name} of the MCP server ${server}.`, maxDescriptionLength);
}

function invalid(name: string, what: string): AxleError {
  return new AxleError('configuration-invalid', `MCP server '${name}': ${what}.`);
}
