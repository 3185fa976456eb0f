/** `mcp()`: the tools of an MCP server, as contracts of Axle. */
import process from 'node:process';
import type { Contract } from '../contract/contract.ts';
import { ToolError } from '../contract/tool-error.ts';
import { defined } from '../util/defined.ts';
import type { JsonValue } from '../util/json.ts';
import { Connection, type ConnectionOptions } from './connection.ts';
import { invalid, type McpOptions, type McpSettings, readMcpOptions } from './mcp-options.ts';
import type { McpNotice } from './notice.ts';
import { readPins, writePins } from './pins/pin-file.ts';
import { acceptedAfter, type AcceptedTools, reviewOf, reviewText, type ToolReview } from './pins/tool-review.ts';
import { httpWire } from './http/http-wire.ts';
import { serverEnvironment } from './stdio/server-environment.ts';
import { StdioTransport } from './stdio/stdio-transport.ts';
import { readToolResult } from './tools/content.ts';
import { defaultKeepFolder, KeptContent } from './tools/kept-content.ts';
import type { ListedTools } from './tools/list-tools.ts';
import { type OfferedTool, type RefusedTool, takesTheSame } from './tools/offered-tool.ts';
import { readKeptTool } from './tools/read-kept.ts';
import { type PerformCall, toContracts } from './tools/to-contract.ts';

/** A server whose tools can be had. */
export interface McpSource {
  readonly name: string;
  readonly isForeign: true;
  /**
   * Starts or reaches the server and gives its tools. `changed` is told all of them anew when the server's list changes, or when a change is accepted.
   * @throws AxleError `mcp-unavailable`, `peer-missing`, `configuration-invalid`, `limit-exceeded`
   */
  connect(changed?: (contracts: readonly Contract[]) => void): Promise<readonly Contract[]>;
  /** The tools that the last list left out, with the reasons. */
  readonly refused: readonly RefusedTool[];
  /** What the server offered last, held against what was accepted. */
  readonly review: readonly ToolReview[];
  /**
   * Accepts tools as the server describes them now: those that are named, or all. Gives the names of those that were not accepted before.
   * @throws AxleError `configuration-invalid` for a name that is not in `review`
   */
  accept(names?: readonly string[]): Promise<readonly string[]>;
  /** The revision of the protocol that is spoken, once it is connected. */
  readonly revision: string | undefined;
  /** The ids of the processes that belong to the server now: itself and its watchdog. */
  readonly processes: readonly number[];
  /** Ends the server and all that it started, or the session with it. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Declares an MCP server.
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
  return new Source(readMcpOptions(options), options);
}

class Source implements McpSource {
  readonly name: string;
  readonly isForeign = true;
  readonly #settings: McpSettings;
  readonly #connection: Connection;
  readonly #kept: KeptContent | undefined;
  readonly #notify: (notice: Omit<McpNotice, 'server'>) => void;
  #changed: (contracts: readonly Contract[]) => void = () => undefined;
  /** Undefined until the first list. */
  #accepted: AcceptedTools | undefined;
  #listed: ListedTools = { tools: [], refused: [], faults: [] };
  #review: readonly ToolReview[] = [];
  #refused: readonly RefusedTool[] = [];
  #isOpen = false;

