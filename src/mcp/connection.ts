/**
 * A server that is there when it is needed.
 *
 *     idle ──► starting ──► up ──► idle (it ended or forgot the session; the restart policy decides when it may start again)
 *       └───────────────────┴────► closed, for ever
 *
 * C1 At most one process of a connection lives at a time; callers that come while it starts wait for the same start.
 * C2 A call never starts a server against the restart policy, and never waits for it: it fails at once, with nothing sent and the
 *    time after which to try again, and the wait is the caller's.
 * C3 A call is sent once. Nothing in here repeats one.
 * C4 No call goes to a server whose list of tools has not been read since it was started or connected: it may have become another.
 */
import { concealIn } from '../execute/aliases/conceal-in.ts';
import type { Client, ProtocolEra } from '@modelcontextprotocol/client';
import type { ToolContext } from '../contract/contract.ts';
import { ToolError } from '../contract/tool-error.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import { defined } from '../util/defined.ts';
import { isRecord, type JsonObject } from '../util/json.ts';
import { describeEnd, describeFailure, lastWordsText, statusOf, toToolError } from './call-fault.ts';
import { hearChanges } from './hear-changes.ts';
import { rawResult } from './lenient-results.ts';
import { loadSdk } from './load-sdk.ts';
import type { McpProtocol } from './mcp-options.ts';
import type { McpNotice } from './notice.ts';
import {
  afterAnswer,
  afterFailure,
  fresh,
  mayStart,
  reconnectLimits,
  restartLimits,
  type RestartState,
} from './restart-policy.ts';
import type { ListedTools } from './tools/list-tools.ts';
import type { OfferedTool } from './tools/offered-tool.ts';
import { readTools } from './tools/read-tools.ts';
import { deliveryKey, type Wire } from './wire.ts';

/** The key in a request's `_meta` under which a server finds the idempotency key of the call. */
const idempotencyMetaKey = 'axle/idempotency-key';

/** How Axle introduces itself to a server. A test holds it to package.json. */
export const clientInfo = { name: 'axle', version: '0.1.0' };

export interface ConnectionOptions {
  readonly name: string;
  readonly kind: 'stdio' | 'http';
  /** Makes a wire that has not been started. */
  readonly wire: () => Promise<Wire>;
  /** Takes the secrets out of what the server says. Left out where it is sent none. */
  readonly redact?: (text: string) => string;
  readonly protocol: McpProtocol;
  /** Milliseconds that a start or a request of the protocol may take. */
  readonly requestTimeoutMs: number;
  /** Told of every list of tools that is read: after each start, and whenever the server says that it has changed. */
  readonly onListed: (listed: ListedTools) => void;
  readonly onNotice: (notice: Omit<McpNotice, 'server'>) => void;
}

export interface ToolRequest {
  readonly tool: OfferedTool;
  readonly input: JsonObject;
  readonly timeoutMs: number;
  /** The longest silence, in milliseconds; progress that the server reports breaks it. */
  readonly idleTimeoutMs: number;
  readonly context: ToolContext;
  /** Asked right before the call is sent, when the server's list is known. Throws to stop it. */
  readonly permit: () => void;
}

interface Link {
  readonly client: Client;
  readonly wire: Wire;
  inFlight: number;
}

/** How long a process may take to answer the question for its revision; one that is silent, or slow, is spoken to in the older. */
const probeLimitMs = 3_000;

export class Connection {
  readonly #options: ConnectionOptions;
  #link: Promise<Link> | undefined;
  #current: Link | undefined;
  /** The wire of the last start, ended or not: what `close` has to wait for. */
  #wire: Wire | undefined;
  #restart: RestartState = fresh;
  #closed = false;
  /** Links that are used up, with calls that are still under way on them. */
  readonly #retired = new Set<Link>();
  #requests = 0;
  #starts = 0;
  #era: ProtocolEra | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The ids of the processes that serve now: the server's and its watchdog's. */
  get processes(): readonly number[] {
    return this.#wire?.processes ?? [];
  }

  /** The revision that is spoken, once it is connected. */
  get revision(): string | undefined {
    return this.#current?.client.getNegotiatedProtocolVersion();
  }

  /** Starts the server, whatever happened before, and reads its tools. @throws AxleError `mcp-unavailable`, `limit-exceeded` */
  async open(): Promise<void> {
    if (this.#closed) {
      throw new AxleError('closed', `The MCP server '${this.#options.name}' was used after it was closed.`);
    }
    this.#restart = fresh;
    const wasUp = this.#current !== undefined;
    const { client } = await this.#ready();
    if (wasUp) await this.#list(client);
  }

