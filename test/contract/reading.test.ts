import { describe, expect, test } from 'vitest';
import type { Contract } from '../../src/contract/contract.ts';
import { committedCases } from './case-files.ts';
import { messageOf, outcomeOf, toolOf, toolWith } from './bind-text.ts';

const anything = (effect: 'read' | 'write'): Contract => toolWith({ type: 'object' }, effect);

describe('the collected faults of argument texts', () => {
  interface Fault {
    readonly id: string;
    readonly fault: string;
    readonly raw: string;
    readonly expect: Readonly<Record<'read' | 'write', string>>;
  }
  const cases = committedCases('json_repair.jsonl') as readonly Fault[];

  test.each(cases)('$id $fault: a read does what is expected', ({ raw, expect: expected }) => {
    const { code, rules = [] } = outcomeOf(anything('read'), raw);
    if (expected.read === 'execute') expect(code).toBeUndefined();
    else expect(code !== undefined || rules.length > 0).toBe(true);
  });

  test.each(cases.filter((each) => each.expect.write === 'reject'))('$id $fault: a write does not run', ({ raw }) => {
    expect(outcomeOf(anything('write'), raw).code).toMatch(/^arguments-/);
  });
});

describe('a text that is JSON', () => {
  test.each([
    ['{"a":"007","b":"1e3","c":"true","d":"null","e":"[1]","f":"{\\"g\\":1}","h":"2 * 3"}'],
    ['{"a":1.5,"b":-0.25,"c":1e3,"d":1.0,"e":9007199254740991}'],
    ['{"text":"line\\n\\t\\"quoted\\" \\u00e9 \\ud83d\\ude00 // no comment"}'],
    [' {\n "a" : [ ] , "b" : { } } \n'],
  ])('is taken as it is: %s', (text) => {
    expect(outcomeOf(anything('write'), text)).toEqual({ input: JSON.parse(text) as unknown, rules: [] });
  });
});

