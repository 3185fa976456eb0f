/** The body of a request: which of the media types is sent, what its schema is, and how the value becomes bytes. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { binarySchema, readBinary } from './binary-value.ts';
import type { ApiDocument } from './document.ts';
import { type ParameterStyle, plainText, queryText } from './parameter-style.ts';
import { exampleOf } from './parameters.ts';
import { resolveObject } from './reference.ts';
import type { SchemaWriter } from './schema-writer.ts';

type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'binary';

export interface RequestBody {
  readonly kind: BodyKind;
  /** What is sent as `Content-Type`; for `multipart`, without its boundary. */
  readonly contentType: string;
  readonly isRequired: boolean;
  readonly schema: JsonValue | undefined;
  /** Of the media type: how single properties of a form are written. */
  readonly encoding: JsonObject;
  readonly example: JsonValue | undefined;
}

/** Undefined where an operation takes none. */
export function readRequestBody(document: ApiDocument, operation: JsonObject): RequestBody | undefined {
  const body = resolveObject(document.json, operation['requestBody']);
  const content = body?.['content'];
  if (body === undefined || !isJsonObject(content)) return undefined;
  const types = Object.keys(content);
  const chosen = order.map((kind) => types.find((type) => kindOf(type) === kind)).find((type) => type !== undefined);
  if (chosen === undefined) return undefined;
  const media = resolveObject(document.json, content[chosen]) ?? {};
  const kind = kindOf(chosen);
  return {
    kind,
    contentType: chosen.includes('*') ? wildcards[kind] : chosen,
    isRequired: body['required'] === true,
    schema: media['schema'],
    encoding: isJsonObject(media['encoding']) ? media['encoding'] : {},
    example: exampleOf(media),
  };
}

/** What a model can say most plainly comes first. */
const order: readonly BodyKind[] = ['json', 'form', 'multipart', 'text', 'binary'];

const wildcards: Readonly<Record<BodyKind, string>> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  text: 'text/plain',
  binary: 'application/octet-stream',
};

function kindOf(contentType: string): BodyKind {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  if (/^(?:application\/json|[^/]+\/[^/]+\+json|\*\/\*|application\/\*)$/.test(type)) return 'json';
  if (type === 'application/x-www-form-urlencoded') return 'form';
  if (type === 'multipart/form-data') return 'multipart';
  return /^text\/|[/+]xml$|yaml$/.test(type) ? 'text' : 'binary';
}

/** The schema of the argument `body`. */
export function bodySchema(
  document: ApiDocument,
  body: RequestBody,
  setting: { readonly writer: SchemaWriter; readonly hasFolder: boolean },
): JsonObject | boolean {
  const { writer, hasFolder } = setting;
  switch (body.kind) {
    case 'json':
    case 'form':
      return writer.write(body.schema);
    case 'text':
      return { type: 'string' };
    case 'binary':
      return binarySchema(hasFolder);
    case 'multipart': {
      const written = writer.write(resolveObject(document.json, body.schema));
      const properties = typeof written === 'boolean' ? undefined : written['properties'];
      if (typeof written === 'boolean' || !isJsonObject(properties)) return written;
      return {
        ...written,
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, schema]) => [
            name,
            withBinary(document, schema, { name, body, hasFolder }),
          ]),
        ),
      };
    }
  }
}

function withBinary(
  document: ApiDocument,
  schema: JsonValue,
  { name, body, hasFolder }: { readonly name: string; readonly body: RequestBody; readonly hasFolder: boolean },
): JsonValue {
  switch (partKind(document, body, name)) {
    case 'binary':
      return binarySchema(hasFolder);
    case 'binaries':
      return { type: 'array', items: binarySchema(hasFolder) };
    case 'other':
      return schema;
  }
}