  constructor(settings: McpSettings, options: McpOptions) {
    const { name, keep } = settings;
    this.name = name;
    this.#settings = settings;
    this.#kept = keep === false ? undefined : new KeptContent(keep ?? defaultKeepFolder());
    const onNotice = options.onNotice ?? warn;
    this.#notify = (notice) => onNotice({ ...notice, server: name });
    this.#connection = new Connection({
      name,
      ...wireOf(options),
      protocol: settings.protocol,
      requestTimeoutMs: settings.requestTimeoutMs,
      onListed: (listed) => this.#take(listed),
      onNotice: this.#notify,
    });
  }

  get refused(): readonly RefusedTool[] {
    return this.#refused;
  }
  get review(): readonly ToolReview[] {
    return this.#review;
  }
  get revision(): string | undefined {
    return this.#connection.revision;
  }
  get processes(): readonly number[] {
    return this.#connection.processes;
  }

  async connect(changed?: (contracts: readonly Contract[]) => void): Promise<readonly Contract[]> {
    const { pins } = this.#settings;
    this.#isOpen = false;
    if (pins !== undefined) this.#accepted = await readPins(pins, this.name);
    await this.#connection.open();
    const isFirst = this.#accepted === undefined;
    // Without a file, who connects again has seen what there is now; only a tool that changed its description is held back.
    if (isFirst || pins === undefined) await this.#settle(isFirst ? 'all' : newNames(this.#review));
    checkDeclared(this.#settings, [...this.#review, ...this.#listed.refused]);
    if (changed !== undefined) this.#changed = changed;
    this.#isOpen = true;
    this.#report();
    return this.#contracts();
  }

  async accept(names?: readonly string[]): Promise<readonly string[]> {
    const open = this.#review.filter((one) => one.kind !== 'accepted').map((one) => one.name);
    const unknown = (names ?? []).filter((name) => !this.#review.some((one) => one.name === name));
    if (unknown.length > 0) {
      throw invalid(
        this.name,
        `it offers no tool ${unknown.join(', ')}; it offers ${this.#review.map((one) => one.name).join(', ')}`,
      );
    }
    const taken = open.filter((name) => names?.includes(name) ?? true);
    await this.#settle(names === undefined ? 'all' : new Set(names));
    if (this.#isOpen) this.#changed(this.#contracts());
    return taken;
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #settle(names: ReadonlySet<string> | 'all'): Promise<void> {
    this.#accepted = acceptedAfter(this.#review, names);
    this.#review = reviewOf(this.#accepted, this.#listed.tools);
    const { pins } = this.#settings;
    if (pins !== undefined) await writePins(pins, this.name, this.#accepted);
  }

  /** A list was read: after a start, or because the server said that it has changed. */
  #take(listed: ListedTools): void {
    const before = reviewKey(this.#review);
    this.#listed = listed;
    this.#review = reviewOf(this.#accepted ?? new Map(), listed.tools);
    if (!this.#isOpen || reviewKey(this.#review) === before) return;
    const isPinned = this.#settings.pins !== undefined;
    if (!isPinned) this.#accepted = acceptedAfter(this.#review, newNames(this.#review));
    this.#report();
    if (!isPinned) this.#review = reviewOf(this.#accepted ?? new Map(), listed.tools);
    this.#changed(this.#contracts());
  }

  #report(): void {
    const message = reviewText(this.#review);
    if (message === undefined) return;
    const tools = this.#review.filter((one) => one.kind !== 'accepted').map((one) => one.name);
    this.#notify({ kind: 'tools-changed', message, tools });
  }

  /** The contracts of what is offered, each as it was accepted. */
  #contracts(): readonly Contract[] {
    const { tools, refused: unreadable } = this.#listed;
    const accepted = tools.map((tool) => this.#accepted?.get(tool.name)).filter((tool) => tool !== undefined);
    const { contracts, refused, unchecked } = toContracts(accepted, this.#settings, this.#perform);
    this.#refused = [...unreadable, ...refused];
    for (const { name, reason } of this.#refused) {
      this.#notify({ kind: 'tool-refused', message: `${name} is refused: ${reason}`, tools: [name] });
    }
    for (const { name, reason } of unchecked) {
      this.#notify({
        kind: 'output-unchecked',
        message: `Results of ${name} are not checked: ${reason}`,
        tools: [name],
      });
    }
    const reader = this.#reader();
    if (this.#kept === undefined || reader === undefined || contracts.length === 0) return contracts;
    return [...contracts, readKeptTool(reader, this.#kept)];
  }

  /** The name of the tool that reads what is kept; none where the server has a tool of that name. */
  #reader(): string | undefined {
    const isTaken = this.#listed.tools.some((tool) => tool.name === readerName);
    return this.#kept === undefined || isTaken ? undefined : `${this.name}.${readerName}`;
  }

  readonly #perform: PerformCall = async (tool, limits, { input, context }): Promise<JsonValue> => {
    const permit = (): void => this.#permit(tool);
    const result = await this.#connection.call({ tool, input, context, permit, ...limits });
    const kept = this.#kept;
    const answer = await readToolResult(result, {
      maxTextChars: this.#settings.maxResultChars,
      keep: kept === undefined ? undefined : (content) => kept.keep(content),
      reader: this.#reader(),
    });
    if (answer.kind === 'output') return answer.output;
    throw new ToolError({ class: 'recoverable', message: answer.message });
  };

  /**
   * Only what is offered exactly as it was accepted is called; for a run that began before the last acceptance, only with arguments of the same form.
   * @throws ToolError with the evidence that nothing was sent
   */
  #permit(tool: OfferedTool): void {
    const now = this.#review.find((one) => one.name === tool.name);
    if (now === undefined || now.kind === 'gone') {
      throw new ToolError({
        code: 'mcp-tool-gone',
        class: 'recoverable',
        effect: 'none',
        message: `The MCP server '${this.name}' does not offer ${tool.name} any more.`,
        advice: 'Choose another way.',
      });
    }
    if (now.kind !== 'accepted') {
      throw this.#quarantined(tool, 'its server describes it in another way than was accepted');
    }
    if (takesTheSame(tool, now.tool)) return;
    throw this.#quarantined(tool, 'it takes other arguments than when this run began');
  }

  #quarantined(tool: OfferedTool, why: string): ToolError {
    return new ToolError({
      code: 'mcp-tool-quarantined',
      class: 'fatal',
      effect: 'none',
      message: `${this.name}.${tool.name} is not called: ${why}.`,
      advice: 'Do not call it again; a person must look at the change.',
    });
  }
}

const readerName = 'read_kept';

function wireOf(options: McpOptions): Pick<ConnectionOptions, 'kind' | 'wire' | 'redact'> {
  if (options.url !== undefined) return { kind: 'http', ...httpWire(options) };
  if (typeof options.command !== 'string' || options.command === '') {
    throw invalid(options.name, 'it has neither a command nor a url');
  }
  const command = {
    command: options.command,
    args: options.args ?? [],
    environment: serverEnvironment(process.env, options.env ?? {}),
    ...defined({ cwd: options.cwd }),
  };
  return { kind: 'stdio', wire: () => Promise.resolve(new StdioTransport(command)) };
}

function warn(notice: McpNotice): void {
  if (notice.kind === 'reconnected') return;
  process.emitWarning(`MCP server '${notice.server}': ${notice.message}`, {
    type: 'AxleMcpWarning',
    code: notice.kind,
  });
}

function newNames(review: readonly ToolReview[]): ReadonlySet<string> {
  return new Set(review.filter((one) => one.kind === 'new').map((one) => one.name));
}

/** The same for reviews that come to the same. */
function reviewKey(review: readonly ToolReview[]): string {
  return review.map((one) => `${one.kind} ${one.name} ${one.kind === 'gone' ? '' : one.fingerprint}`).join('\n');
}

function checkDeclared({ name, effects }: McpSettings, known: ReadonlyArray<{ readonly name: string }>): void {
  const names = known.map((one) => one.name);
  const unknown = Object.keys(effects).filter((each) => !names.includes(each));
  if (unknown.length > 0) {
    throw invalid(
      name,
      `effects names ${unknown.join(', ')}, which the server does not offer; it offers ${names.join(', ')}`,
    );
  }
}
