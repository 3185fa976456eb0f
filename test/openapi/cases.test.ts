import { expect, test } from 'vitest';
import { toolAlias } from '../../src/contract/tool-alias.ts';
import { openApiTools } from '../../src/openapi/openapi-tools.ts';
import { documentOf, records, services } from './recorded-services.ts';

test('every real operation becomes a tool with the effect that was judged right, and no two have one name, also for providers', async () => {
  expect(records).toHaveLength(11);
  const aliases: string[] = [];
  const effects: string[] = [];
  for (const service of services) {
    const source = openApiTools({
      name: service,
      document: documentOf(service),
      server: 'https://api.example.com',
    });
    const contracts = await source.connect();
    expect(source.refused).toEqual([]);
    aliases.push(...contracts.map(({ name }) => toolAlias(name)));
    effects.push(...contracts.map(({ effect }) => effect));
  }
  expect(aliases).toHaveLength(records.length);
  expect(new Set(aliases).size).toBe(records.length);
  expect(aliases.filter((alias) => !/^[a-zA-Z0-9_-]{1,64}$/.test(alias))).toEqual([]);
  expect(effects.toSorted()).toEqual(records.map((record) => String(record['effect'])).toSorted());
});