describe('texts around the object', () => {
  test.each([
    ['```json\n{"a":1}\n```', ['code-fence']],
    ['```\n{"a":1}', ['code-fence']],
    ['json\n{"a":1}', ['code-fence']],
    ['\ufeff{"a":1}', ['byte-order-mark']],
    ['"{\\"a\\":1}"', ['double-encoded']],
    ['"\\"{\\\\\\"a\\\\\\":1}\\""', ['double-encoded']],
    ['[{"a":1}]', ['array-around']],
    ['tool({"a":1});', ['call-wrapper']],
  ])('are taken off for every tool: %j', (text, rules) => {
    expect(outcomeOf(anything('write'), text)).toEqual({ input: { a: 1 }, rules });
  });

  test.each([
    ['{"a":1} I hope this helps.', 'text-after'],
    ['other({"a":1})', 'foreign-call-wrapper'],
    ['{}{"a":1}', 'empty-placeholder'],
  ])('that are only probably nothing are taken off for a read and refused for a write: %j', (text, rule) => {
    expect(outcomeOf(anything('read'), text)).toEqual({ input: { a: 1 }, rules: [rule] });
    expect(outcomeOf(anything('write'), text).code).toMatch(/^arguments-/);
  });

  test('a placeholder before the object is certain where the tool requires something', () => {
    expect(outcomeOf(toolOf({ a: { type: 'number' } }, ['a'], 'write'), '{}{"a":1}').input).toEqual({ a: 1 });
  });

  test.each([
    '{"a":1}{"a":2}',
    '{"a":1}\n{"a":1}',
    '{"a":1}[]',
    '[{"a":1},{"a":2}]',
    '{"a":1},{"a":2}',
    '{"a":1}, "b": 2}',
    'Here: {"a":1}',
  ])('that leave more than one object or more than nothing are refused: %s', (text) => {
    expect(outcomeOf(anything('read'), text).code).toMatch(/^arguments-(?:ambiguous|unreadable)$/);
  });

  test.each([
    ['{"a":1}}', { a: 1 }, 'closing-after'],
    ['{"a":[1]}]}', { a: [1] }, 'closing-after'],
    ['Here is the call:\n{"a":1}', { a: 1 }, 'text-before'],
    ['Sure, I can do that.\n```json\n{"a":1}\n```', { a: 1 }, 'text-before'],
    ['{"a":5.}', { a: 5 }, 'trailing-point'],
    ['{"a":"x" "b":"y"}', { a: 'x', b: 'y' }, 'missing-comma-after-text'],
  ])('that are good enough to read something are not good enough to change something: %s', (text, input, rule) => {
    const read = outcomeOf(anything('read'), text);
    expect(read.input).toEqual(input);
    expect(read.rules).toContain(rule);
    expect(outcomeOf(anything('write'), text).code).toBe('arguments-unreadable');
  });

  test.each([
    ['{"a":1}<|im_end|>', 'end-token'],
    ['{"a":1}\n</tool_call>', 'end-token'],
    ['{"a":1};', 'semicolon-after'],
    ['~~~json\n{"a":1}\n~~~', 'code-fence'],
    ['`{"a":1}`', 'code-fence'],
    ['{“a”:1}', 'typographic-quotes'],
    ['{"a":1 # the first\n}', 'comment'],
  ])('that can mean one thing only are mended for every tool: %s', (text, rule) => {
    expect(outcomeOf(anything('write'), text)).toEqual({ input: { a: 1 }, rules: [rule] });
  });

  test.each([
    ['a key may stand before it', 'filter: {"a":1}'],
    ['code stands before it', 'const x = {"a":1}'],
    ['a command stands before it', 'return {"a":1}'],
    ['a tag that ends nothing follows', '{"a":1}<br>'],
    ['a typographic text holds other quotes', '{“a”:“say "hi"”}'],
  ])('are refused for every tool where %s', (_, text) => {
    expect(outcomeOf(anything('read'), text).code).toBe('arguments-unreadable');
  });

  test('that are cut in typographic quotes never run', () => {
    expect(outcomeOf(anything('read'), '{“a”:“half of').code).toBe('arguments-truncated');
  });

  describe('that name the call', () => {
    const refund = toolOf({ order: { type: 'integer' }, note: { type: 'string' } }, ['order'], 'write');

    test.each([
      '{"name":"tool","arguments":{"order":5}}',
      '{"type":"function","name":"tool","arguments":"{\\"order\\":5}"}',
      '{"tool":"tool","input":{"order":5}}',
    ])('are unwrapped when the name is that of the tool: %s', (text) => {
      expect(outcomeOf(refund, text)).toEqual({ input: { order: 5 }, rules: ['call-object'] });
    });

    test.each([
      ['another name', '{"name":"other","arguments":{"order":5}}'],
      ['more than the call', '{"name":"tool","arguments":{"order":5},"order":6}'],
      ['arguments that are none', '{"name":"tool","arguments":[5]}'],
      ['arguments that are cut', '{"name":"tool","arguments":"{\\"order\\":5"}'],
    ])('go back with %s', (_, text) => {
      expect(outcomeOf(refund, text).code).toMatch(/^arguments-/);
    });

    test('stay as they are where the tool could mean them', () => {
      const open = toolWith({ type: 'object' }, 'write');
      const text = '{"name":"tool","arguments":{"order":5}}';
      expect(outcomeOf(open, text)).toEqual({ input: JSON.parse(text) as unknown, rules: [] });
      const own = toolOf({ name: { type: 'string' }, arguments: { type: 'string' } }, ['name'], 'write');
      expect(outcomeOf(own, text).code).toBe('arguments-invalid');
    });
  });

  test('tell the model to send several calls when there are several objects', () => {
    expect(messageOf(anything('read'), '{"q":"a"}{"q":"b"}')).toContain('send each call on its own');
  });
});

describe('no text at all', () => {
  test.each(['', '  \n', 'null', '""'])('is a call without arguments where the tool takes none: %j', (text) => {
    expect(outcomeOf(toolOf({}, [], 'write'), text)).toEqual({ input: {}, rules: ['empty-arguments'] });
  });

  test('is a call without arguments for a read that requires none', () => {
    expect(outcomeOf(toolOf({ limit: { type: 'integer' } }), '').input).toEqual({});
  });

  test('is refused where something is required, and for a write that could have arguments', () => {
    expect(outcomeOf(toolOf({ a: { type: 'string' } }, ['a']), '').code).toBe('arguments-invalid');
    expect(outcomeOf(toolOf({ filter: { type: 'string' } }, [], 'write'), '').code).toBe('arguments-invalid');
  });
});

