/** A service on the loopback address that answers as a test says and keeps what it was sent, with the tools of a document for it. */
import { isRecord } from '../../src/util/json.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { openApiTools, type OpenApiOptions, type OpenApiSource } from '../../src/openapi/openapi-tools.ts';
import { contextOf } from '../mcp/context.ts';
import { type Answer, type RawServer, reply, startRawServer } from '../http-client/raw-server.ts';

export interface Service extends AsyncDisposable {
  readonly server: RawServer;
  readonly source: OpenApiSource;
  readonly contracts: readonly Contract[];
  /** Runs an operation by the end of its tool's name. */
  call(name: string, input: object, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
  /** The first line of the last request. */
  readonly line: string;
  /** A header of the last request. */
  header(name: string): string | undefined;
  /** The body of the last request. */
  readonly body: string;
}

/** Answers JSON, whatever is asked. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return (socket) =>
    socket.end(reply(status, { 'content-type': 'application/json', ...headers }, JSON.stringify(body)));
}

export async function startService(
  paths: object,
  options: Partial<OpenApiOptions> & {
    readonly answer?: Answer;
    readonly more?: object;
    readonly version?: string;
  } = {},
): Promise<Service> {
  const { answer = json(200, { ok: true }), more = {}, version = '3.1.0', ...rest } = options;
  const server = await startRawServer(answer);
  const source = openApiTools({
    name: 'api',
    document: { openapi: version, info: { title: 'A service', version: '1' }, paths, ...more },
    server: server.url,
    ...rest,
    http: { allow: [`127.0.0.1:${server.port}`], ...rest.http },
  });
  const contracts = await source.connect();
  const last = (): string => server.requests.at(-1) ?? '';
  return {
    server,
    source,
    contracts,
    call: (name, input, settings = {}) => toolOf(contracts, name).execute(toPlain(input), contextOf(settings)),
    get line() {
      return last().split('\r\n')[0] ?? '';
    },
    header: (name) => new RegExp(`\\r\\n${name}: (.*)\\r\\n`, 'i').exec(last())?.[1],
    get body() {
      return Buffer.from(last().slice(last().indexOf('\r\n\r\n') + 4), 'latin1').toString('utf8');
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export function toolOf(contracts: readonly Contract[], name: string): Contract {
  const found = contracts.find((contract) => contract.name === name || contract.name.endsWith(`.${name}`));
  if (found === undefined) throw new Error(`no tool ${name} among ${contracts.map((each) => each.name).join(', ')}`);
  return found;
}

function toPlain(input: object): Parameters<Contract['execute']>[0] {
  const copy: unknown = JSON.parse(JSON.stringify(input));
  if (!isRecord(copy)) throw new Error('An input is an object.');
  return copy as Parameters<Contract['execute']>[0];
}

/** An operation of one parameter: `GET /things`, or with the parameter in its path. */
export function oneParameter(parameter: Readonly<Record<string, unknown>>): object {
  const path = parameter['in'] === 'path' ? `/things/{${String(parameter['name'])}}` : '/things';
  return { [path]: { get: { operationId: 'list', parameters: [parameter] } } };
}
