/**
 * Reads JSON as models write it. What it accepts beyond JSON is a named repair; what can be read in two ways, or ends in the middle, is a fault.
 *
 * P1 Of a text that ends inside a structure nothing is read, for no tool.
 * P2 No value is invented and none is dropped: an expression, a name or an omission is a fault.
 * P3 Depth, keys, values and texts are limited while reading.
 */
import { canonicalJson, type JsonValue } from '../../util/json.ts';
import { argumentLimits, isForbiddenKey } from './argument-limits.ts';
import { pointerTo } from '../pointer.ts';
import { type OddNumber, readLenientNumber } from './lenient-number.ts';
import { readLenientString, readTypographicString } from './lenient-string.ts';
import type { TextCursor } from './text-cursor.ts';

const quotedKey = /"(?:[^"\\]|\\[^]){0,200}"\s*:/y;
const words: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const pythonWords: ReadonlyMap<string, boolean | null> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
  ['TRUE', true],
  ['FALSE', false],
  ['NULL', null],
]);

function readKeyText(cursor: TextCursor, path: string): string {
  return cursor.char === '“' ? readTypographicString(cursor, path) : readLenientString(cursor, path, 'key');
}

export class LenientReader {
  readonly cursor: TextCursor;
  /** Numbers by the path at which they stand. */
  readonly oddNumbers = new Map<string, OddNumber>();
  #depth = 0;
  #keys = 0;
  #values = 0;

  constructor(cursor: TextCursor) {
    this.cursor = cursor;
  }

  /** Reads the value that begins here, white space before it included. @throws TextFault */
  readValue(path: string): JsonValue {
    const { cursor } = this;
    cursor.skipSpace(path);
    this.#values += 1;
    if (this.#values > argumentLimits.values) {
      throw cursor.fault('arguments-too-large', `there are more than ${argumentLimits.values} values`);
    }
    const { char } = cursor;
    if (char === '{') return this.#nested(() => this.#readObject(path));
    if (char === '[') return this.#nested(() => this.#readArray(path));
    if (char === '"' || char === "'") return readLenientString(cursor, path, 'value');
    if (char === '“') return readTypographicString(cursor, path);
    if (/[A-Za-z_$]/.test(char)) return this.#readWord(path);
    if (this.#depth === 0) throw cursor.fault('arguments-unreadable', 'an object must stand here');
    const number = readLenientNumber(cursor, path);
    if (number.odd !== undefined) this.oddNumbers.set(path, number.odd);
    return number.value;
  }

  #nested(read: () => JsonValue): JsonValue {
    this.#depth += 1;
    if (this.#depth > argumentLimits.depth) {
      throw this.cursor.fault('arguments-too-large', `they are nested deeper than ${argumentLimits.depth} levels`);
    }
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #readWord(path: string): JsonValue {
    const { cursor } = this;
    const start = cursor.at;
    const word = cursor.take(/[\w$.]+/y) ?? '';
    if (cursor.ended && this.#depth > 0) throw cursor.fault('arguments-truncated', 'the word may go on');
    const literal = words.get(word);
    if (literal !== undefined) return literal;
    const python = pythonWords.get(word);
    cursor.at = start;
    if (python === undefined) {
      throw cursor.fault(
        'arguments-unreadable',
        'a literal value must stand here: names are not resolved, and texts need double quotes',
      );
    }
    cursor.log.add('python-literal', path, { before: word, after: python });
    cursor.at += word.length;
    return python;
  }

  #readArray(path: string): JsonValue {
    const { cursor } = this;
    const items: JsonValue[] = [];
    cursor.at += 1;
    for (;;) {
      cursor.skipSpace(path);
      if (cursor.char === ']') break;
      const itemPath = pointerTo(path, items.length);
      items.push(this.readValue(itemPath));
      if (this.oddNumbers.get(itemPath)?.kind === 'leading-zero') {
        throw cursor.fault(
          'arguments-ambiguous',
          'a number has zeros before it; it may be a code, or the rest of a number with separators',
        );
      }
      cursor.skipSpace(path);
      if (cursor.char === ',') this.#passComma(path, ']');
      else if (cursor.char !== ']') this.#missingItemComma(path, items.at(-1) ?? null);
    }
    cursor.at += 1;
    return items;
  }

