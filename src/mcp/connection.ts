/**
 * A server that is there when it is needed.
 *
 *     idle ──► starting ──► up ──► idle (it ended; the restart policy decides when it may start again)
 *       └───────────────────┴────► closed, for ever
 *
 * C1 At most one process of a connection lives at a time; callers that come while it starts wait for the same start.
 * C2 A call never starts a server against the restart policy, and never waits for it: it fails at once, with nothing sent and the
 *    time after which to try again, and the wait is the caller's.
 * C3 A call is sent once. Nothing in here repeats one.
 */
import type { Client, Tool } from '@modelcontextprotocol/client';
import type { ToolContext } from '../contract/contract.ts';
import { ToolError } from '../contract/tool-error.ts';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { defined } from '../util/defined.ts';
import type { JsonObject } from '../util/json.ts';
import { describeEnd, toToolError } from './call-fault.ts';
import { loadSdk } from './load-sdk.ts';
import { readToolResult, type ToolAnswer } from './content.ts';
import { afterFailure, fresh, mayStart, type RestartState } from './restart-policy.ts';
import type { ServerCommand } from './server-process.ts';
import { deliveryKey, StdioTransport } from './stdio-transport.ts';

/** The key in a request's `_meta` under which a server finds the idempotency key of the call. */
const idempotencyMetaKey = 'axle/idempotency-key';

/** How Axle introduces itself to a server. A test holds it to package.json. */
export const clientInfo = { name: 'axle', version: '0.1.0' };

export interface ConnectionOptions {
  readonly name: string;
  readonly command: ServerCommand;
  /** Milliseconds that a start or a request of the protocol may take. */
  readonly requestTimeoutMs: number;
}

export interface ToolRequest {
  readonly tool: string;
  readonly input: JsonObject;
  readonly timeoutMs: number;
  readonly context: ToolContext;
}

interface Link {
  readonly client: Client;
  readonly transport: StdioTransport;
}

export class Connection {
  readonly #options: ConnectionOptions;
  #link: Promise<Link> | undefined;
  /** The transport of the last start, ended or not: what `close` has to wait for. */
  #transport: StdioTransport | undefined;
  #restart: RestartState = fresh;
  #closed = false;
  #requests = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** The ids of the processes that serve now: the server's and its watchdog's. */
  get processes(): readonly number[] {
    const server = this.#transport?.server;
    if (server === undefined || this.#transport?.end !== undefined) return [];
    return [server.pid, server.watchdogPid].filter((pid) => pid !== undefined);
  }

  /** Starts the server, whatever happened before, and lists its tools. @throws AxleError `mcp-unavailable` */
  async open(): Promise<readonly Tool[]> {
    if (this.#closed) {
      throw new AxleError('closed', `The MCP server '${this.#options.name}' was used after it was closed.`);
    }
    this.#restart = fresh;
    const { client } = await this.#ready();
    // Asked first, since the SDK writes to standard output about a server without tools.
    if (client.getServerCapabilities()?.tools === undefined) return [];
    try {
      const { tools } = await client.listTools(undefined, { timeout: this.#options.requestTimeoutMs });
      return tools;
    } catch (cause) {
      throw new AxleError(
        'mcp-unavailable',
        `The MCP server '${this.#options.name}' did not list its tools: ${messageOf(cause)}`,
        { cause },
      );
    }
  }

  /** Calls a tool once. @throws ToolError with the evidence that the wire gives. */
  async call({ tool, input, timeoutMs, context }: ToolRequest): Promise<ToolAnswer> {
    const { client, transport } = await this.#readyForCall(context.signal);
    this.#requests += 1;
    const key = String(this.#requests);
    const params = {
      name: tool,
      arguments: input,
      _meta: { [deliveryKey]: key, [idempotencyMetaKey]: context.idempotencyKey },
    };
    try {
      const result = await client.request(
        { method: 'tools/call', params },
        { signal: context.signal, timeout: timeoutMs, onprogress: (update) => context.progress(toProgress(update)) },
      );
      return readToolResult(result);
    } catch (error) {
      const { name: server } = this.#options;
      throw toToolError(error, {
        server,
        tool,
        wire: transport.evidence(key),
        end: transport.end,
        aborted: context.signal.aborted,
      });
    } finally {
      transport.forget(key);
    }
  }

  /** Ends the server and all that it started; calls under way fail. */
  async close(): Promise<void> {
    this.#closed = true;
    // A start under way fails through its transport; whoever waits for it hears why.
    await this.#transport?.close();
    await this.#link?.catch(() => undefined);
    await this.#transport?.close();
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
        code: 'mcp-unavailable',
        class: 'retryable',
        effect: 'none',
        message: messageOf(cause),
        cause,
      });
    }
  }

  #startWithin(): Promise<Link> {
    const advice = mayStart(this.#restart, Date.now());
    const { name } = this.#options;
    switch (advice.kind) {
      case 'start':
        return this.#ready();
      case 'wait':
        throw new ToolError({
          code: 'mcp-unavailable',
          effect: 'none',
          retryAfterMs: advice.forMs,
          message: `The MCP server '${name}' has ended ${this.#restart.failures} times in a row; it is not started again before ${advice.forMs} ms have passed.`,
        });
      case 'given-up':
        throw new ToolError({
          code: 'mcp-unavailable',
          class: 'fatal',
          effect: 'none',
          message: `The MCP server '${name}' has ended ${this.#restart.failures} times in a row and is not started any more.`,
        });
    }
  }

  #ready(): Promise<Link> {
    this.#link ??= this.#start();
    return this.#link;
  }

  async #start(): Promise<Link> {
    const before = this.#transport;
    const { Client } = await loadSdk();
    // The process before may still be ending (C1).
    await before?.close();
    const { name, command, requestTimeoutMs } = this.#options;
    const transport = new StdioTransport(command);
    this.#transport = transport;
    const startedAtMs = Date.now();
    let up = false;
    transport.onclose = () => {
      if (up) this.#ended(Date.now() - startedAtMs);
    };
    const client = new Client(clientInfo);
    try {
      if (this.#closed) throw new AxleError('closed', `The MCP server '${name}' was closed while it started.`);
      await client.connect(transport, { timeout: requestTimeoutMs });
    } catch (cause) {
      await transport.close();
      this.#ended(0);
      const { end } = transport;
      // A server that we had to end says nothing of why it did not answer.
      const why = typeof end?.code === 'number' ? describeEnd(end) : messageOf(cause);
      throw new AxleError('mcp-unavailable', `The MCP server '${name}' could not be connected: ${why}`, { cause });
    }
    up = true;
    if (transport.end !== undefined) this.#ended(Date.now() - startedAtMs);
    return { client, transport };
  }

  #ended(livedMs: number): void {
    this.#link = undefined;
    this.#restart = afterFailure(this.#restart, { nowMs: Date.now(), livedMs });
  }
}

function toProgress(update: {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}): {
  done: number;
  total?: number;
  message?: string;
} {
  return {
    done: update.progress,
    ...defined({ total: update.total, message: update.message }),
  };
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
