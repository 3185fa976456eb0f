/**
 * A route: one row of the table that drives dispatch, checks, the OpenAPI document and their tests.
 */
import type { Axle } from '../../facade/axle.ts';
import type { AxleMetrics } from '../../metrics/create-metrics.ts';
import type { JsonObject, JsonValue } from '../../util/json.ts';
import { AxleError } from '../../error/axle-error.ts';
import type { ListChanges } from '../stream/list-changes.ts';
import type { Listeners } from '../stream/event-stream.ts';
import type { RunLogs } from '../read/run-logs.ts';
import type { Questions } from '../read/questions.ts';
import type { RunRows } from '../read/run-rows.ts';
import type { SpanTables } from '../read/span-tables.ts';
import type { ToolSamples } from '../read/tool-samples.ts';
import type { Caller } from '../request/tokens.ts';
import type { Scope } from '../wire.ts';

/** What routes work on. */
export interface ServerParts {
  readonly axle: Axle;
  readonly rows: RunRows;
  readonly questions: Questions;
  readonly spans: SpanTables;
  readonly toolSamples: ToolSamples;
  readonly changes: ListChanges;
  readonly logs: RunLogs | undefined;
  readonly metrics: Pick<AxleMetrics, 'text'> | undefined;
  readonly listeners: Listeners;
  readonly isReadOnly: boolean;
  readonly needsToken: boolean;
  readonly isDraining: () => boolean;
  readonly startedAtMs: number;
  readonly version: string;
  /** The description of this API. */
  readonly document: () => JsonObject;
}

/** A request that has passed all checks of its route. */
export interface Asked {
  readonly request: Request;
  readonly parts: ServerParts;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  /** Fits the schema of the route; an empty object where none was sent and none is needed. */
  readonly body: JsonObject;
  /** The name of the request, from its Idempotency-Key: there always for a route that needs one. */
  readonly key: string | undefined;
  /** The version of the question that an answer is for, without quotes. */
  readonly ifMatch: string | undefined;
}

export interface Parameter {
  readonly about: string;
  readonly schema: JsonObject;
}

export interface Answer {
  readonly about: string;
  readonly schema?: JsonObject;
  /** @defaultValue application/json */
  readonly media?: string;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  /** Parameters stand in braces. */
  readonly path: string;
  /** The name of the operation in the OpenAPI document. */
  readonly id: string;
  readonly about: string;
  /** `public` needs no token. */
  readonly scope: Scope | 'public';
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly needs?: 'idempotency-key' | 'if-match';
  /** Present for a request that has a body; without references, so that it is a schema of its own. */
  readonly body?: JsonObject;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly handle: (asked: Asked) => Promise<Response>;
}

/** An answer with JSON data. */
export function json(value: unknown, { status = 200, headers = {} }: JsonAnswerOptions = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

export interface JsonAnswerOptions {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function textIn(values: Asked['query'] | JsonObject, name: string): string | undefined {
  const value: JsonValue | undefined = values[name];
  return typeof value === 'string' ? value : undefined;
}

export function numberIn(values: Asked['query'] | JsonObject, name: string): number | undefined {
  const value: JsonValue | undefined = values[name];
  return typeof value === 'number' ? value : undefined;
}

/** A parameter of the path. */
export function param({ params }: Asked, name: string): string {
  const value = params[name];
  if (value === undefined) throw new AxleError('internal', `The route has no parameter ${name}.`);
  return value;
}
