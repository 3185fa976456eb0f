/** `openApiTools()`: the operations of an OpenAPI document, as contracts of Axle. */
import type { Contract } from '../contract/contract.ts';
import type { BreakerDeclaration, LimitsDeclaration } from '../contract/declare/limits.ts';
import { isSourceName, sharedTerms } from '../contract/declare/source-terms.ts';
import { type FromAlias, isFromAlias } from '../contract/program.ts';
import { AxleError } from '../error/axle-error.ts';
import { createHttpClient, type HttpClientOptions } from '../http-client/http-client.ts';
import type { HttpLimits } from '../http-client/http-limits.ts';
import { maxOutputBytes } from '../execute/attempt.ts';
import { maxFileBytes } from './binary-value.ts';
import type { Api } from './call-operation.ts';
import { type ApiDocument, readDocument } from './document.ts';
import { labelOf, methods, type Operation, operationsOf } from './operation.ts';
import { operationNames } from './operation-name.ts';
import type { OperationTerms } from './operation-terms.ts';
import { operationTool } from './operation-tool.ts';
import { type ApiAuth, readAuth, securityOf } from './security.ts';
import { serverUrl } from './server-url.ts';

export interface OpenApiOptions {
  /** Names the service; its tools are called `name.operation`. Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** The document itself. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** Or the path of its file, JSON or YAML. */
  readonly path?: string;
  /** The URL that paths are appended to, or an alias for it, which only an attempt looks up. @defaultValue the first server of the document, where no secret is to be sent */
  readonly server?: string | FromAlias;
  /** Secrets for the security schemes of the document, by name; or credentials that are sent with every request. */
  readonly auth?: ApiAuth;
  /**
   * Which operations become tools: an `operationId`, `GET /pets/{id}`, `tag:pets`, each also with `*` in it. @defaultValue all
   */
  readonly include?: readonly string[];
  /** What is known of operations, by `operationId`, by `PUT /pets/{id}`, or by method (`PUT`) for all of it. */
  readonly effects?: Readonly<Record<string, OperationTerms>>;
  /** Headers of every request, such as a version of the service. A parameter of the same name is no argument then. No secrets: those are `auth`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The header in which the service takes an idempotency key, where its document does not declare it. It alone makes nothing `idempotent`: see `effects`. */
  readonly idempotencyHeader?: string;
  /** The folder that files of requests are read from and those of responses written to. @defaultValue none: bytes come as text or base64, and go unread */
  readonly files?: string;
  /** Holds responses to the schemas of the document; what does not fit is `output-invalid`. @defaultValue false */
  readonly checkResponses?: boolean;
  /** How long one attempt may take, where `effects` does not say. @defaultValue '30s' */
  readonly timeout?: number | string;
  /** What may be asked of the service: all its operations share it, under the name of this source unless `upstream` gives another. */
  readonly limits?: LimitsDeclaration;
  /** When calls stop going to the service. @defaultValue the default breaker, where there are `limits`; else none */
  readonly breaker?: BreakerDeclaration | boolean;
  /** What a refused login does to calls of its operations, where `effects` does not say: fail, or wait until a person has authorised. @defaultValue 'fail' */
  readonly authorization?: NonNullable<OperationTerms['authorization']>;
  /** What may be dialled, where secrets are, and the limits of requests; time is limited by `timeout` where these limits say nothing. */
  readonly http?: HttpClientOptions;
}

/** An operation that cannot become a tool. */
export interface RefusedOperation {
  /** Method and path. */
  readonly operation: string;
  readonly reason: string;
}

