/**
 * `createServer`: the HTTP API of an Axle as a handler of requests, which can listen by itself or stand inside of another server.
 *
 *   request ──► guard ──► route ──► checks ──► handler ──► answer
 *              (from where)  (table)  (token, scope, parameters, headers, body)
 */
import type { Axle } from '../facade/axle.ts';
import type { AxleMetrics } from '../metrics/create-metrics.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import type { Log } from '../run/engine.ts';
import { checkRequest } from './request/check-request.ts';
import { Listeners } from './stream/event-stream.ts';
import { type GuardOptions, refusalOf } from './request/guard.ts';
import { ListChanges } from './stream/list-changes.ts';
import { isLoopback, type Listening, type ListenOptions, listenOn } from './listen.ts';
import { loadHono } from './load-hono.ts';
import { openApiDocument } from './openapi-document.ts';
import { builtPageFolder, PageFiles } from './page-files.ts';
import { problemResponse } from './problem.ts';
import { Questions } from './read/questions.ts';
import type { Route, ServerParts } from './routes/route.ts';
import { routes } from './routes/routes.ts';
import type { RunLogs } from './read/run-logs.ts';
import { RunRows } from './read/run-rows.ts';
import { SpanTables } from './read/span-tables.ts';
import { ToolSamples } from './read/tool-samples.ts';
import { type ServerToken, TokenBook } from './request/tokens.ts';
import { assertServerOptions } from './read-server-options.ts';
import { readVersion } from './read-version.ts';

export interface ServerOptions {
  /** What is served. The server does not close it. */
  readonly axle: Axle;
  /** With tokens, every request but those for health needs one. @defaultValue none: only this machine is served */
  readonly tokens?: readonly ServerToken[];
  /** Names under which the server is reached, with or without a port. @defaultValue the loopback alone; with tokens any */
  readonly hosts?: readonly string[];
  /** Refuses everything that changes something. @defaultValue false */
  readonly readOnly?: boolean;
  /** What `runLogs()` gave, whose `log` the Axle was made with. @defaultValue no log lines are shown */
  readonly logs?: RunLogs;
  /** What `createMetrics()` gave, which the Axle was made with as an observer: `/metrics` shows it. @defaultValue there is no `/metrics` */
  readonly metrics?: Pick<AxleMetrics, 'text'>;
  /** Folder of the built debugger; false serves none. @defaultValue that of the package */
  readonly page?: string | false;
  /** Bytes of the body of a request, 1,024 to 33,554,432. @defaultValue 4,194,304 */
  readonly maxBodyBytes?: number;
  /** Event streams at a time, 1 to 100,000. @defaultValue 2,000 */
  readonly maxListeners?: number;
  /** Milliseconds after which a listener that takes nothing is let go, 100 to 3,600,000. @defaultValue 30,000 */
  readonly slowListenerMs?: number;
  /** Told of requests at which the server failed. @defaultValue nothing */
  readonly log?: Log;
}

