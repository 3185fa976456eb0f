import { describe, expect, test } from 'vitest';
import { agent, createAxle } from '../../src/axle.ts';
import { toolIndexOf } from '../../src/contract/tool-index.ts';
import { openApiTools, type OpenApiSource } from '../../src/openapi/openapi-tools.ts';
import { scriptedBrain } from '../../src/testing/scripted-brain.ts';
import { documentOf, services } from './recorded-services.ts';

const server = 'https://api.example.com';
const operationsInAll = 500;
const recorded = (): readonly OpenApiSource[] =>
  services.map((service) => openApiTools({ name: service, document: documentOf(service), server }));

const things =
  'account address asset attachment audit batch branch budget calendar campaign cart catalog channel claim comment contract country coupon course currency customer dashboard delivery department deposit device discount dispute document domain employee event expense feature feedback folder forecast form gateway group holiday incident invoice job journal label lead lease ledger licence location machine mandate manufacturer message metric milestone mission notice offer order organisation parcel partner patient payment payout permit photo pipeline policy portfolio position price product project quote rating receipt region report reservation review room route salary schedule segment shift shipment signature skill stock subscription supplier survey task tax team template tenant ticket timesheet training transfer vehicle vendor visit voucher warehouse webhook'.split(
    ' ',
  );
const verbs = ['get', 'post', 'put', 'delete', 'patch'] as const;
const says = { get: 'Reads', post: 'Creates', put: 'Replaces', delete: 'Deletes', patch: 'Changes' } as const;

/** A service with as many operations as are wanted, each of its own kind. */
function generated(count: number): OpenApiSource {
  const paths: Record<string, Record<string, unknown>> = {};
  for (let index = 0; index < count; index += 1) {
    const thing = things[Math.floor(index / verbs.length)] ?? 'thing';
    const verb = verbs[index % verbs.length] ?? 'get';
    (paths[`/${thing}s/{number}`] ??= {})[verb] = {
      operationId: `${verb}_${thing}`,
      summary: `${says[verb]} one ${thing} by its number`,
      tags: [thing],
      parameters: [{ in: 'path', name: 'number', required: true, schema: { type: 'integer' } }],
    };
  }
  return openApiTools({
    name: 'erp',
    document: { openapi: '3.1.0', info: { title: 'ERP', version: '1' }, paths },
    server,
  });
}

describe('five hundred operations of services (T11, I5)', () => {
  test('cost a model fifteen definitions, and every one can be found', async () => {
    const sources = [...recorded(), generated(operationsInAll - 11)];
    const contracts = (await Promise.all(sources.map((source) => source.connect()))).flat();
    expect(contracts).toHaveLength(operationsInAll);

    const index = toolIndexOf(contracts);
    const missed = contracts.filter(({ name, description }) => {
      const words = `${name.slice(name.indexOf('.') + 1)} ${description.split('\n')[0] ?? ''}`;
      return !index.search(words, { limit: 5 }).includes(name);
    });
    expect(missed.map(({ name }) => name)).toEqual([]);

    const shown: (readonly string[])[] = [];
    const brain = scriptedBrain(({ tools }, turn) => {
      shown.push(tools.map(({ name }) => name));
      if (turn === 0) return { calls: [{ name: 'find_tools', input: { query: 'delete one parcel' } }] };
      return 'Found.';
    });
    const clerk = agent({ name: 'clerk', tools: ['*'], model: brain });
    await using axle = await createAxle({ store: ':memory:', tools: sources, agents: [clerk] });
    await (await axle.start('clerk', { input: 'An invoice and an order of this customer were paid twice.' })).result();
    expect(shown.map((names) => names.length)).toEqual([15, 15]);
    expect(shown[0]).toEqual(expect.arrayContaining(['erp.get_invoice', 'erp.get_order', 'erp.get_customer']));
    expect(shown[1]).toContain('erp.delete_parcel');
  });
});