describe('texts inside the object', () => {
  test.each([
    ['{"t":"a\nb\tc\u0001"}', { t: 'a\nb\tc\u0001' }, ['control-character']],
    [`{'t': 'it\\'s "so"'}`, { t: 'it\'s "so"' }, ['single-quotes']],
    ['{"r":"\\d+\\.\\s"}', { r: '\\d+\\.\\s' }, ['lone-backslash']],
    ['{t: 1, u_2: [True, None]}', { t: 1, u_2: [true, null] }, ['unquoted-key', 'python-literal']],
    ['{"a":[1,2,],}', { a: [1, 2] }, ['trailing-comma']],
    ['{"a":1\n"b":{}}', { a: 1, b: {} }, ['missing-comma']],
    ['{"a":[{"b":1} {"b":2}]}', { a: [{ b: 1 }, { b: 2 }] }, ['missing-comma']],
    ['{"n":+5,"m":.5,"h":0x1F}', { n: 5, m: 0.5, h: 31 }, ['number-form']],
    ['{"a":1, // one\n "b":2 /* two */}', { a: 1, b: 2 }, ['comment']],
    ['{"a":13 // There are 13 hearts\n}', { a: 13 }, ['comment']],
    ['{"a":\u00a01}', { a: 1 }, ['unusual-space']],
    ['{"a":{"b":1},"a":{"b":1}}', { a: { b: 1 } }, ['duplicate-key']],
  ])('are mended for every tool where they mean one thing: %j', (text, input, rules) => {
    expect(outcomeOf(anything('write'), text)).toEqual({ input, rules });
  });

  test.each([
    ['{"t":"say "hi" now"}', { t: 'say "hi" now' }, 'inner-quotes'],
    ['{"t":"it\\\'s"}', { t: "it's" }, 'escaped-apostrophe'],
    ['{"n":[1 2]}', { n: [1, 2] }, 'missing-comma-between-numbers'],
    ['{"n":007}', { n: 7 }, 'leading-zero'],
  ])('that only probably mean one thing are mended for a read alone: %j', (text, input, rule) => {
    expect(outcomeOf(anything('read'), text)).toEqual({ input, rules: [rule] });
    expect(outcomeOf(anything('write'), text).code).toMatch(/^arguments-/);
  });

  test.each([
    ['an expression', '{"n":6*30.48}'],
    ['a division', '{"n":1/6}'],
    ['a whole division', '{"n":4 // 2\n}'],
    ['an expression after a space', '{"n":5 * 2800}'],
    ['a name', '{"n":foo.bar}'],
    ['an index', '{"n":data["w"]}'],
    ['a call', '{"n":f(1)}'],
    ['NaN', '{"n":NaN}'],
    ['Infinity', '{"n":-Infinity}'],
    ['a number with separators', '{"n":[1,000]}'],
    ['a number with a unit', '{"n":5kg}'],
    ['words without quotes', '{"t":hello world}'],
    ['texts put together', '{"t":"a" + "b"}'],
    ['texts side by side', '{"t":"a" "b"}'],
    ['an ellipsis', '{"a":[1,2,...]}'],
    ['two commas', '{"a":[1,,2]}'],
    ['a key without a value', '{"a"}'],
    ['a key twice with two values', '{"a":1,"a":2}'],
    ['brackets that do not match', '{"a":[1}'],
    ['a quote inside that may be the end', '{"t":"say "hi", he said"}'],
    ['an inner object without escapes', '{"t":"{"k":1}"}'],
    ['backslashes that mean two things', '{"p":"C:\\Users\\name"}'],
    ['an entity of HTML', '{&quot;a&quot;:1}'],
    ['YAML', 'a: 1\nb: two'],
    ['code', 'import math\nradius = 3'],
    ['tokens of a template', '<|recipient|>all'],
    ['a tuple', '{"a":(1,2)}'],
    ['an array of more than the object', '[1,{"a":1}]'],
    ['a number', '12'],
    ['words', '"hello"'],
  ])('that mean nothing or two things are refused for every tool: %s', (_, text) => {
    expect(outcomeOf(anything('read'), text).code).toMatch(/^arguments-(?:ambiguous|unreadable)$/);
  });

  test('say what stands where, so that the model can find it', () => {
    expect(messageOf(anything('read'), '{"n":6*30.48}')).toBe(
      'tool was not run, because of its arguments: expressions are not computed; send the number itself (at character 7: "*30.48}").',
    );
  });
});