/** What a property of a multipart form is, by its schema. */
function partKind(document: ApiDocument, body: RequestBody, name: string): 'binary' | 'binaries' | 'other' {
  const properties = resolveObject(document.json, body.schema)?.['properties'];
  const schema = isJsonObject(properties) ? resolveObject(document.json, properties[name]) : undefined;
  if (schema === undefined) return 'other';
  if (isBinary(schema)) return 'binary';
  const items = resolveObject(document.json, schema['items']);
  return items !== undefined && isBinary(items) ? 'binaries' : 'other';
}

/** Bytes, in 3.0 (`format: binary`) and since (a media type without an encoding). */
function isBinary(schema: JsonObject): boolean {
  if (schema['format'] === 'binary') return true;
  return (
    schema['contentMediaType'] !== undefined &&
    schema['contentEncoding'] === undefined &&
    (schema['type'] ?? 'string') === 'string'
  );
}

export interface EncodedBody {
  readonly contentType: string;
  readonly bytes: string | Uint8Array;
}

export interface EncodeSetting {
  readonly document: ApiDocument;
  /** The folder of files, where there is one. */
  readonly folder: string | undefined;
}

/** @throws ToolError `arguments-invalid`, with nothing sent */
export async function encodeBody(body: RequestBody, value: JsonValue, setting: EncodeSetting): Promise<EncodedBody> {
  const { contentType } = body;
  switch (body.kind) {
    case 'json':
      return { contentType, bytes: JSON.stringify(value) };
    case 'form':
      return { contentType, bytes: formText(body, value) };
    case 'text':
      return { contentType, bytes: plainText(value) };
    case 'binary':
      return { contentType, bytes: (await readBinary(value, setting.folder)).bytes };
    case 'multipart':
      return multipart(body, value, setting);
  }
}

function formText(body: RequestBody, value: JsonValue): string {
  if (!isJsonObject(value)) return '';
  return Object.entries(value)
    .map(([name, each]) => queryText({ name, ...encodingOf(body, name) }, asField(body, name, each)))
    .filter((text) => text !== '')
    .join('&');
}

const formStyles: readonly ParameterStyle[] = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'];

function encodingOf(body: RequestBody, name: string): { readonly style: ParameterStyle; readonly explode: boolean } {
  const encoding = isJsonObject(body.encoding[name]) ? body.encoding[name] : {};
  const style = formStyles.find((each) => each === encoding['style']) ?? 'form';
  const { explode } = encoding;
  return { style, explode: typeof explode === 'boolean' ? explode : style === 'form' };
}

/** An object without a style of its own is sent as JSON. */
function asField(body: RequestBody, name: string, value: JsonValue): JsonValue {
  const encoding = isJsonObject(body.encoding[name]) ? body.encoding[name] : {};
  const hasStyle = encoding['style'] !== undefined || encoding['explode'] !== undefined;
  return isJsonObject(value) && !hasStyle ? JSON.stringify(value) : value;
}

async function multipart(body: RequestBody, value: JsonValue, setting: EncodeSetting): Promise<EncodedBody> {
  const form = new FormData();
  for (const [name, each] of Object.entries(isJsonObject(value) ? value : {})) {
    const kind = partKind(setting.document, body, name);
    for (const item of isJsonArray(each) ? each : [each]) {
      if (item === null) continue;
      if (kind !== 'other') {
        const { bytes, name: fileName } = await readBinary(item, setting.folder);
        form.append(
          name,
          new Blob([bytes], { type: partType(body, name) ?? 'application/octet-stream' }),
          fileName ?? name,
        );
      } else if (typeof item === 'object') {
        form.append(name, new Blob([JSON.stringify(item)], { type: partType(body, name) ?? 'application/json' }));
      } else form.append(name, plainText(item));
    }
  }
  // Node's own serialisation: boundary, names and line ends are its business.
  const response = new Response(form);
  return {
    contentType: response.headers.get('content-type') ?? body.contentType,
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
}

function partType(body: RequestBody, name: string): string | undefined {
  const encoding = body.encoding[name];
  const type = isJsonObject(encoding) ? encoding['contentType'] : undefined;
  return typeof type === 'string' && !type.includes('*') ? type.split(',')[0]?.trim() : undefined;
}
