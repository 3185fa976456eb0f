/**
 * Files of requests and responses. A model gives and gets their names; the bytes go past it.
 *
 * N1 Only files of one folder, which whoever configures the tools names, are read and written; a name that leads out of it is refused, links included.
 * N2 What is received is named by the hash of its content, so that the same response is the same file.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { refusedArgument } from './refused-argument.ts';

/** Files go past the journal, and through memory. */
export const maxFileBytes = 64 * 1_048_576;

/** What stands in an input for bytes: a file of the folder, or the bytes themselves. */
export function binarySchema(hasFolder: boolean): JsonObject {
  return {
    type: 'object',
    description: hasFolder
      ? 'A file: its name (file), or its content as text or base64.'
      : 'The content, as text or base64.',
    properties: {
      ...(hasFolder ? { file: { type: 'string', description: 'The name of a file.' } } : {}),
      text: { type: 'string' },
      base64: { type: 'string', contentEncoding: 'base64' },
      ...(hasFolder ? {} : { name: { type: 'string', description: 'The name under which it is sent.' } }),
    },
    additionalProperties: false,
    minProperties: 1,
  };
}

export interface BinaryPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly name: string | undefined;
}

/** @throws ToolError `arguments-invalid`, with nothing sent */
export async function readBinary(value: JsonValue, folder: string | undefined): Promise<BinaryPart> {
  if (typeof value === 'string') return { bytes: bytesOf(value, 'utf8'), name: undefined };
  const { file, text, base64, name } = isJsonObject(value) ? value : {};
  const given = typeof name === 'string' ? name : undefined;
  if (typeof text === 'string') return { bytes: bytesOf(text, 'utf8'), name: given };
  if (typeof base64 === 'string') return { bytes: bytesOf(base64, 'base64'), name: given };
  if (typeof file !== 'string' || folder === undefined) throw refusedArgument('Give file, text or base64.');
  const path = await pathInside(folder, file);
  const { size } = await stat(path);
  if (size > maxFileBytes) throw refusedArgument(`${file} has ${size} bytes; at most ${maxFileBytes} are sent.`);
  return { bytes: new Uint8Array(await readFile(path)), name: file.replaceAll('\\', '/').split('/').at(-1) };
}

async function pathInside(folder: string, name: string): Promise<string> {
  const root = await realpath(folder);
  let path: string;
  try {
    path = await realpath(resolve(root, name));
  } catch {
    throw refusedArgument(`There is no file ${JSON.stringify(name)}.`);
  }
  const inside = relative(root, path);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw refusedArgument(`${JSON.stringify(name)} is not in the folder of files.`);
  }
  if (!(await stat(path)).isFile()) throw refusedArgument(`${JSON.stringify(name)} is no file.`);
  return path;
}

/** Keeps the bytes of a response, when there is a folder, and says what they are. */
export async function keepBinary(
  bytes: Uint8Array,
  contentType: string,
  folder: string | undefined,
): Promise<JsonObject> {
  const hash = createHash('sha256').update(bytes).digest('hex');
  const facts = { contentType, sizeBytes: bytes.byteLength, sha256: hash };
  if (folder === undefined) return facts;
  const name = `${hash.slice(0, 16)}${extensions.get(contentType) ?? (extname(contentType.replace('/', '.')) || '.bin')}`;
  await mkdir(folder, { recursive: true });
  const path = resolve(await realpath(folder), name.replaceAll(/[^A-Za-z0-9._-]/g, '_'));
  const there = await stat(path).catch(() => undefined);
  if (there?.size !== bytes.byteLength) {
    // Under another name until it is whole: a process that ends in the middle leaves no half of it under the name of the whole.
    const unfinished = `${path}.${randomUUID()}`;
    await writeFile(unfinished, bytes, { flag: 'wx' });
    await rename(unfinished, path);
  }
  return { file: path.split('/').at(-1) ?? name, ...facts };
}

const extensions: ReadonlyMap<string, string> = new Map([
  ['application/octet-stream', '.bin'],
  ['application/pdf', '.pdf'],
  ['application/zip', '.zip'],
  ['image/jpeg', '.jpg'],
  ['image/svg+xml', '.svg'],
]);

function bytesOf(text: string, encoding: 'utf8' | 'base64'): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, encoding));
}
