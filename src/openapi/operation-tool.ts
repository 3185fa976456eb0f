/** One operation as a contract: its schemas, its terms, and the request that a call of it makes. */
import type { Contract } from '../contract/contract.ts';
import { tool } from '../contract/tool.ts';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import type { ApiDocument } from './document.ts';
import { labelOf, type Operation } from './operation.ts';
import { type OperationTerms, termsOf } from './operation-terms.ts';
import { listOf, textOf } from './json-parts.ts';
import { mayPaginate } from './pagination.ts';
import { type Parameter, readParameters } from './parameters.ts';
import { bodySchema, readRequestBody, type RequestBody } from './request-body.ts';
import { resolveObject } from './reference.ts';
import { SchemaWriter, type WriterOptions } from './schema-writer.ts';
import { type Api, callOperation } from './call-operation.ts';
import { fills, type OperationSecurity } from './security.ts';

/** An operation that became a tool, or why it did not. */
export type OperationTool =
  | { readonly kind: 'tool'; readonly contract: Contract; readonly warnings: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string };

export interface OperationSetting {
  readonly document: ApiDocument;
  readonly api: Api;
  readonly name: string;
  readonly terms: OperationTerms;
  readonly security: OperationSecurity;
  /** Headers that the configuration fixes, in lower case. */
  readonly fixedHeaders: ReadonlySet<string>;
  readonly checkResponses: boolean;
}

const maxDescriptionLength = 4_000;

/** @throws AxleError `contract-invalid` for terms that the configuration declares and no tool can have */
export function operationTool(operation: Operation, setting: OperationSetting): OperationTool {
  const { document, security } = setting;
  const read = readParameters(
    document,
    { pathItem: operation.pathItem, operation: operation.json },
    (place, name) =>
      fills(security.credentials, place, name) || (place === 'header' && setting.fixedHeaders.has(name.toLowerCase())),
  );
  if (read.kind === 'refused') return read;
  const { parameters, idempotencyHeader } = read;
  const templates = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name);
  const unfilled = templates.find((name) => !parameters.some((each) => each.in === 'path' && each.name === name));
  if (unfilled !== undefined) {
    return { kind: 'refused', reason: `its path has {${unfilled}}, and it has no such parameter` };
  }
  if (
    operation.json['requestBody'] !== undefined &&
    resolveObject(document.json, operation.json['requestBody']) === undefined
  ) {
    return { kind: 'refused', reason: 'its request body leads nowhere' };
  }
  const body = readRequestBody(document, operation.json);
  try {
    return contractOf(operation, { ...setting, parameters, body, idempotencyHeader });
  } catch (error) {
    // What the configuration declares wrongly is its writer's to mend.
    if (isAxleError(error, 'contract-invalid')) throw error;
    // One operation with a broken schema must not take the others of its document away.
    return { kind: 'refused', reason: messageOf(error) };
  }
}

interface Parts extends OperationSetting {
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly idempotencyHeader: string | undefined;
}

function contractOf(operation: Operation, parts: Parts): OperationTool {
  const { document, api, name, terms, security, parameters, body, idempotencyHeader } = parts;
  const { input, warnings: inputWarnings } = boundedInput(document, parts);
  const response = new SchemaWriter(document, { direction: 'response' });
  const output = parts.checkResponses ? outputSchema(operation, document, response) : undefined;
  const { tags, json } = operation;
  const declaration = {
    ...termsOf(operation, terms),
    name,
    description: descriptionOf(operation, parameters),
    ...defined({ category: tags[0]?.slice(0, 200), output }),
    ...(json['deprecated'] === true && terms.limitations === undefined
      ? { limitations: 'The service advises against it (deprecated).' }
      : {}),
    input,
    execute: (given: JsonObject, context: Parameters<Contract['execute']>[1]) =>
      callOperation(
        api,
        { operation, name, parameters, body, idempotencyHeader, credentials: security.credentials },
        { input: given, context },
      ),
  };
  const warnings = [
    ...inputWarnings,
    ...response.warnings,
    ...ownServers(operation),
    ...(security.missing.length === 0
      ? []
      : [`it asks for ${security.missing.join(' or ')}, which auth does not have`]),
  ].map((warning) => `${name}: ${warning}`);
  const example = exampleInput(parameters, body);
  return {
    kind: 'tool',
    contract: example === undefined ? tool(declaration) : withExample(declaration, example),
    warnings,
  };
}

/** A document may send single operations elsewhere; requests and secrets go to the server of the source alone. */
function ownServers({ json, pathItem }: Operation): readonly string[] {
  const [own] = [...listOf(json['servers']), ...listOf(pathItem['servers'])];
  const url = isJsonObject(own) ? textOf(own['url']) : undefined;
  return url === undefined ? [] : [`it has a server of its own, ${cutText(url, 200)}, which is not used`];
}

