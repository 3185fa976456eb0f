/** Schemas that a plain form is enough for: an object of texts, numbers and choices. The server checks what is written against the whole schema. */
import { isJsonObject, type JsonValue } from '../../../src/util/json.ts';
import { lineOf } from '../words/foreign.tsx';

export interface PlainField {
  readonly name: string;
  readonly type: 'string' | 'number' | 'integer' | 'boolean';
  readonly isRequired: boolean;
  readonly about?: string;
  readonly choices?: readonly string[];
}

const types = new Set<unknown>(['string', 'number', 'integer', 'boolean']);
const mostFields = 24;

/** Undefined when the schema is more than a plain form can say. */
export function fieldsOf(schema: JsonValue | undefined): readonly PlainField[] | undefined {
  if (!isJsonObject(schema) || !isJsonObject(schema['properties'])) return undefined;
  const properties = Object.entries(schema['properties']);
  if (properties.length === 0 || properties.length > mostFields) return undefined;
  const required = schema['required'];
  const fields: PlainField[] = [];
  for (const [name, property] of properties) {
    if (!isJsonObject(property) || !types.has(property['type'])) return undefined;
    const { description, enum: choices } = property;
    const texts = Array.isArray(choices) && choices.every((choice) => typeof choice === 'string') ? choices : undefined;
    if (choices !== undefined && texts === undefined) return undefined;
    fields.push({
      name,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is one of `types`.
      type: property['type'] as PlainField['type'],
      isRequired: Array.isArray(required) && required.includes(name),
      ...(typeof description === 'string' ? { about: lineOf(description, 160) } : {}),
      ...(property['type'] === 'boolean'
        ? { choices: ['true', 'false'] }
        : texts === undefined
          ? {}
          : { choices: texts }),
    });
  }
  return fields;
}

export function writeField(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export type ReadField =
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'absent' }
  | { readonly kind: 'invalid'; readonly message: string };

export function readField({ type, isRequired }: PlainField, text: string): ReadField {
  if (text === '' && (!isRequired || type !== 'string')) {
    return isRequired ? { kind: 'invalid', message: 'It has to be filled in.' } : { kind: 'absent' };
  }
  switch (type) {
    case 'string':
      return { kind: 'value', value: text };
    case 'boolean':
      return text === 'true' || text === 'false'
        ? { kind: 'value', value: text === 'true' }
        : { kind: 'invalid', message: 'true or false' };
    case 'number':
    case 'integer': {
      const value = Number(text);
      if (text.trim() === '' || !Number.isFinite(value)) return { kind: 'invalid', message: 'A number is wanted.' };
      if (type === 'integer' && !Number.isInteger(value)) {
        return { kind: 'invalid', message: 'A whole number is wanted.' };
      }
      return { kind: 'value', value };
    }
  }
}
