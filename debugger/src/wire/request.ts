/** Requests to `/v1` of the server that the page came from. */
import type { Problem } from '../../../src/server/wire.ts';
import { noteAnswer, noteSilence } from './connection.ts';
import { authorization } from './token.ts';

/** An answer that is no success. Without `problem` the server did not answer, or not in a form that we know. */
export class RequestFailed extends Error {
  readonly status: number;
  readonly problem: Problem | undefined;

  constructor(status: number, message: string, problem?: Problem) {
    super(message);
    this.name = 'RequestFailed';
    this.status = status;
    this.problem = problem;
  }
}

/** Status of a request that nobody answered. */
export const unanswered = 0;

/** True when asking again may help. */
export function mayPass(error: unknown): boolean {
  return error instanceof RequestFailed && (error.status === unanswered || error.status === 503);
}

export interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The answer, whatever its form. @throws RequestFailed */
export async function ask(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, headers = {}, signal } = options;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...authorization(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      credentials: 'omit',
      redirect: 'error',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    noteSilence();
    throw new RequestFailed(unanswered, 'The server does not answer.');
  }
  noteAnswer();
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** A JSON answer. What it holds is what `src/server/wire.ts` says for the path. @throws RequestFailed */
export async function askJson<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  const response = await ask(path, options);
  // oxlint-disable-next-line typescript/no-unsafe-return -- the types of the wire are shared with the server.
  return response.json();
}

async function failureOf(response: Response): Promise<RequestFailed> {
  const { status } = response;
  try {
    const said: unknown = await response.json();
    if (isProblem(said)) return new RequestFailed(status, said.detail, said);
  } catch {
    // Not JSON: the status has to do.
  }
  return new RequestFailed(status, `The server answered ${status}.`);
}

function isProblem(value: unknown): value is Problem {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    typeof value.code === 'string' &&
    'detail' in value &&
    typeof value.detail === 'string'
  );
}

/** Words for a person: what went wrong and what to do. */
export function wordsOf(error: unknown): { readonly what: string; readonly remedy?: string; readonly code?: string } {
  if (error instanceof RequestFailed) {
    const { problem } = error;
    return problem === undefined
      ? { what: error.message }
      : { what: problem.detail, remedy: problem.remedy, code: problem.code };
  }
  return { what: error instanceof Error ? error.message : String(error) };
}
