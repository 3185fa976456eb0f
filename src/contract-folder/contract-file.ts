/** A contract file: everything that `tool()` takes as JSON, and an HTTP request in the place of code. */
import type { Contract, ToolContext } from '../contract/contract.ts';
import { tool } from '../contract/tool.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import type { HttpClient } from '../http-client/http-client.ts';
import { isRecord, type JsonObject, type JsonValue, toJson } from '../util/json.ts';
import { type DeclaredRequest, readRequest, requestOf, resultOf } from './http-request.ts';
import { lineOfFault, lineOfMember } from './json-place.ts';
import { argumentsIn, fillJson } from './template.ts';

/** What is wrong with a file. */
export interface FileProblem {
  /** The name of the file in its folder. */
  readonly file: string;
  /** From 1; absent when it is about the file as a whole. */
  readonly line?: number;
  readonly code: string;
  readonly message: string;
}

export type ReadFile =
  | { readonly kind: 'contract'; readonly contract: Contract }
  | { readonly kind: 'problem'; readonly problem: FileProblem };

/** Reads the text of a file. Whatever is wrong with it is a value, with its line. */
export function readContractFile(file: string, text: string, client: HttpClient): ReadFile {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (error) {
    const message = `It is not JSON: ${messageOf(error)}`;
    return problem({ file, line: lineOfFault(text, messageOf(error)), code: 'contract-file-invalid', message });
  }
  try {
    return { kind: 'contract', contract: contractOf(said, client) };
  } catch (error) {
    if (!isAxleError(error)) throw error;
    const line = lineOfField(text, error);
    return problem({ file, ...(line === undefined ? {} : { line }), code: error.code, message: error.message });
  }
}

function problem(found: FileProblem): ReadFile {
  return { kind: 'problem', problem: found };
}

function lineOfField(text: string, { details }: AxleError): number | undefined {
  const field: unknown = isRecord(details) ? details['field'] : undefined;
  return typeof field === 'string' ? lineOfMember(text, field) : undefined;
}

function contractOf(said: unknown, client: HttpClient): Contract {
  if (!isRecord(said)) throw new AxleError('contract-file-invalid', 'A contract file holds an object.');
  const { http, migrate, ...declared } = said;
  for (const field of ['execute', 'verify']) {
    if (declared[field] !== undefined) throw noCode(field);
  }
  const migrations = migrate === undefined ? {} : { migrate: readMigrations(migrate) };
  if (declared['run'] !== undefined) {
    if (http !== undefined) throw noCode('run', 'run stands beside http: a tool has one body.');
    if (declared['sandbox'] === 'none') {
      throw noCode(
        'sandbox',
        "sandbox is 'none': what a file runs is kept apart, and only a program can say that it is trusted.",
      );
    }
    return fromFile({ ...declared, ...migrations });
  }
  if (http === undefined) {
    throw noCode('http', 'http and run are missing: the request that a call makes, or the program that it runs.');
  }
  const request = readRequest(http);
  assertArguments(request, declared['input']);
  const declaration = {
    effect: effectOf(request.method),
    ...declared,
    ...migrations,
    execute: async (input: JsonObject, context: ToolContext): Promise<JsonValue> =>
      perform(request, { input, context, client }),
  };
  return fromFile(declaration);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a file says is looked at by `tool()`, which takes anything and says what is wrong with it
const fromFile: (declaration: object) => Contract = tool as (declaration: object) => Contract;

function noCode(field: string, message = `${field} is code, which a file cannot hold.`): AxleError {
  return new AxleError('contract-file-invalid', message, { details: { field } });
}

async function perform(
  declared: DeclaredRequest,
  {
    input,
    context,
    client,
  }: { readonly input: JsonObject; readonly context: ToolContext; readonly client: HttpClient },
): Promise<JsonValue> {
  const { idempotencyKey, runId, callId, signal } = context;
  const known = { $idempotencyKey: idempotencyKey, $runId: runId, $callId: callId };
  const response = await client.request({ ...requestOf(declared, { input, known }), signal });
  return resultOf(response, declared, (text) => context.conceal(client.redact(text)));
}

/** The effect that a method has unless the file says otherwise (RFC 9110, 9.2). */
function effectOf(method: string): 'read' | 'idempotent' | 'write' {
  if (method === 'GET' || method === 'HEAD') return 'read';
  return method === 'PUT' || method === 'DELETE' ? 'idempotent' : 'write';
}

function assertArguments({ uses }: DeclaredRequest, input: unknown): void {
  const properties = isRecord(input) && isRecord(input['properties']) ? input['properties'] : {};
  const stray = [...uses].find((name) => !Object.hasOwn(properties, name));
  if (stray === undefined) return;
  throw new AxleError('contract-file-invalid', `http uses {${stray}}, which the input schema does not name.`, {
    details: { field: 'http' },
  });
}

/** Migrations of a file are templates over what there was. */
function readMigrations(said: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(said)) {
    throw new AxleError('contract-file-invalid', 'migrate must be an object.', { details: { field: 'migrate' } });
  }
  return Object.fromEntries(
    Object.entries(said).map(([version, step]) => {
      if (!isRecord(step)) return [version, step];
      return [
        version,
        Object.fromEntries(Object.entries(step).map(([what, template]) => [what, changeBy(toJson(template))])),
      ];
    }),
  );
}

function changeBy(template: JsonValue): (value: JsonValue) => JsonValue {
  // Read once, so that a template that cannot be is found now.
  argumentsIn(template);
  return (value) => fillJson(template, { input: value, known: {} }) ?? null;
}
