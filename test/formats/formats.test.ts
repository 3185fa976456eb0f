import {
  array,
  assert,
  constantFrom,
  jsonValue,
  oneof,
  option,
  property,
  record,
  string,
  stringMatching,
  uniqueArray,
} from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anthropicMessages, type FormatCall, openAiChat, openAiResponses, type ToolFormat } from '../../src/formats.ts';

type AnyFormat = ToolFormat<unknown, unknown, unknown>;
const formats = [
  ['chat completions', openAiChat as AnyFormat],
  ['responses', openAiResponses as AnyFormat],
  ['messages of Anthropic', anthropicMessages as AnyFormat],
] as const;

const name = oneof(
  stringMatching(/^[a-z][a-z0-9_]{0,20}$/),
  constantFrom('crm.find', 'crm_find', 'user-profile/update', '日程.読む', 'a b', 'x'.repeat(200)),
  string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
);
const definition = record({
  name,
  description: string(),
  inputSchema: record({ type: constantFrom('object'), title: string() }),
});
const definitions = uniqueArray(definition, { selector: ({ name: each }) => each, maxLength: 8 });
const id = stringMatching(/^[a-zA-Z0-9_]{1,20}$/);
/** What travels as JSON: no -0 and no half of a character, which no format can carry, and no key `__proto__`, which Axle takes from nobody. */
const argumentsText = array(record({ key: stringMatching(/^[a-z]{1,5}$/), value: jsonValue() }))
  .map((members) =>
    JSON.stringify(JSON.parse(JSON.stringify(Object.fromEntries(members.map(({ key, value }) => [key, value])))))
      .replaceAll('-0,', '0,')
      .toWellFormed(),
  )
  .filter((text) => !text.includes('"__proto__"'));

/** As it comes over the wire. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe.each(formats)('%s', (_, format) => {
  test('carry tools there and back, under names that the provider takes', () => {
    assert(
      property(definitions, (given) => {
        const shown = format.toTools(given);
        const names = format.fromTools(sent(shown)).map((each) => each.name);
        for (const each of names) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
        expect(new Set(names).size).toBe(given.length);
        expect(format.fromTools(sent(shown)).map(({ name: _name, ...rest }) => rest)).toEqual(
          given.map(({ name: _name, description, ...rest }) => ({ ...rest, description: description.toWellFormed() })),
        );
      }),
    );
  });

  test('carry calls there and back, names of every kind included (F1)', () => {
    const calls = definitions.chain((tools) =>
      tools.length === 0
        ? array(record({ toolCallId: id, toolName: constantFrom('none'), argumentsText }), { maxLength: 0 }).map(
            (none) => ({ tools, calls: none }),
          )
        : array(record({ toolCallId: id, toolName: constantFrom(...tools.map((tool) => tool.name)), argumentsText }), {
            maxLength: 6,
          }).map((made) => ({ tools, calls: made })),
    );
    assert(
      property(calls, ({ tools, calls: given }) => {
        expect(format.fromCalls(sent(format.toCalls(given)), tools)).toEqual(given);
      }),
    );
  });

  test('keep apart a tool and another one that is named exactly as the first is shown (F1)', () => {
    const shownAs = format.fromTools(sent(format.toTools([{ name: 'crm.find', description: '', inputSchema: {} }])))[0];
    const both = [{ name: 'crm.find' }, { name: shownAs?.name ?? '' }];
    for (const given of [both, both.toReversed()]) {
      const calls = given.map(({ name: toolName }, place) => ({
        toolCallId: `c${place}`,
        toolName,
        argumentsText: '{}',
      }));
      expect(format.fromCalls(sent(format.toCalls(calls)), given)).toEqual(calls);
    }
  });

  test('carry results there and back', () => {
    const marks = format === (anthropicMessages as AnyFormat) ? constantFrom(true, false) : constantFrom(false);
    const results = array(
      record({ toolCallId: id, text: string({ minLength: 1 }).map((text) => text.toWellFormed()), isError: marks }),
    );
    assert(
      property(results, (given) => {
        expect(format.fromResults(sent(format.toResults(given)))).toEqual(given);
      }),
    );
  });

  test('take anything for an answer and make nothing of it (F2)', () => {
    assert(
      property(option(jsonValue()), (value) => {
        expect(Array.isArray(format.fromCalls(value))).toBe(true);
        expect(Array.isArray(format.fromTools(value))).toBe(true);
        expect(Array.isArray(format.fromResults(value))).toBe(true);
      }),
    );
  });
});

describe('an answer', () => {
  const call: FormatCall = { toolCallId: 'c1', toolName: 'find', argumentsText: '{"word":"la' };

  test('that was cut off says so of its calls', () => {
    const cut = { ...call, truncated: true };
    const chat = { choices: [{ message: openAiChat.toCalls([call]), finish_reason: 'length' }] };
    expect(openAiChat.fromCalls(chat)).toEqual([cut]);
    expect(openAiResponses.fromCalls({ status: 'incomplete', output: openAiResponses.toCalls([call]) })).toEqual([cut]);
    const message = { ...anthropicMessages.toCalls([{ ...call, argumentsText: '{}' }]), stop_reason: 'max_tokens' };
    expect(anthropicMessages.fromCalls(message)).toEqual([{ ...cut, argumentsText: '{}' }]);
  });

  test('of another kind beside calls is passed over', () => {
    const items = [
      { type: 'reasoning' },
      ...openAiResponses.toCalls([call]),
      { type: 'local_shell_call', call_id: 'x' },
    ];
    expect(openAiResponses.fromCalls({ output: items })).toEqual([call]);
    const content = [
      { type: 'text', text: 'find' },
      { type: 'server_tool_use', id: 's', name: 'web', input: {} },
    ];
    expect(anthropicMessages.fromCalls({ content })).toEqual([]);
  });

  test('with a name that was decorated names the tool that is meant', () => {
    const decorated = openAiChat.toCalls([{ ...call, toolName: 'functions.find' }]);
    const raw = JSON.parse(
      JSON.stringify(decorated).replace(/functions_find_[0-9a-f]{12}/, 'functions.find'),
    ) as unknown;
    expect(openAiChat.fromCalls(raw, [{ name: 'find' }])).toMatchObject([{ toolName: 'find' }]);
    expect(openAiChat.fromCalls(raw, [{ name: 'other' }])).toMatchObject([{ toolName: 'functions.find' }]);
  });
});