/** Examples of a document are not always right. */
function withExample(declaration: Parameters<typeof tool>[0], example: JsonObject): Contract {
  try {
    return tool({ ...declaration, examples: [{ input: example }] });
  } catch {
    return tool(declaration);
  }
}

/** Longer schemas cost a model more than they tell it, and a check more than it is worth. */
const maxInputChars = 100_000;
/** The first that is small enough is taken. */
const sizes: readonly Omit<WriterOptions, 'direction'>[] = [
  {},
  { descriptions: false },
  { descriptions: false, maxLevels: 4 },
  { descriptions: false, maxLevels: 2 },
  { descriptions: false, maxLevels: 1 },
  { descriptions: false, maxLevels: 0 },
];

interface Input {
  readonly input: JsonObject;
  readonly warnings: readonly string[];
}

/** @throws AxleError `limit-exceeded` */
function boundedInput(document: ApiDocument, parts: Parts): Input {
  for (const size of sizes) {
    const writer = new SchemaWriter(document, { direction: 'request', ...size });
    const input = inputSchema(document, parts, writer);
    if (JSON.stringify(input).length > maxInputChars) continue;
    if (size.maxLevels === undefined) return { input, warnings: writer.warnings };
    const cut = `its arguments are described in more than ${maxInputChars} characters, so anything is admitted behind ${size.maxLevels} references`;
    return { input, warnings: [...writer.warnings, cut] };
  }
  throw new AxleError('limit-exceeded', `its arguments are described in more than ${maxInputChars} characters`);
}

function inputSchema(document: ApiDocument, { parameters, body, api }: Parts, writer: SchemaWriter): JsonObject {
  const properties: Record<string, JsonValue> = {};
  for (const { key, schema, description } of parameters) {
    const written = writer.write(schema);
    const plain = typeof written === 'boolean' ? {} : written;
    properties[key] = description === undefined ? plain : { ...plain, description: cutText(description, 1_000) };
  }
  if (body !== undefined) {
    const schema = bodySchema(document, body, { writer, hasFolder: api.folder !== undefined });
    if (body.isRequired || !isAlwaysEmpty(schema)) properties['body'] = schema;
  }
  const required = [
    ...parameters.filter(({ isRequired }) => isRequired).map(({ key }) => key),
    ...(body?.isRequired === true ? ['body'] : []),
  ];
  return writer.finish({
    type: 'object',
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
}

/** A form without fields, as some documents give every request. */
function isAlwaysEmpty(schema: JsonObject | boolean): boolean {
  if (typeof schema === 'boolean') return !schema;
  const { properties, additionalProperties } = schema;
  return additionalProperties === false && isJsonObject(properties) && Object.keys(properties).length === 0;
}

/** Of the first 2xx response that is described by a schema; undefined where none is. */
function outputSchema(operation: Operation, document: ApiDocument, writer: SchemaWriter): JsonObject | undefined {
  const { responses } = operation.json;
  if (!isJsonObject(responses)) return undefined;
  const successes = Object.keys(responses).filter((status) => /^2(?:\d\d|XX)$/.test(status));
  const bodies = successes.map((status) => {
    const content = resolveObject(document.json, responses[status])?.['content'];
    const type = isJsonObject(content) ? Object.keys(content).find((each) => /json/.test(each)) : undefined;
    const media = isJsonObject(content) && type !== undefined ? resolveObject(document.json, content[type]) : undefined;
    return media?.['schema'];
  });
  // Where one success has a schema and another has none, any of them may come.
  if (bodies.length === 0 || bodies.some((schema) => schema === undefined)) return undefined;
  const written = bodies.map((schema) => writer.write(schema));
  return writer.finish({
    type: 'object',
    properties: {
      status: { type: 'integer' },
      body: written.length === 1 ? (written[0] ?? {}) : { anyOf: written },
      next: { type: 'object' },
    },
    required: ['status', 'body'],
  });
}

function descriptionOf(operation: Operation, parameters: readonly Parameter[]): string {
  const summary = textOf(operation.json['summary']);
  const description = textOf(operation.json['description']);
  const words = [summary, description === summary ? undefined : description].filter((each) => each !== undefined);
  const said = words.length === 0 ? `${labelOf(operation)}.` : words.join('\n');
  const more = mayPaginate(parameters)
    ? '\nWhen the result has next, there is more: call again with its arguments as well.'
    : '';
  return `${cutText(said, maxDescriptionLength)}${more}`;
}

/** Arguments made of the examples of the document; undefined unless everything that is required has one. */
function exampleInput(parameters: readonly Parameter[], body: RequestBody | undefined): JsonObject | undefined {
  const example: Record<string, JsonValue> = {};
  for (const parameter of parameters) {
    if (parameter.example !== undefined) example[parameter.key] = parameter.example;
    else if (parameter.isRequired) return undefined;
  }
  if (body?.example !== undefined && (body.kind === 'json' || body.kind === 'form')) example['body'] = body.example;
  else if (body?.isRequired === true) return undefined;
  return Object.keys(example).length === 0 ? undefined : example;
}
