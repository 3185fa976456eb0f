/** Reads the fields of a record, which is data of somebody else. What is not there, or has another type, is a fault of the record. */
import type { Effect } from 'axle';

export type Fields = Readonly<Record<string, unknown>>;

/** A record that does not have the form of its format. */
export class RecordFault extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown, name: string): Fields {
  if (isFields(value)) return value;
  throw new RecordFault(`${name} must be an object`);
}

export function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new RecordFault(`${name} must be a text`);
}

export function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new RecordFault(`${name} must be a list`);
}

/** A list of what is given as one or as several. */
export function severalOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

export function effectOf(value: unknown): Effect {
  if (value === 'read' || value === 'idempotent' || value === 'write') return value;
  throw new RecordFault('effect must be read, idempotent or write');
}
