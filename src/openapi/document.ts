/**
 * An OpenAPI document as one form, 3.1, whatever its version and notation.
 *
 * O1 A document is one file: what it refers to outside of itself is never fetched, and the operations that need it are refused by name.
 * O2 The document is data of somebody else: it is copied, its size is bounded, and nothing of it is run.
 */
import { readFile, stat } from 'node:fs/promises';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { isJsonObject, isRecord, type JsonObject, toJson } from '../util/json.ts';

/** Where a document comes from: the document itself, or the path of a file in JSON or YAML. */
export type DocumentSource =
  | { readonly document: Readonly<Record<string, unknown>>; readonly path?: never }
  | { readonly path: string; readonly document?: never };

export interface ApiDocument {
  /** In the form of OpenAPI 3.1 or 3.2. */
  readonly json: JsonObject;
  /** True when it was written for 2.0 or 3.0, where nothing beside a `$ref` counts. */
  readonly isOlder: boolean;
}

/** Larger ones are refused: the largest that is published anywhere has about 12 MB. */
const maxDocumentBytes = 32 * 1_048_576;

/** @throws AxleError `configuration-invalid`, `peer-missing` */
export async function readDocument(source: DocumentSource): Promise<ApiDocument> {
  const given = source.path === undefined ? source.document : await readText(source.path);
  const version = versionOf(given);
  const isOlder = /^(?:2\.0|3\.0\.\d+)$/.test(version);
  if (!isOlder && !/^3\.[12]\.\d+$/.test(version)) {
    throw invalid(`it is written for OpenAPI ${version}; 2.0, 3.0, 3.1 and 3.2 can be read`);
  }
  const json = plain(isOlder ? await upgraded(plain(given)) : given);
  if (!isRecord(json['paths'])) throw invalid('it has no paths');
  return { json, isOlder };
}

function plain(value: unknown): JsonObject {
  const json = toJson(value);
  if (!isJsonObject(json)) throw invalid('it is no object');
  return json;
}

async function readText(path: string): Promise<Readonly<Record<string, unknown>>> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > maxDocumentBytes) throw invalid(`${path} has ${size} bytes, more than ${maxDocumentBytes}`);
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof AxleError) throw cause;
    throw new AxleError('configuration-invalid', `The OpenAPI document ${path} cannot be read: ${messageOf(cause)}.`, {
      cause,
    });
  }
  let parsed: unknown;
  try {
    parsed = /^\s*\{/.test(text) ? JSON.parse(text) : await parseYaml(text);
  } catch (cause) {
    if (cause instanceof AxleError) throw cause;
    throw new AxleError(
      'configuration-invalid',
      `The OpenAPI document ${path} cannot be parsed: ${messageOf(cause)}.`,
      {
        cause,
      },
    );
  }
  if (!isRecord(parsed)) throw invalid(`${path} is no object`);
  return parsed;
}

async function parseYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml').catch((cause: unknown) => {
    throw missingPeer('A document in YAML', 'yaml@2', cause);
  });
  return parse(text);
}

async function upgraded(json: JsonObject): Promise<unknown> {
  const { upgrade } = await import('@scalar/openapi-upgrader').catch((cause: unknown) => {
    throw missingPeer('A document older than OpenAPI 3.1', '@scalar/openapi-upgrader@0.4', cause);
  });
  // It works on what it is handed.
  return upgrade(structuredClone(json), '3.1');
}

function missingPeer(what: string, name: string, cause: unknown): AxleError {
  const bare = name.slice(0, name.lastIndexOf('@'));
  return new AxleError('peer-missing', `${what} needs the package ${bare}, which is not installed.`, {
    cause,
    remedy: `npm install ${name}`,
  });
}

function versionOf(document: Readonly<Record<string, unknown>>): string {
  const version = document['openapi'] ?? document['swagger'];
  if (typeof version === 'string') return version;
  // YAML reads `swagger: 2.0` as a number.
  if (version === 2) return '2.0';
  throw invalid('it says neither openapi nor swagger with a version');
}

function invalid(what: string): AxleError {
  return new AxleError('configuration-invalid', `This is no OpenAPI document that can be read: ${what}.`);
}
