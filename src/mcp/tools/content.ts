/**
 * What an MCP server answers, as the JSON that a tool of Axle gives.
 *
 * C1 No binary data is ever part of it: a picture or a sound is named by media type, size and the reference under which it is kept.
 * C2 It is bounded, whatever the server sent: text beyond the limit is kept under a reference, and its beginning and end are shown with a note on how to read
 *    the rest. It is kept once.
 * C3 The parts keep their order.
 */
import { cutText } from '../../util/cut-text.ts';
import { isRecord, type JsonObject, type JsonValue, toJson } from '../../util/json.ts';

/** The two forms of an answer of a tool. */
export type ToolAnswer =
  | { readonly kind: 'output'; readonly output: JsonValue }
  /** The tool itself says that it failed. */
  | { readonly kind: 'failed'; readonly message: string };

/** What marks an output of several parts, or of one that is no plain text. */
const contentKind = 'mcp-content';

export interface ContentOptions {
  /** Characters of text that one answer may put in front of a model. */
  readonly maxTextChars: number;
  /** Keeps bytes and gives their reference. Undefined where nothing is kept. */
  readonly keep: ((content: Uint8Array) => Promise<string>) | undefined;
  /** The tool with which a model reads what is kept. */
  readonly reader: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const maxParts = 100;
const shown = { beginning: 3_000, end: 1_000, name: 300, failure: 4_000 } as const;

/**
 * Reads the result of `tools/call`.
 *
 * Plain text is the output as it stands, its parts joined by line ends; so is `structuredContent`, whose text is only its mirror. Everything else is
 * `{ kind: 'mcp-content', content: [...], structuredContent? }`.
 *
 * @throws AxleError `value-not-storable` when the structured content cannot be kept.
 */
export async function readToolResult(result: unknown, options: ContentOptions): Promise<ToolAnswer> {
  const fields = isRecord(result) ? result : {};
  const parts: readonly unknown[] = Array.isArray(fields['content']) ? fields['content'] : [];
  if (fields['isError'] === true) {
    const text = parts.map(textOf).filter((part) => part !== undefined);
    return {
      kind: 'failed',
      message: cutText(text.join('\n') || 'The tool failed and did not say why.', shown.failure),
    };
  }
  const structured = fields['structuredContent'] === undefined ? undefined : toJson(fields['structuredContent']);
  // The text beside structured content says the same once more.
  const own = structured === undefined ? parts : parts.filter((part) => typeOf(part) !== 'text');
  const room = { chars: options.maxTextChars };
  if (structured !== undefined) {
    return { kind: 'output', output: await structuredOutput(structured, own, { room, options }) };
  }
  if (own.every((part) => typeOf(part) === 'text')) {
    const text = own.map(textOf).join('\n');
    if (text.length <= room.chars) return { kind: 'output', output: text };
    return { kind: 'output', output: contentOf([await keptText({ type: 'text' }, text, { room, options })]) };
  }
  return { kind: 'output', output: contentOf(await readParts(own, { room, options })) };
}

interface Reading {
  /** How much text there is still room for. */
  readonly room: { chars: number };
  readonly options: ContentOptions;
}

async function structuredOutput(
  structured: JsonValue,
  others: readonly unknown[],
  reading: Reading,
): Promise<JsonValue> {
  const text = JSON.stringify(structured);
  const isSmall = text.length <= reading.room.chars;
  if (isSmall && others.length === 0) return structured;
  reading.room.chars -= isSmall ? text.length : 0;
  const kept = isSmall ? [] : [await keptText({ type: 'text', mimeType: 'application/json' }, text, reading)];
  const parts = [...kept, ...(await readParts(others, reading))];
  return isSmall ? { ...contentOf(parts), structuredContent: structured } : contentOf(parts);
}

function contentOf(content: readonly JsonObject[]): JsonObject {
  return { kind: contentKind, content };
}

async function readParts(parts: readonly unknown[], reading: Reading): Promise<readonly JsonObject[]> {
  const read: JsonObject[] = [];
  for (const part of parts.slice(0, maxParts)) read.push(await readPart(part, reading));
  const more = parts.length - maxParts;
  return more > 0 ? [...read, note('text', `The server sent ${more} parts more, which were left out.`)] : read;
}

function readPart(part: unknown, reading: Reading): Promise<JsonObject> | JsonObject {
  const fields = isRecord(part) ? part : {};
  const type = typeOf(part);
  switch (type) {
    case 'text':
      return boundedText({ type }, textOf(part) ?? '', reading);
    case 'image':
    case 'audio':
      return keptData({ type, ...names(fields, 'mimeType') }, fields['data'], reading);
    case 'resource': {
      const resource = isRecord(fields['resource']) ? fields['resource'] : {};
      const about = { type, ...names(resource, 'uri', 'mimeType') };
      const text = textOf(part);
      return text === undefined ? keptData(about, resource['blob'], reading) : boundedText(about, text, reading);
    }
    case 'resource_link':
      return { type, ...names(fields, 'uri', 'name', 'title', 'description', 'mimeType'), ...sizeOf(fields['size']) };
    default:
      return note(cutText(type, 40), 'A part of a type that is not known was left out.');
  }
}

function boundedText(about: JsonObject, text: string, reading: Reading): Promise<JsonObject> | JsonObject {
  if (text.length > reading.room.chars) return keptText(about, text, reading);
  reading.room.chars -= text.length;
  return { ...about, text };
}

/** A text that is too long to be shown: its two ends, and where the whole of it is. */
async function keptText(about: JsonObject, text: string, { room, options }: Reading): Promise<JsonObject> {
  const kept = await keep(Buffer.from(text), options);
  room.chars = Math.max(0, room.chars - shown.beginning - shown.end);
  const way =
    'reference' in kept && options.reader !== undefined
      ? `Read more with ${options.reader}, or ask for less.`
      : 'Ask for less to see more of it.';
  return {
    ...about,
    chars: text.length,
    ...kept,
    beginning: text.slice(0, shown.beginning).toWellFormed(),
    end: text.slice(-shown.end).toWellFormed(),
    note: `Only the beginning and the end of ${text.length} characters are shown. ${way}`,
  };
}

async function keptData(about: JsonObject, base64: unknown, { options }: Reading): Promise<JsonObject> {
  const bytes = decode(base64);
  if (bytes === undefined) return { ...about, note: 'Its data is no base64, so it was left out.' };
  return { ...about, ...(await keep(bytes, options)) };
}

/** A call whose effect has happened does not fail because a disk is full. */
async function keep(content: Buffer, options: ContentOptions): Promise<JsonObject> {
  const bytes = content.byteLength;
  if (options.keep === undefined) return { bytes };
  try {
    return { bytes, reference: await options.keep(content) };
  } catch {
    return { bytes, unkept: 'It could not be kept on this machine.' };
  }
}

function decode(base64: unknown): Buffer | undefined {
  if (typeof base64 !== 'string') return undefined;
  const compact = base64.replaceAll(/\s/g, '');
  return compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact)
    ? Buffer.from(compact, 'base64')
    : undefined;
}

