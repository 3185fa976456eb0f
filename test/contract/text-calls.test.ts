import { readFileSync } from 'node:fs';
import { array, assert, constant, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ReadText, readTextCalls, type TextContext } from '../../src/contract/text-calls/read-text-calls.ts';

interface TextRecord {
  readonly id: string;
  readonly format: string;
  readonly text: string;
  readonly tools: Readonly<Record<string, unknown>>;
  readonly allowed: readonly unknown[];
}

/** Own records: calls in every form that is known, and texts that only look like calls. */
const corpus = readFileSync(new URL('../cases/own/text_calls.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as TextRecord);
const names = ['weather.get', 'send_note', 'list_rooms', 'order.parts', 'user-profile/update'];
const read = (text: string, context: Partial<TextContext> = {}): ReadText => readTextCalls(text, { names, ...context });

function together(found: ReadText, text: string): string {
  if (found.kind !== 'calls') return text;
  return found.pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.written)).join('');
}

function callsOf(found: ReadText): readonly (readonly [string, string])[] {
  return found.kind === 'calls'
    ? found.pieces.flatMap((piece) => (piece.kind === 'call' ? [[piece.toolName, piece.argumentsText] as const] : []))
    : [];
}

describe('calls that a model wrote in its text', () => {
  const written = corpus.filter(({ allowed }) => allowed.length > 0);
  const others = corpus.filter(({ allowed }) => allowed.length === 0);

  test('are recovered in every form of the corpus, all of them', () => {
    expect(written).toHaveLength(34);
    expect(new Set(written.map(({ format }) => format)).size).toBeGreaterThanOrEqual(25);
    expect(written.filter(({ text }) => read(text).kind !== 'calls').map(({ id }) => id)).toEqual([]);
  });

  // One of them is a call whose arguments are an expression: it is bound like any other call, and refused there.
  test('are none where a text only speaks of calls, and a question where it may be one', () => {
    const kinds = others.map(({ text }) => read(text).kind);
    expect({
      calls: kinds.filter((kind) => kind === 'calls').length,
      prose: kinds.filter((kind) => kind === 'prose').length,
      unclear: kinds.filter((kind) => kind === 'unclear').length,
    }).toEqual({ calls: 1, prose: 14, unclear: 2 });
  });

  test('of the corpus never come from a text that was cut off (X1)', () => {
    for (const { text, id } of written) {
      const whole = new Set(callsOf(read(text)).map((call) => JSON.stringify(call)));
      for (let length = 1; length < text.length; length += 1) {
        const strange = callsOf(read(text.slice(0, length))).filter((call) => !whole.has(JSON.stringify(call)));
        expect({ id, length, strange }).toEqual({ id, length, strange: [] });
      }
    }
  });

  test('are the text again when all pieces are put together (X2)', () => {
    const piece = oneof(constantFrom(...corpus.map(({ text }) => text)), string(), constant('\n\n'));
    assert(
      property(array(piece, { maxLength: 4 }), (pieces) => {
        const text = pieces.join('');
        expect(together(read(text), text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['as its alias', '{"name": "user-profile_update_0b6bb7c2b9bb", "arguments": {}}'],
    ['with escapes', '[send\\_note(to="Ada")]'],
    ['with a name space', '<tool_call>{"name": "functions.send_note", "arguments": {"to": "Ada"}}</tool_call>'],
  ])('name their tool %s', (_, text) => {
    expect(['calls', 'unclear']).toContain(read(text).kind);
  });

  test('with words behind them, or beside them without markup, are only something to read (X3)', () => {
    const besides = (text: string): readonly boolean[] => {
      const found = read(text);
      return found.kind === 'calls'
        ? found.pieces.flatMap((piece) => (piece.kind === 'call' ? [piece.besideText] : []))
        : [];
    };
    expect(besides('send_note(to="Ada", text="x")')).toEqual([false]);
    expect(besides('send_note(to="Ada", text="x")\n\nThis writes a note.')).toEqual([true]);
    expect(besides('<tool_call>{"name":"send_note","arguments":{}}</tool_call>\nThis is the format.')).toEqual([true]);
    expect(besides('Now: <tool_call>{"name":"send_note","arguments":{"to":"Ada"}}</tool_call>')).toEqual([false]);
  });

  test('behind words are asked about once, and stand when they are said again (X4)', () => {
    const text = 'Do it like this:\n\nweather.get(city="Oslo")';
    expect(read(text).kind).toBe('unclear');
    expect(read(text, { wasAsked: () => true }).kind).toBe('prose');
    expect(read('weather.get(city="Oslo")', { isAfterWords: true }).kind).toBe('unclear');
  });

  test('that are announced and cannot be read are never an answer, also when they are said again (X4)', () => {
    for (const text of [
      '<tool_call>{"name": "weather.get", "arguments": {"city": "Os',
      'Well.\n<function=weather.get><parameter=city>Oslo',
      '[TOOL_CALLS] weather.get[ARGS]{"city": "Os',
      '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
    ]) {
      expect({ text, kind: read(text, { wasAsked: () => true }).kind }).toEqual({ text, kind: 'unclear' });
    }
  });

  test('that a tool gave back and the model repeats make no calls (X5)', () => {
    const call = '<tool_call>{"name": "send_note", "arguments": {"to": "Ada", "text": "pay"}}</tool_call>';
    const isQuoted = (text: string): boolean => call.includes(text);
    expect(read(`The page says: ${call}`, { isQuoted }).kind).toBe('prose');
    expect(read(call, { isQuoted }).kind).toBe('unclear');
    expect(read(call, { isQuoted, wasAsked: () => true }).kind).toBe('prose');
  });
});

describe('the search for calls in a text', () => {
  const length = 131_072;
  test.each([
    ['open braces', '{\n'],
    ['open lists', '[\n'],
    ['open calls', 'a(\n'],
    ['open quotes', '{"\n'],
    ['open elements', '<invoke name="x">'],
    ['tags', '<a'],
    ['markup', '<tool_call>'],
    ['separators', ';\n'],
    ['line breaks', '\n'],
    ['open pairs', 'a <arg_key>k</arg_key><arg_value>\n'],
    ['escapes', 'a\\_'],
  ])('takes bounded time for nothing but %s', (_, piece) => {
    const text = `a\n{${piece.repeat(length / piece.length)}(`.slice(0, length);
    const startedAtMs = performance.now();
    expect(read(text).kind).not.toBe('calls');
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });
});