  /** Between structures the comma is only forgotten. Between numbers it might be one number; between texts, one text. */
  #missingItemComma(path: string, before: JsonValue): void {
    const { cursor } = this;
    const spaced = /\s/.test(cursor.text.charAt(cursor.at - 1));
    if (typeof before === 'object' && before !== null && /[{[]/.test(cursor.char)) {
      cursor.log.add('missing-comma', path, { after: ',' });
    } else if (
      spaced &&
      typeof before === 'number' &&
      /[\d-]/.test(cursor.char) &&
      cursor.log.permits('missing-comma-between-numbers')
    ) {
      cursor.log.add('missing-comma-between-numbers', path, { after: ',' });
    } else throw cursor.fault('arguments-unreadable', 'a comma or ] must stand here');
  }

  #passComma(path: string, closing: ']' | '}'): void {
    const { cursor } = this;
    cursor.at += 1;
    cursor.skipSpace(path);
    if (cursor.char === closing) cursor.log.add('trailing-comma', path, { before: ',' });
    else if (cursor.char === ',') throw cursor.fault('arguments-unreadable', 'a value is left out between two commas');
  }

  #readObject(path: string): JsonValue {
    const { cursor } = this;
    const members: Record<string, JsonValue> = {};
    cursor.at += 1;
    for (;;) {
      cursor.skipSpace(path);
      if (cursor.char === '}') break;
      const key = this.#readKey(path);
      const value = this.readValue(pointerTo(path, key));
      this.#addMember(members, key, { value, path });
      cursor.skipSpace(path);
      if (cursor.char === ',') this.#passComma(path, '}');
      else if (cursor.char !== '}') this.#missingMemberComma(path, value);
    }
    cursor.at += 1;
    return members;
  }

  /** After a text the quote of the next key might be the text's own. */
  #missingMemberComma(path: string, before: JsonValue): void {
    const { cursor } = this;
    const rule = typeof before === 'string' ? 'missing-comma-after-text' : 'missing-comma';
    if (cursor.look(quotedKey) !== undefined && cursor.log.permits(rule)) cursor.log.add(rule, path, { after: ',' });
    else throw cursor.fault('arguments-unreadable', 'a comma or } must stand here');
  }

  #readKey(path: string): string {
    const { cursor } = this;
    const quoted = /["'“]/.test(cursor.char);
    const key = quoted ? readKeyText(cursor, path) : cursor.take(/[A-Za-z_$][\w$]*/y);
    if (key === undefined) throw cursor.fault('arguments-unreadable', 'a key in double quotes must stand here');
    cursor.skipSpace(path);
    if (cursor.char !== ':') {
      throw cursor.fault('arguments-unreadable', `a colon must stand after the key ${JSON.stringify(key)}`);
    }
    cursor.at += 1;
    if (!quoted) cursor.log.add('unquoted-key', pointerTo(path, key), { before: key, after: JSON.stringify(key) });
    return key;
  }

  #addMember(
    members: Record<string, JsonValue>,
    key: string,
    member: { readonly value: JsonValue; readonly path: string },
  ): void {
    this.#keys += 1;
    if (this.#keys > argumentLimits.keys) {
      throw this.cursor.fault('arguments-too-large', `there are more than ${argumentLimits.keys} keys`);
    }
    if (isForbiddenKey(key)) throw this.cursor.fault('arguments-invalid', `the key ${key} is not accepted anywhere`);
    const before = Object.hasOwn(members, key) ? members[key] : undefined;
    if (before !== undefined && canonicalJson(before) !== canonicalJson(member.value)) {
      throw this.cursor.fault(
        'arguments-ambiguous',
        `the key ${JSON.stringify(key)} is there twice with different values`,
      );
    }
    if (before !== undefined) {
      this.cursor.log.add('duplicate-key', pointerTo(member.path, key), {
        before: [before, member.value],
        after: member.value,
      });
    }
    members[key] = member.value;
  }
}
