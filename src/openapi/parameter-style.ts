/**
 * Values of parameters as they stand in a request, in the styles of OpenAPI.
 *
 * Y1 A value is always encoded, so that it cannot become another part of the URL: no separator, no further segment, no further parameter.
 * Y2 Null and absent members are left out; an object or a list inside of a plain value is written as JSON.
 */
import { isJsonArray, isJsonObject, type JsonValue } from '../util/json.ts';

export type ParameterStyle = 'matrix' | 'label' | 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';

export interface Styled {
  readonly name: string;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Leaves reserved characters as they are, where they cannot end the value. @defaultValue false */
  readonly allowReserved?: boolean;
}

type Pair = readonly [name: string, value: string];

/** A part of the path, for the styles `simple`, `label` and `matrix`. */
export function pathText({ name, style, explode }: Styled, value: JsonValue): string {
  switch (style) {
    case 'label': {
      const parts = isJsonObject(value) && explode ? membersOf(value).map(joinedBy('=')) : flat(value);
      // Exploded and not, lists and members stand behind dots and commas.
      return `.${parts.join(explode ? '.' : ',')}`;
    }
    case 'matrix': {
      if (isJsonObject(value) && explode) {
        return membersOf(value)
          .map((pair) => `;${joinedBy('=')(pair)}`)
          .join('');
      }
      const encoded = encodeURIComponent(name);
      if (isJsonArray(value) && explode) {
        return flat(value)
          .map((each) => `;${encoded}=${each}`)
          .join('');
      }
      return `;${encoded}=${flat(value).join(',')}`;
    }
    default:
      return isJsonObject(value) && explode ? membersOf(value).map(joinedBy('=')).join(',') : flat(value).join(',');
  }
}

/** A header's value: style `simple`, nothing encoded. */
export function headerText({ explode }: Styled, value: JsonValue): string {
  if (isJsonObject(value)) {
    const members = plainMembers(value);
    return members.map(([key, each]) => (explode ? `${key}=${each}` : `${key},${each}`)).join(',');
  }
  return isJsonArray(value) ? value.filter(isPresent).map(plainText).join(',') : plainText(value);
}

/** Parameters of a query, a form or a cookie, encoded and joined by `&`; empty where there is nothing to say. */
export function queryText(styled: Styled, value: JsonValue): string {
  const encode = styled.allowReserved === true ? encodeReserved : encodeURIComponent;
  return pairsOf(styled, value, encode)
    .map(([name, each]) => `${encodeURIComponent(name)}=${each}`)
    .join('&');
}

/** The values of a pair are encoded, since separators stand between some; names are not. */
function pairsOf(
  { name, style, explode }: Styled,
  value: JsonValue,
  encode: (text: string) => string,
): readonly Pair[] {
  if (!isPresent(value)) return [];
  if (style === 'deepObject') return deep(name, value).map(([key, text]) => [key, encode(text)]);
  const list = isJsonArray(value) ? value.filter(isPresent).map((each) => encode(plainText(each))) : undefined;
  if (list !== undefined) {
    if (explode) return list.map((each) => [name, each]);
    return list.length === 0 ? [] : [[name, list.join(separators[style] ?? ',')]];
  }
  if (isJsonObject(value)) {
    const members = plainMembers(value).map(([key, text]): Pair => [key, encode(text)]);
    if (explode) return members;
    const joined = members.map(([key, text]) => [encodeURIComponent(key), text]).flat();
    return [[name, joined.join(separators[style] ?? ',')]];
  }
  return [[name, encode(plainText(value))]];
}

const separators: Readonly<Partial<Record<ParameterStyle, string>>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** `name[key][0]=value`, at any depth. */
function deep(name: string, value: JsonValue): readonly Pair[] {
  if (isJsonArray(value)) {
    return value.flatMap((each, index) => (isPresent(each) ? deep(`${name}[${index}]`, each) : []));
  }
  if (!isJsonObject(value)) return [[name, plainText(value)]];
  return Object.entries(value).flatMap(([key, each]) => (isPresent(each) ? deep(`${name}[${key}]`, each) : []));
}

/** The pieces of a value that is not exploded: items, or names and values in turn; encoded. */
function flat(value: JsonValue): readonly string[] {
  if (isJsonArray(value)) return value.filter(isPresent).map((each) => encodeURIComponent(plainText(each)));
  if (isJsonObject(value)) return membersOf(value).flat();
  return [encodeURIComponent(plainText(value))];
}

function membersOf(value: Readonly<Record<string, JsonValue>>): readonly Pair[] {
  return plainMembers(value).map(([key, text]) => [encodeURIComponent(key), encodeURIComponent(text)]);
}

function plainMembers(value: Readonly<Record<string, JsonValue>>): readonly Pair[] {
  return Object.entries(value).flatMap(([key, each]) => (isPresent(each) ? [[key, plainText(each)] as const] : []));
}

function joinedBy(separator: string): (pair: Pair) => string {
  return (pair) => pair.join(separator);
}

function isPresent(value: JsonValue): boolean {
  return value !== null;
}

/** A single value as text. */
export function plainText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Reserved characters stay, but for those that end a value in a query. */
function encodeReserved(text: string): string {
  return encodeURI(text)
    .replaceAll(/[#&=+]/g, encodeURIComponent)
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']');
}
