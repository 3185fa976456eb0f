/** Columns of a row as the types that the schema says they have. A file that holds something else is damaged, and that is said with a code. */
import type { SQLOutputValue } from 'node:sqlite';
import { AxleError } from '../../error/axle-error.ts';
import type { JsonValue } from '../../util/json.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** @throws AxleError `store-invalid` when the column is not text. */
export function textOf(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : unexpected(column, value);
}

/** Undefined for a null. @throws AxleError `store-invalid` when the column is neither text nor null. */
export function optionalTextOf(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textOf(row, column);
}

/** @throws AxleError `store-invalid` when the column is not a number. */
export function numberOf(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : unexpected(column, value);
}

/** Undefined for a null. @throws AxleError `store-invalid` when the column is neither a number nor null. */
export function optionalNumberOf(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : numberOf(row, column);
}

/** @throws AxleError `store-invalid` when the column is not JSON text. */
export function jsonOf(row: Row, column: string): JsonValue {
  const text = textOf(row, column);
  try {
    return parseJson(text);
  } catch (cause) {
    throw new AxleError('store-invalid', `The column ${column} of the store does not hold JSON.`, { cause });
  }
}

/** One of a few words. @throws AxleError `store-invalid` for any other. */
export function wordOf<T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = textOf(row, column);
  return words.find((word) => word === value) ?? unexpected(column, value);
}

function unexpected(column: string, value: unknown): never {
  const found =
    value === null ? 'null' : typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : `a ${typeof value}`;
  throw new AxleError(
    'store-invalid',
    `The column ${column} of the store holds ${found}, which no release of Axle writes there.`,
  );
}

/** `JSON.parse` gives JSON data, though its type says nothing. */
function parseJson(text: string): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse returns is a JsonValue by definition.
  return JSON.parse(text) as JsonValue;
}
