/**
 * Templates: JSON with places for values, filled from the arguments of a call.
 *
 *   "{cents}"          the argument as it is, whatever its type; an absent one leaves its member out
 *   "for {who}, today" a text with arguments in it; each must be a text, a number or a boolean
 *   "{address/city}"   a member of an argument
 *   "{$idempotencyKey}", "{$runId}", "{$callId}"   what the call is known by
 *   "{{" and "}}"      braces
 */
import { AxleError } from '../error/axle-error.ts';
import { valueAt } from '../contract/pointer.ts';
import { isJsonArray, isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../util/json.ts';

export type TextPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly at: string };

/** What fills a template. */
export interface Filling {
  readonly input: JsonValue;
  /** `$` names. */
  readonly known: Readonly<Record<string, string>>;
}

/** Names that are no arguments. */
export const knownNames = ['$idempotencyKey', '$runId', '$callId'] as const;

/** The parts of a text. @throws AxleError `contract-file-invalid` for braces that do not match, or a name that nothing has */
export function partsOf(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let rest = text;
  while (rest !== '') {
    const found = /\{\{|\}\}|\{([^{}]*)\}|[{}]/u.exec(rest);
    if (found === null) break;
    if (found.index > 0) parts.push({ kind: 'text', text: rest.slice(0, found.index) });
    const [token, name] = found;
    if (token === '{{' || token === '}}') parts.push({ kind: 'text', text: token.slice(1) });
    else if (name === undefined || !isName(name)) throw unreadable(text, token);
    else parts.push({ kind: 'value', at: name });
    rest = rest.slice(found.index + token.length);
  }
  if (rest !== '') parts.push({ kind: 'text', text: rest });
  return parts;
}

function isName(name: string): boolean {
  return name.startsWith('$') ? knownNames.some((known) => known === name) : /^[^\s/{}]+(?:\/[^\s/{}]+)*$/u.test(name);
}

function unreadable(text: string, token: string): AxleError {
  const names = knownNames.join(', ');
  return new AxleError(
    'contract-file-invalid',
    `${JSON.stringify(text)} has ${token}, which names no argument (and is none of ${names}); a brace itself is written twice.`,
  );
}

/** The names of arguments that a template uses. @throws as `partsOf` */
export function argumentsIn(template: JsonValue): readonly string[] {
  if (typeof template === 'string') {
    return partsOf(template).flatMap((part) =>
      part.kind === 'value' && !part.at.startsWith('$') ? [part.at.split('/')[0] ?? ''] : [],
    );
  }
  if (isJsonArray(template)) return template.flatMap(argumentsIn);
  return isJsonObject(template) ? Object.values(template).flatMap(argumentsIn) : [];
}

/** The value of one name; undefined when the call does not have it. */
export function valueOf(at: string, { input, known }: Filling): JsonValue | undefined {
  return at.startsWith('$') ? known[at] : valueAt(input, `/${at}`);
}

/** JSON with its places filled; undefined when all of it is one argument that is absent. */
export function fillJson(template: JsonValue, filling: Filling): JsonValue | undefined {
  if (typeof template === 'string') {
    const parts = partsOf(template);
    const [only] = parts;
    if (only?.kind === 'value' && parts.length === 1) return valueOf(only.at, filling);
    return fillText(parts, filling, (text) => text);
  }
  if (isJsonArray(template)) {
    return template.flatMap((item): JsonArray => {
      const value = fillJson(item, filling);
      return value === undefined ? [] : [value];
    });
  }
  return isJsonObject(template) ? fillObject(template, filling) : template;
}

function fillObject(template: JsonObject, filling: Filling): JsonObject {
  return Object.fromEntries(
    Object.entries(template).flatMap(([name, item]): readonly (readonly [string, JsonValue])[] => {
      const value = fillJson(item, filling);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** A text with its places filled; undefined when one of its arguments is absent. @throws AxleError `arguments-invalid` for one that is no text, number or boolean */
export function fillText(
  parts: readonly TextPart[],
  filling: Filling,
  encode: (text: string) => string,
): string | undefined {
  let filled = '';
  for (const part of parts) {
    if (part.kind === 'text') {
      filled += part.text;
      continue;
    }
    const value = valueOf(part.at, filling);
    if (value === undefined || value === null) return undefined;
    filled += encode(plainText(part.at, value));
  }
  return filled;
}

function plainText(at: string, value: JsonValue): string {
  if (typeof value === 'object') {
    throw new AxleError('arguments-invalid', `${at} goes into a text, and is neither a text nor a number or boolean.`);
  }
  return String(value);
}