function note(type: string, words: string): JsonObject {
  return { type, note: words };
}

function typeOf(part: unknown): string {
  return isRecord(part) && typeof part['type'] === 'string' ? part['type'] : 'unknown';
}

function textOf(part: unknown): string | undefined {
  if (!isRecord(part)) return undefined;
  if (part['type'] === 'text') return typeof part['text'] === 'string' ? part['text'].toWellFormed() : undefined;
  const resource = part['type'] === 'resource' && isRecord(part['resource']) ? part['resource'] : {};
  return typeof resource['text'] === 'string' ? resource['text'].toWellFormed() : undefined;
}

/** Short texts as they are. A URI may hold the data itself, so these are cut too. */
function names(fields: Fields, ...keys: readonly string[]): JsonObject {
  const found: Record<string, JsonValue> = {};
  for (const key of keys) {
    const value = fields[key];
    if (typeof value === 'string') found[key] = cutText(value, shown.name);
  }
  return found;
}

function sizeOf(size: unknown): JsonObject {
  return typeof size === 'number' && Number.isFinite(size) ? { bytes: size } : {};
}

/**
 * The schema of a tool's outputs: what its server promised, or the form for outputs of several parts. It stands under an id of its own, so that references
 * inside of it lead where they led before.
 */
export function outputSchema(promised: Fields): JsonObject {
  const { $schema, ...rest } = promised;
  const id = 'urn:axle:promised';
  const isContent = { type: 'object', required: ['kind'], properties: { kind: { const: contentKind } } };
  const json = toJson({
    ...(typeof $schema === 'string' ? { $schema } : {}),
    $defs: { promised: { ...rest, $id: id } },
    if: isContent,
    then: { properties: { structuredContent: { $ref: id } } },
    else: { $ref: id },
  });
  return isRecord(json) ? json : {};
}