  /** Calls a tool once and gives the server's raw result. @throws ToolError with the evidence that the wire gives. */
  async call({ tool, input, timeoutMs, idleTimeoutMs, context, permit }: ToolRequest): Promise<unknown> {
    const link = await this.#readyForCall(context.signal);
    permit();
    this.#requests += 1;
    const key = String(this.#requests);
    const { name: server, redact: hide = (text: string) => text } = this.#options;
    const redact = (text: string): string => context.conceal(hide(text));
    const params = {
      name: tool.name,
      arguments: { ...input },
      _meta: { [deliveryKey]: key, [idempotencyMetaKey]: context.idempotencyKey },
    };
    link.inFlight += 1;
    try {
      const result = await link.client.callTool(params, {
        signal: context.signal,
        timeout: Math.min(idleTimeoutMs, timeoutMs),
        resetTimeoutOnProgress: true,
        maxTotalTimeout: timeoutMs,
        // Without its promise for the output, which the contract checks; what is left says which arguments travel in headers.
        toolDefinition: { name: tool.name, inputSchema: { ...tool.inputSchema, type: 'object' } },
        onprogress: (update) => context.progress(toProgress(update, redact)),
      });
      this.#restart = afterAnswer(this.#restart);
      // Before long texts are kept in a folder, and shown in part.
      return concealIn(this.#redacted(rawResult(result)), context.conceal);
    } catch (error) {
      const facts = link.wire.facts(key);
      if (facts.refusal?.sessionExpired === true) this.#retire(link);
      const { aborted } = context.signal;
      throw toToolError(error, { server, tool: tool.name, facts, end: link.wire.end, aborted, redact });
    } finally {
      link.wire.forget(key);
      link.inFlight -= 1;
      if (link.inFlight === 0 && this.#retired.delete(link)) void link.wire.close();
    }
  }

  /** Ends the server and all that it started; calls under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#current?.wire.goodbye();
    // A start under way fails through its wire; whoever waits for it hears why.
    await this.#wire?.close();
    await this.#link?.catch(() => undefined);
    await this.#wire?.close();
    await Promise.all(Array.from(this.#retired, (link) => link.wire.close()));
  }

  #redacted(result: unknown): unknown {
    const { redact } = this.#options;
    return redact === undefined ? result : JSON.parse(redact(JSON.stringify(result)));
  }

  async #readyForCall(signal: AbortSignal): Promise<Link> {
    const { name } = this.#options;
    if (this.#closed) {
      throw new ToolError({
        code: 'closed',
        class: 'fatal',
        effect: 'none',
        message: `The MCP server '${name}' is closed.`,
      });
    }
    try {
      return await unlessAborted(this.#link ?? this.#startWithin(), signal);
    } catch (cause) {
      if (cause instanceof ToolError) throw cause;
      throw new ToolError({
        ...(cause instanceof AxleError
          ? { code: cause.code, class: cause.class }
          : { code: 'mcp-unavailable', class: 'retryable' }),
        effect: 'none',
        ...(isAxleError(cause, 'authorization-required') ? { authorize: { upstream: name } } : {}),
        message: messageOf(cause),
        cause,
      });
    }
  }

  #startWithin(): Promise<Link> {
    const limits = this.#options.kind === 'http' ? reconnectLimits : restartLimits;
    const advice = mayStart(this.#restart, Date.now(), limits);
    const { name } = this.#options;
    switch (advice.kind) {
      case 'start':
        return this.#ready();
      case 'wait':
        throw new ToolError({
          code: 'mcp-unavailable',
          effect: 'none',
          retryAfterMs: advice.forMs,
          message: `The MCP server '${name}' has failed ${this.#restart.failures} times in a row; it is not started again before ${advice.forMs} ms have passed.`,
        });
      case 'given-up':
        throw new ToolError({
          code: 'mcp-unavailable',
          class: 'fatal',
          effect: 'none',
          message: `The MCP server '${name}' has failed ${this.#restart.failures} times in a row and is not started any more.`,
        });
    }
  }

  #ready(): Promise<Link> {
    this.#link ??= this.#start();
    return this.#link;
  }

  async #start(): Promise<Link> {
    try {
      const link = await this.#agree();
      this.#era = link.client.getProtocolEra();
      await this.#list(link.client);
      // Its end is told only to a link that is in use.
      if (link.wire.end !== undefined) throw new Error('it ended while it started');
      this.#current = link;
      this.#heed(link.client);
      this.#starts += 1;
      if (this.#starts > 1) this.#options.onNotice({ kind: 'reconnected', message: 'The server was connected again.' });
      return link;
    } catch (cause) {
      await this.#wire?.close();
      this.#ended(0);
      throw this.#unavailable(cause);
    }
  }

  /** Connects in the revision that the server speaks. */
  async #agree(): Promise<Link> {
    const { protocol, kind } = this.#options;
    if (protocol === '2025-11-25' || this.#era === 'legacy') return this.#connect('legacy');
    if (protocol === '2026-07-28') return this.#connect('modern');
    try {
      return await this.#connect('ask');
    } catch (error) {
      if (kind !== 'stdio') throw error;
      const code = codeOf(error);
      // A server of the older revision may end at a question that it does not know; then it is not asked.
      if (code === 'ERA_NEGOTIATION_FAILED' && this.#wire?.end?.asked === false) return this.#connect('legacy');
      // One that knows only the newer may have been too slow to say so.
      if (typeof code === 'number') return this.#connect('modern');
      throw error;
    }
  }

  /** One wire, and on it a client that has agreed with the server on a revision. */
  async #connect(as: 'ask' | 'legacy' | 'modern'): Promise<Link> {
    const before = this.#wire;
    const { Client, ProtocolError } = await loadSdk();
    // The process before may still be ending (C1). On the network, calls under way may still be answered in the session before.
    if (this.#options.kind === 'stdio') await before?.close();
    const { name, kind, requestTimeoutMs, onNotice } = this.#options;
    const wire = await this.#options.wire();
    this.#wire = wire;
    const startedAtMs = Date.now();
    const client = new Client(clientInfo, {
      versionNegotiation: {
        mode: as === 'modern' ? { pin: '2026-07-28' } : 'auto',
        probe: {
          timeoutMs: kind === 'stdio' && as === 'ask' ? Math.min(probeLimitMs, requestTimeoutMs) : requestTimeoutMs,
        },
      },
      inputRequired: { autoFulfill: false },
    });
    // What a server asks of its client is answered by nobody here: nobody has been asked whether it may.
    client.fallbackRequestHandler = ({ method }) => {
      onNotice({ kind: 'request-refused', message: `The server asked for ${method}, which was refused.` });
      return Promise.reject(
        new ProtocolError(-32_601, `Axle does not answer ${method}: a tool gets what stands in its arguments.`),
      );
    };
    const link: Link = { client, wire, inFlight: 0 };
    wire.onclose = () => {
      if (this.#current === link) this.#ended(Date.now() - startedAtMs);
    };
    if (this.#closed) throw new AxleError('closed', `The MCP server '${name}' was closed while it started.`);
    await client.connect(wire, {
      timeout: requestTimeoutMs,
      ...(as === 'legacy' ? { prior: { kind: 'legacy' } } : {}),
    });
    return link;
  }

  #unavailable(cause: unknown): AxleError {
    if (cause instanceof AxleError) return cause;
    const { name, redact = (text: string) => text } = this.#options;
    const end = this.#wire?.end;
    // How a server ended that we had to end says nothing of why it did not answer; its last words may.
    const why =
      typeof end?.code === 'number' ? describeEnd(end) : redact(`${describeFailure(cause)}${lastWordsText(end)}`);
    const status = statusOf(cause);
    const code = status === 401 || status === 403 ? 'authorization-required' : 'mcp-unavailable';
    return new AxleError(code, `The MCP server '${name}' could not be connected: ${why}`, { cause });
  }

  async #list(client: Client): Promise<void> {
    const { name, kind, requestTimeoutMs, onListed, onNotice } = this.#options;
    let listed: ListedTools;
    try {
      listed = await readTools(client, { kind, timeoutMs: requestTimeoutMs });
    } catch (cause) {
      const code = cause instanceof AxleError ? cause.code : 'mcp-unavailable';
      throw new AxleError(code, `The MCP server '${name}' did not list its tools: ${messageOf(cause)}`, { cause });
    }
    for (const message of listed.faults) onNotice({ kind: 'list-faulty', message });
    onListed(listed);
  }

  /** Has the list read again when the server says that it has changed. */
  #heed(client: Client): void {
    const { requestTimeoutMs: timeoutMs, onNotice } = this.#options;
    hearChanges(client, {
      timeoutMs,
      isUsed: () => !this.#closed && this.#current?.client === client,
      onChange: () => this.#listAgain(client),
      onSilence: (why) =>
        onNotice({ kind: 'changes-unheard', message: `Changes of its tools are not heard for now: ${why}` }),
    });
  }

  async #listAgain(client: Client): Promise<void> {
    try {
      await this.#list(client);
    } catch (error) {
      const current = this.#current;
      if (this.#closed || current?.client !== client) return;
      // What it offers now is not known, so the next call has it read again from the start (C4).
      this.#options.onNotice({ kind: 'list-faulty', message: messageOf(error) });
      this.#retire(current);
    }
  }

  /** A link that new calls must not use; those under way may still be answered on it. */
  #retire(link: Link): void {
    if (this.#current !== link) return;
    this.#current = undefined;
    this.#link = undefined;
    if (link.inFlight > 0) this.#retired.add(link);
    else void link.wire.close();
  }

  #ended(livedMs: number): void {
    this.#current = undefined;
    this.#link = undefined;
    this.#restart = afterFailure(this.#restart, { nowMs: Date.now(), livedMs });
  }
}

function codeOf(error: unknown): unknown {
  return isRecord(error) ? error['code'] : undefined;
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

function toProgress(
  { progress, total, message }: Progress,
  redact: (text: string) => string,
): { done: number; total?: number; message?: string } {
  return { done: progress, ...defined({ total, message: message === undefined ? undefined : redact(message) }) };
}

/** The promise, unless the signal aborts first; the promise itself goes on for others who wait for it. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw new Error('The call was aborted before the server was ready.');
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error('The call was aborted before the server was ready.'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