describe('a text that ends in the middle', () => {
  test.each([
    '{',
    '{"a',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":1,',
    '{"a":2e',
    '{"a":-',
    '{"a":tr',
    '{"a":"x\\',
    '{"a":"x\\u20',
    '{"a":[1',
    '{"a":{"b":1}',
    '"{\\"a\\":1',
    '"{\\"a\\":1"',
    '```json\n{"a":1',
    'tool({"a":1}',
    "{'a",
    '{"a":1 /* x',
    '{}{',
  ])('runs for no tool: %j', (text) => {
    expect(outcomeOf(anything('read'), text).code).toBe('arguments-truncated');
    expect(outcomeOf(anything('write'), text).code).toMatch(/^arguments-(?:truncated|ambiguous)$/);
  });
});

describe('the limits', () => {
  test.each([
    ['bytes', JSON.stringify({ a: 'x'.repeat(1_100_000) })],
    [
      'bytes of characters that need several',
      JSON.stringify({ a: ['\u4e00'.repeat(200_000), '\u4e00'.repeat(200_000)] }),
    ],
    ['levels', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['levels without end', `{"a":${'['.repeat(500_000)}`],
    ['keys', `{${Array.from({ length: 10_001 }, (_, index) => `"k${index}":1`).join(',')}}`],
    ['values', `{"a":[${'1,'.repeat(100_001)}1]}`],
    ['characters of a text', JSON.stringify({ a: 'x'.repeat(262_145) })],
  ])('on %s are held', (_, text) => {
    expect(outcomeOf(anything('read'), text).code).toBe('arguments-too-large');
  });

  test('let pass what is within them', () => {
    const text = JSON.stringify({ a: 'x'.repeat(262_000), b: JSON.parse('['.repeat(63) + ']'.repeat(63)) as unknown });
    expect(outcomeOf(anything('read'), text)).toEqual({ input: JSON.parse(text) as unknown, rules: [] });
  });

  test.each(['__proto__', 'constructor', 'prototype', '\\u005f_proto__'])('keep the key %s out', (key) => {
    expect(outcomeOf(anything('read'), `{"a":{"${key}":1}}`).code).toBe('arguments-invalid');
  });

  test('stop at texts that would need endless repairs', () => {
    const text = `{${Array.from({ length: 200 }, (_, index) => `k${index}:1`).join(',')}}`;
    expect(outcomeOf(anything('read'), text).code).toBe('arguments-unreadable');
  });
});

describe('whole numbers that JavaScript cannot hold', () => {
  const text = '{"id":2512292042121000001}';

  test('become texts, digit by digit, where the tool takes a text', () => {
    expect(outcomeOf(toolOf({ id: { type: 'string' } }, ['id'], 'write'), text)).toEqual({
      input: { id: '2512292042121000001' },
      rules: ['number-to-string'],
    });
  });

  test.each([{ type: 'integer' }, { type: 'number' }, { type: ['string', 'integer'] }, {}])(
    'are refused, not rounded, where a number would be taken: %j',
    (schema) => {
      const tool = toolOf({ id: schema }, ['id']);
      expect(outcomeOf(tool, text).code).toBe('arguments-invalid');
      expect(messageOf(tool, text)).toContain(
        'id is 2512292042121000001, which cannot be held exactly as a number; send it as a string',
      );
    },
  );

  test.each(['1e400', '-1e999', '123456789012345678e3', '9007199254740993.0'])(
    'are found in any spelling: %s',
    (number) => {
      expect(outcomeOf(anything('read'), `{"n":[${number}]}`).code).toBe('arguments-invalid');
    },
  );
});
