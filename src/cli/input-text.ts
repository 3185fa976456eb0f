/** Text and JSON that a command takes: from an option, a file, or standard input (`-`). */
import { createReadStream } from 'node:fs';
import process from 'node:process';
import { AxleError, isAxleError, messageOf } from '../error/axle-error.ts';
import { type JsonValue, toJson } from '../util/json.ts';
import type { Invocation } from './command.ts';

/** What is longer is refused before it is in memory. */
const maxInputBytes = 16 * 1024 * 1024;

/**
 * The text of `--NAME TEXT` or `--NAME-file FILE`; undefined when neither is given.
 * @throws AxleError `usage-invalid`, also for an empty text: a pipe that brought nothing is a mistake before it is a request; `limit-exceeded`
 */
export async function inputText(invocation: Invocation, name: string): Promise<string | undefined> {
  const text = invocation.text(name);
  const file = invocation.text(`${name}-file`);
  if (text !== undefined && file !== undefined) {
    throw invocation.usage(`--${name} and --${name}-file exclude each other.`);
  }
  const read = file === undefined ? text : await fileText(invocation, `--${name}-file`, file);
  if (read?.trim() === '') {
    throw invocation.usage(
      file === undefined ? `--${name} is empty.` : file === '-' ? 'Standard input is empty.' : `${file} is empty.`,
    );
  }
  return read;
}

async function fileText(invocation: Invocation, option: string, file: string): Promise<string> {
  const what = file === '-' ? 'Standard input' : file;
  let bytes: Buffer;
  try {
    bytes = await readAll(file === '-' ? process.stdin : createReadStream(file), what);
  } catch (error) {
    if (isAxleError(error)) throw error;
    throw invocation.usage(`${option} ${file} cannot be read: ${messageOf(error)}.`, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw invocation.usage(`${what} is not UTF-8 text.`, error);
  }
}

async function readAll(stream: AsyncIterable<unknown>, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    if (!(chunk instanceof Buffer)) throw new AxleError('internal', `${what} gave something else than bytes.`);
    sizeBytes += chunk.length;
    if (sizeBytes > maxInputBytes) {
      throw new AxleError('limit-exceeded', `${what} is longer than ${maxInputBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @throws AxleError `usage-invalid` when the text is no JSON. */
export function parseJsonOption(invocation: Invocation, option: string, text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    return toJson(value);
  } catch (error) {
    throw invocation.usage(`${option} takes JSON, and this is none: ${messageOf(error)}.`, error);
  }
}
