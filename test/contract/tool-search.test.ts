import { noAliases } from '../../src/execute/aliases/no-aliases.ts';
import { describe, expect, test } from 'vitest';
import { searchableTools } from '../../src/contract/find-tools.ts';
import { tool } from '../../src/contract/tool.ts';
import { toolIndexOf, wordsOf } from '../../src/contract/tool-index.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { manyTools } from './many-tools.ts';

const named = (name: string, description: string): Contract =>
  tool({ name, description, effect: 'read', input: { type: 'object' }, execute: () => null });

describe('a search over tools', () => {
  const { contracts, requests } = manyTools();
  const index = toolIndexOf(contracts);

  test('brings the tool that is meant among five of five hundred, for each of them (T11)', () => {
    expect(contracts.length).toBe(500);
    const missed = requests.filter(({ words, means }) => !index.search(words, { limit: 5 }).includes(means));
    expect(missed).toEqual([]);
  });

  test('brings it first nearly always', () => {
    const first = requests.filter(({ words, means }) => index.search(words, { limit: 1 })[0] === means);
    expect(first.length).toBeGreaterThanOrEqual(475);
  });

  test('keeps to a category and to a limit, and finds nothing where nothing fits', () => {
    const found = index.search('list', { limit: 4, category: 'cloud' });
    expect(found).toHaveLength(4);
    expect(found.every((name) => name.startsWith('cloud.list'))).toBe(true);
    expect(index.search('the of and', { limit: 5 })).toEqual([]);
    expect(index.search('zzzzqqq', { limit: 5 })).toEqual([]);
    expect(index.search('', { limit: 5 })).toEqual([]);
  });

  test('finds a misspelt word and the beginning of a word', () => {
    expect(index.search('delete certifcate', { limit: 3 })).toContain('cloud.delete_certificate');
    expect(index.search('subscri coupon get', { limit: 8 })).toContain('billing.get_coupon');
  });

  test('is not slowed down by a page of text', () => {
    expect(index.search('word '.repeat(1_000_000), { limit: 5 })).toEqual([]);
  });

  test('knows scripts without spaces between words', () => {
    const chinese = toolIndexOf([
      named('weather', '查询城市的天气预报'),
      named('mail', '发送电子邮件给客户'),
      named('train', '预订火车票'),
    ]);
    expect(chinese.search('明天北京的天气', { limit: 1 })).toEqual(['weather']);
    expect(chinese.search('请发邮件', { limit: 1 })).toEqual(['mail']);
  });
});

test('names are taken apart as people read them', () => {
  expect(wordsOf('crm.findContacts')).toEqual(wordsOf('crm find_contact'));
  expect(wordsOf('getHTTPStatus')).toEqual(['get', 'http', 'status']);
  expect(wordsOf('queries')).toEqual(['query']);
});

describe('find_tools', () => {
  const { contracts } = manyTools();
  const { findTools } = searchableTools(contracts);
  const context = {
    runId: 'run_1',
    callId: '1.0',
    attempt: 1,
    idempotencyKey: 'k',
    signal: new AbortController().signal,
    log: () => {},
    progress: () => {},
    ...noAliases,
  };

  test('tells how many tools there are, and in which categories', () => {
    expect(findTools.description).toContain('500 tools');
    expect(findTools.description).toContain('billing (80)');
  });

  test('gives names with one line each, and advice when nothing fits', async () => {
    expect(await findTools.execute({ query: 'approve a payout' }, context)).toMatchObject({
      tools: [
        { name: 'billing.approve_payout', summary: 'Approves one payout of the billing system, by its number.' },
        {},
        {},
        {},
        {},
      ],
    });
    expect(await findTools.execute({ query: 'zzzzqqq' }, context)).toEqual({
      tools: [],
      advice: expect.stringContaining('other words'),
    });
    expect(await findTools.execute({ query: 'payout', category: 'biling' }, context)).toMatchObject({
      advice: expect.stringContaining('There is no category "biling". Categories: billing'),
    });
  });
});
