import { array, assert, constantFrom, oneof, property, string, stringMatching, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bindCall } from '../../src/contract/bind.ts';
import { thereAre } from '../../src/contract/near-miss.ts';
import { resolveName } from '../../src/contract/resolve-name.ts';
import { type AliasProvider, aliasProviderOf, aliasProviders, toolAlias } from '../../src/contract/tool-alias.ts';
import { toolWith } from './bind-text.ts';

/** The rules as providers publish them, written here once more. */
const published: Readonly<Record<AliasProvider, RegExp>> = {
  openai: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  google: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,62}$/,
  common: /^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$/,
};

/** Names that differ in little: separators, scripts, length, and the form of an alias. */
const name = oneof(
  stringMatching(/^[a-c_][a-c_./:-]{0,6}$/),
  stringMatching(/^[a-c]{60,70}$/),
  string({ unit: 'grapheme', minLength: 1, maxLength: 200 }),
  stringMatching(/^[a-b]_[0-9a-f]{12}$/),
  constantFrom(
    '日程.読む',
    '日程.書く',
    'calendar.read',
    'calendar_read',
    'user-profile/update',
    '1st',
    `${'x'.repeat(199)}é`,
  ),
);

describe('the alias of a name', () => {
  test.each(aliasProviders)('is legal for %s, whatever the name is', (provider) => {
    assert(
      property(name, (each) => published[provider].test(toolAlias(each, provider))),
      { numRuns: 2_000 },
    );
  });

  test.each(aliasProviders)('for %s is the alias of no other name, aliases as names included (N2)', (provider) => {
    assert(
      property(uniqueArray(name, { maxLength: 60 }), (names) => {
        const all = [...new Set([...names, ...names.map((each) => toolAlias(each, provider))])];
        expect(new Set(all.map((each) => toolAlias(each, provider))).size).toBe(all.length);
      }),
      { numRuns: 300 },
    );
  });

  test('does not depend on other tools, and stays what it was when this was written (N1)', () => {
    assert(
      property(name, array(name), (each, others) => {
        const alone = resolveName(toolAlias(each), [each]);
        expect(alone).toBe(each);
        expect(resolveName(toolAlias(each), [each, ...others.filter((other) => other !== each)])).toBe(each);
      }),
      { numRuns: 500 },
    );
    expect([
      toolAlias('crm.find'),
      toolAlias('crm.find', 'google'),
      toolAlias('user-profile/update', 'openai'),
      toolAlias('日程.読む', 'anthropic'),
      toolAlias('1st', 'common'),
    ]).toMatchInlineSnapshot(`
      [
        "crm_find_928d234faaaa",
        "crm.find",
        "user-profile_update_0c6c483948d0",
        "__8ad6a1f78238",
        "_1st_e01ddf6594a4",
      ]
    `);
  });

  test('is the name itself where the provider takes it', () => {
    for (const provider of aliasProviders) expect(toolAlias('get_weather', provider)).toBe('get_weather');
  });

  test('follows the rules of the provider that a model names, and what everyone takes where those are not known', () => {
    const names = [
      'openai.responses',
      'azure.chat',
      'anthropic.messages',
      'google.generative-ai',
      'google.vertex.chat',
    ];
    expect(names.map((each) => aliasProviderOf(each))).toEqual(['openai', 'openai', 'anthropic', 'google', 'google']);
    expect(['local.chat', 'openai-compatible', 'amazon-bedrock'].map((each) => aliasProviderOf(each))).toEqual([
      'common',
      'common',
      'common',
    ]);
  });
});

describe('a name that a model wrote', () => {
  const names = ['calendar.read', 'calendar_read', 'crm.find customer', 'user-profile/update', 'search', 'Résumé.lire'];

  test.each([
    [toolAlias('crm.find customer'), 'crm.find customer'],
    [toolAlias('user-profile/update', 'openai'), 'user-profile/update'],
    ['functions.search', 'search'],
    ['functions::search', 'search'],
    ['functions.search:0', 'search'],
    ['search<|channel|>commentary', 'search'],
    ['`search`', 'search'],
    ['search()', 'search'],
    ['user_profile_update', 'user-profile/update'],
    ['crm\\_find\\_customer', 'crm.find customer'],
    ['calendar.read', 'calendar.read'],
    ['Search', 'search'],
    ['résumé_lire', 'Résumé.lire'],
  ])('%s means %s', (written, meant) => {
    expect(resolveName(written, names)).toBe(meant);
  });

  test.each(['CalendarRead', 'serch', 'read', ''])(
    '%s means no tool, and is answered with those that exist',
    (written) => {
      const refused = bindCall(
        { toolCallId: '1', toolName: written, argumentsText: '{}' },
        { callId: '0.0', lookup: () => undefined, names, truncated: false },
      );
      expect(refused.kind === 'refused' && refused.failure).toMatchObject({
        code: 'tool-unknown',
        message: expect.stringContaining('Tools that exist:') as string,
      });
    },
  );

  test.each(['crm.find', 'server/tool', '日程.読む', 'two words', 'x'.repeat(200)])('of a tool may be %s', (each) => {
    const contract = toolWith({ type: 'object' }, 'read', each);
    const bound = bindCall(
      { toolCallId: '1', toolName: toolAlias(each), argumentsText: '{}' },
      { callId: '0.0', lookup: (asked) => (asked === each ? contract : undefined), names: [each], truncated: false },
    );
    expect(bound).toMatchObject({ kind: 'bound', call: { tool: each } });
  });
});

test('a name that nothing has is answered with what there is: the likely ones first, at most twenty, and how many more there are', () => {
  const names = [...Array.from({ length: 30 }, (_, index) => `shelf_${index}`), 'refund'];
  expect(thereAre('refnd', names)).toMatch(/^there are refund, shelf_0, .*shelf_18 and 11 more$/u);
  expect(thereAre('refnd', ['pay'])).toBe('there are pay');
  expect(thereAre('refnd', [])).toBe('there are none');
});
