/** Reads the JSON form of OTLP field by field, as the definition of the protocol has them: a field that is not known, or has another form, is a fault. */
export type Node = Readonly<Record<string, unknown>>;

/** An object with no other fields than these. */
export function node(value: unknown, fields: readonly string[]): Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`no object: ${String(value)}`);
  }
  const stray = Object.keys(value).filter((field) => !fields.includes(field));
  if (stray.length > 0) throw new Error(`not of the protocol: ${stray.join(', ')}`);
  return value as Node;
}

export function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Error(`no list: ${String(value)}`);
  return value;
}

export function text(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`no text: ${String(value)}`);
  return value;
}

/** An id in lower hex digits, which is not all zeros. */
export function hex(value: unknown, length: number): string {
  const found = text(value);
  if (found.length !== length || !/^[0-9a-f]+$/u.test(found) || /^0+$/u.test(found)) throw new Error(`no id: ${found}`);
  return found;
}

export function whole(value: unknown, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > most) {
    throw new Error(`no number: ${String(value)}`);
  }
  return value;
}

export function double(value: unknown): number {
  if (typeof value !== 'number') throw new Error(`no number: ${String(value)}`);
  return value;
}

/** 64 bits do not fit into a number of JSON, so they come as a text of decimal digits. */
export function long(value: unknown): bigint {
  const found = text(value);
  if (!/^(?:0|-?[1-9]\d{0,18})$/u.test(found)) throw new Error(`no 64 bits: ${found}`);
  return BigInt(found);
}

/** Nanoseconds since 1970, of this century. */
export function nano(value: unknown): bigint {
  const found = long(value);
  if (found < 946_684_800_000_000_000n || found > 4_102_444_800_000_000_000n) throw new Error(`no time: ${found}`);
  return found;
}

export function attributesOf(value: unknown): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const each of list(value)) {
    const { key, value: typed } = node(each, ['key', 'value']);
    const name = text(key);
    if (name === '' || name in found) throw new Error(`attribute ${name}`);
    found[name] = typedValue(typed);
  }
  return found;
}

function typedValue(given: unknown): unknown {
  const typed = node(given, ['stringValue', 'boolValue', 'intValue', 'doubleValue', 'arrayValue']);
  const [kind = '', ...more] = Object.keys(typed);
  const value = typed[kind];
  if (more.length > 0) throw new Error('two values');
  if (kind === 'stringValue') return text(value);
  if (kind === 'boolValue' && typeof value === 'boolean') return value;
  if (kind === 'intValue') return Number(long(value));
  if (kind === 'doubleValue') return double(value);
  if (kind === 'arrayValue') return list(node(value, ['values'])['values']).map(typedValue);
  throw new Error(`a value of kind ${kind}`);
}
