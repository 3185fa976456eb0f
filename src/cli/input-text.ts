/** Text and JSON that a command takes: from an option, a file, or standard input (`-`). */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { AxleError, messageOf } from '../error/axle-error.ts';
import { type JsonValue, toJson } from '../util/json.ts';
import type { Invocation } from './command.ts';

/** Larger inputs are refused before they are read into memory. */
const maxInputBytes = 16 * 1024 * 1024;

/** The text of `--NAME TEXT` or `--NAME-file FILE`; undefined when neither is given. @throws AxleError `usage-invalid`, `limit-exceeded` */
export async function inputText(invocation: Invocation, name: string): Promise<string | undefined> {
  const text = invocation.text(name);
  const file = invocation.text(`${name}-file`);
  if (text !== undefined && file !== undefined) {
    throw new AxleError('usage-invalid', `--${name} and --${name}-file exclude each other.`);
  }
  if (file === undefined) return text;
  if (file === '-') return readStandardInput();
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AxleError('usage-invalid', `--${name}-file ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const stream: AsyncIterable<unknown> = process.stdin;
  for await (const chunk of stream) {
    if (!(chunk instanceof Buffer)) throw new AxleError('internal', 'Standard input gave something else than bytes.');
    sizeBytes += chunk.length;
    if (sizeBytes > maxInputBytes) {
      throw new AxleError('limit-exceeded', `Standard input is longer than ${maxInputBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws AxleError `usage-invalid` when the text is no JSON. */
export function parseJsonOption(option: string, text: string): JsonValue {
  try {
    const value: unknown = JSON.parse(text);
    return toJson(value);
  } catch (error) {
    throw new AxleError('usage-invalid', `${option} takes JSON, and this is none: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