/** A document whose tools can be had. */
export interface OpenApiSource {
  readonly name: string;
  readonly isForeign: true;
  /** Reads the document and gives its tools. @throws AxleError `configuration-invalid`, `contract-invalid` for terms of `effects`, `peer-missing` */
  connect(): Promise<readonly Contract[]>;
  /** The operations that the last `connect()` left out, with the reasons. */
  readonly refused: readonly RefusedOperation[];
  /** What is doubtful about the tools of the last `connect()`: references that lead nowhere, credentials that are not given. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

const maxOperations = 2_000;

/**
 * Declares a service that an OpenAPI document describes (2.0, 3.0, 3.1 or 3.2).
 *
 * @example
 * ```ts
 * const pets = openApiTools({
 *   name: 'pets',
 *   path: 'petstore.yaml',
 *   server: 'https://pets.example.com/v1',
 *   auth: { api_key: secret('PETS_KEY') },
 *   effects: { PUT: { effect: 'idempotent' } },
 * });
 * await using axle = await createAxle({ store: 'axle.db', tools: [pets] });
 * ```
 * @throws AxleError `configuration-invalid`
 */
export function openApiTools(options: OpenApiOptions): OpenApiSource {
  const { name } = options;
  if (!isSourceName(name)) {
    throw invalid(name, 'its name must be 1 to 64 letters, digits, _ or -');
  }
  const client = createHttpClient({ ...options.http, limits: { ...limitsOf(options), ...options.http?.limits } });
  let refused: readonly RefusedOperation[] = [];
  let warnings: readonly string[] = [];
  return {
    name,
    isForeign: true,
    connect: async () => {
      const document = await readDocument(sourceOf(options));
      const api: Api = {
        name,
        document,
        client,
        server: serverOf(document, options),
        headers: options.headers ?? {},
        folder: options.files,
        idempotencyHeader: options.idempotencyHeader,
      };
      const taken = toContracts(api, options);
      refused = taken.refused;
      warnings = taken.warnings;
      return taken.contracts;
    },
    get refused() {
      return refused;
    },
    get warnings() {
      return warnings;
    },
    close: async () => {},
  };
}

function serverOf(document: ApiDocument, { server, auth }: OpenApiOptions): Api['server'] {
  if (isFromAlias(server)) return server;
  return serverUrl(document, server, auth !== undefined);
}

/** Results larger than the journal takes are not read to their end; files go past the journal. Time is limited by the attempt, which aborts the request. */
function limitsOf({ files }: OpenApiOptions): Partial<HttpLimits> {
  return {
    responseTimeoutMs: dayMs,
    idleTimeoutMs: dayMs,
    totalTimeoutMs: dayMs,
    maxRequestBytes: 2 * maxFileBytes,
    maxResponseBytes: files === undefined ? maxOutputBytes : maxFileBytes,
  };
}

/** The longest that an attempt may take. */
const dayMs = 24 * 3_600_000;

function sourceOf({ name, document, path }: OpenApiOptions): Parameters<typeof readDocument>[0] {
  if (document !== undefined && path === undefined) return { document };
  if (path !== undefined && document === undefined) return { path };
  throw invalid(name, 'either document or path must be given');
}

interface Taken {
  readonly contracts: readonly Contract[];
  readonly refused: readonly RefusedOperation[];
  readonly warnings: readonly string[];
}

function toContracts(api: Api, options: OpenApiOptions): Taken {
  const { document } = api;
  const all = operationsOf(document);
  const names = new Map(operationNames(all, options.name).map((name, index) => [all[index], name]));
  const chosen = chosenOf(all, options);
  const auth = readAuth(document, options.auth ?? []);
  checkEffects(all, options);
  const contracts: Contract[] = [];
  const refused: RefusedOperation[] = [];
  const warnings: string[] = [];
  for (const operation of chosen) {
    const made = operationTool(operation, {
      document,
      api,
      name: names.get(operation) ?? '',
      terms: {
        timeout: options.timeout ?? '30s',
        ...sharedTerms(options),
        ...termsFor(operation, options.effects ?? {}),
      },
      security: securityOf(document, operation, auth),
      fixedHeaders: new Set(Object.keys(options.headers ?? {}).map((each) => each.toLowerCase())),
      checkResponses: options.checkResponses === true,
    });
    if (made.kind === 'refused') refused.push({ operation: labelOf(operation), reason: made.reason });
    else {
      contracts.push(made.contract);
      warnings.push(...made.warnings);
    }
  }
  return { contracts, refused, warnings };
}

/** What is said of the method, then of the operation. */
function termsFor(operation: Operation, effects: Readonly<Record<string, OperationTerms>>): OperationTerms {
  let terms: OperationTerms = {};
  for (const key of [operation.method.toUpperCase(), labelOf(operation), operation.operationId]) {
    if (key !== undefined && Object.hasOwn(effects, key)) terms = { ...terms, ...effects[key] };
  }
  return terms;
}

function checkEffects(all: readonly Operation[], { name, effects = {} }: OpenApiOptions): void {
  const known = new Set([
    ...methods.map((method) => method.toUpperCase()),
    ...all.flatMap((operation) => [labelOf(operation), operation.operationId ?? '']),
  ]);
  const unknown = Object.keys(effects).filter((key) => !known.has(key));
  if (unknown.length > 0) {
    throw invalid(
      name,
      `effects names ${unknown.join(', ')}, which is no operation of the document; write an operationId, 'PUT /path' or 'PUT'`,
    );
  }
}

function chosenOf(all: readonly Operation[], { name, include }: OpenApiOptions): readonly Operation[] {
  const chosen =
    include === undefined ? all : all.filter((operation) => include.some((pattern) => matches(operation, pattern)));
  const idle = include?.find((pattern) => !all.some((operation) => matches(operation, pattern)));
  if (idle !== undefined) {
    throw invalid(name, `include has ${JSON.stringify(idle)}, which is no operation of the document`);
  }
  if (chosen.length > maxOperations) {
    throw invalid(
      name,
      `the document has ${chosen.length} operations, more than ${maxOperations}; choose some with include`,
    );
  }
  return chosen;
}

function matches(operation: Operation, pattern: string): boolean {
  const text = pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  const whole = new RegExp(`^${text}$`);
  const labels = [operation.operationId ?? '', labelOf(operation), ...operation.tags.map((tag) => `tag:${tag}`)];
  return labels.some((label) => whole.test(label));
}

function invalid(name: string, what: string): AxleError {
  return new AxleError('configuration-invalid', `OpenAPI source '${name}': ${what}.`);
}