export interface AxleServer {
  /** Answers a request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /**
   * Listens, on 127.0.0.1 when nothing else is said.
   * @throws AxleError `bind-refused` for an address that other machines reach when there is no token; `listen-failed`, `peer-missing`, `closed`
   */
  listen(options?: ListenOptions): Promise<Listening>;
  /** From now on nothing new starts, and `/readyz` says so; reading goes on. */
  drain(): void;
  /** Serves another Axle from now on, in the place of one that is closed or about to be. Event streams end, and their clients come back. */
  replace(axle: Axle): void;
  /** Ends event streams and connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Milliseconds that requests under way get when a server is closed. */
const closeGraceMs = 2_000;

const securityHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
/** For whatever is no page: nothing in it runs, loads or is framed, should a browser ever show it as one. */
const dataPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** @throws AxleError `configuration-invalid` */
export function createServer(options: ServerOptions): AxleServer {
  assertServerOptions(options);
  const { log = () => {}, maxBodyBytes = 4_194_304 } = options;
  const tokens = new TokenBook(options.tokens ?? []);
  const { maxListeners: most = 2_000, slowListenerMs: slowMs = 30_000 } = options;
  const listeners = new Listeners({ most, slowMs });
  const page = new PageFiles(options.page === false ? undefined : (options.page ?? builtPageFolder()));
  const version = readVersion();
  const startedAtMs = Date.now();
  let isDraining = false;
  let isClosed = false;
  let listening: Listening | undefined;

  const partsOf = (axle: Axle): ServerParts => {
    const rows = new RunRows(axle.store);
    return {
      axle,
      rows,
      questions: new Questions(axle, rows),
      spans: new SpanTables(axle.store),
      toolSamples: new ToolSamples(axle.store),
      changes: new ListChanges(axle.store, rows),
      logs: options.logs,
      metrics: options.metrics,
      listeners,
      isReadOnly: options.readOnly ?? false,
      needsToken: !tokens.isEmpty,
      isDraining: () => isDraining,
      startedAtMs,
      version,
      document: () => openApiDocument(routes, { version, needsToken: !tokens.isEmpty }),
    };
  };
  let parts = partsOf(options.axle);
  const guard: GuardOptions = {
    hosts: options.hosts ?? (tokens.isEmpty ? 'loopback' : 'any'),
    port: () => listening?.port,
  };

  const handle = async (route: Route, request: Request, params: Record<string, string>): Promise<Response> => {
    const answer = await route.handle(await checkRequest(route, { request, params }, { parts, tokens, maxBodyBytes }));
    return request.method === 'HEAD' ? headOf(answer) : answer;
  };

  let app: Promise<(request: Request) => Response | Promise<Response>> | undefined;

  const fetch = async (request: Request): Promise<Response> => {
    try {
      const refusal = refusalOf(request, guard, isPlainPagePath);
      if (refusal !== undefined) throw refusal;
      if (isClosed) throw new AxleError('draining', 'The server is closed.');
      app ??= dispatcher({ handle, page });
      return withSecurity(await (await app)(request));
    } catch (error) {
      if (!isAxleError(error)) {
        log('error', 'A request failed.', { path: new URL(request.url).pathname, reason: messageOf(error) });
      }
      return withSecurity(problemResponse(error));
    }
  };

  const close = async (): Promise<void> => {
    isDraining = true;
    isClosed = true;
    listeners.endAll();
    if (listening === undefined) return;
    const { end } = listening;
    const timer = setTimeout(end, closeGraceMs);
    await listening.close();
    clearTimeout(timer);
  };

  return {
    fetch,
    listen: async (where = {}) => {
      if (isClosed) throw new AxleError('closed', 'This server was closed.');
      if (listening !== undefined) throw new AxleError('listen-failed', `This server listens at ${listening.url}.`);
      const { host = '127.0.0.1' } = where;
      if (tokens.isEmpty && !isLoopback(host)) {
        throw new AxleError('bind-refused', `Other machines reach ${host}, and this server has no token.`);
      }
      listening = await listenOn(fetch, where);
      return listening;
    },
    drain: () => {
      isDraining = true;
    },
    replace: (axle) => {
      parts = partsOf(axle);
      isDraining = isClosed;
      listeners.endAll();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Paths of the API and of the machinery around it; everything else is the page. */
function isPagePath(path: string): boolean {
  return !/^\/(?:v1(?:\/|$)|openapi\.json$|healthz$|readyz$|startupz$|metrics$)/.test(path);
}

/** The same of a path as a request spells it: the router reads `/%761` as `/v1` too. What cannot be read is no page. */
function isPlainPagePath(path: string): boolean {
  try {
    return isPagePath(decodeURI(path));
  } catch {
    return false;
  }
}

/** The table of routes as a router. @throws AxleError `peer-missing` */
async function dispatcher({
  handle,
  page,
}: {
  readonly handle: (route: Route, request: Request, params: Record<string, string>) => Promise<Response>;
  readonly page: PageFiles;
}): Promise<(request: Request) => Response | Promise<Response>> {
  const { Hono, compress } = await loadHono();
  const app = new Hono();
  app.use(compress());
  for (const route of routes) {
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ':$1'), (context) =>
      handle(route, context.req.raw, context.req.param()),
    );
  }
  app.notFound((context) => {
    const { path, method } = context.req;
    const allowed = routes.filter((route) => isSamePath(route.path, path)).map((route) => route.method);
    if (allowed.length > 0 || (isPagePath(path) && method !== 'GET' && method !== 'HEAD')) {
      const allow = allowed.length > 0 ? allowed.join(', ') : 'GET';
      const message = `${path} takes ${allow}, and not ${method}.`;
      return problemResponse(new AxleError('method-not-allowed', message), { allow });
    }
    if (isPagePath(path)) return page.answer(path, context.req.raw);
    const meant = routes.find((route) => isUnescaped(route.path, path));
    const why = meant === undefined ? '' : ` An id in ${meant.path} is URL-encoded: a / in it is written %2F.`;
    throw new AxleError('route-unknown', `The API has nothing at ${path}.${why}`);
  });
  app.onError((error) => {
    throw error;
  });
  return (request) => app.fetch(request);
}

function isSamePath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith('{') || part === given[at]);
}

/** Whether a path would fit if its last parameter could hold strokes, and nothing else is below it. */
function isUnescaped(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  const isLeaf = !routes.some((route) => route.path.startsWith(`${pattern}/`));
  return (
    isLeaf &&
    given.length > wanted.length &&
    wanted.at(-1)?.startsWith('{') === true &&
    isSamePath(pattern, given.slice(0, wanted.length).join('/'))
  );
}

/** An answer whose body nobody reads: what stands behind a stream, such as the place of a listener, is given back. */
async function headOf(answer: Response): Promise<Response> {
  await answer.body?.cancel();
  return new Response(null, answer);
}

function withSecurity(response: Response): Response {
  const { headers } = response;
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value);
  if (!headers.has('content-security-policy')) headers.set('content-security-policy', dataPolicy);
  return response;
}
