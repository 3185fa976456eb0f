/** What gives a real value away, and what is said instead. */
import { describe, expect, test } from 'vitest';
import { Aliases, type DeclaredAlias } from '../../src/execute/aliases/aliases.ts';
import { concealIn } from '../../src/execute/aliases/conceal-in.ts';

const database = 'postgres://clerk:p%40ss-w0rd@db-7.Internal.example:5432/orders_prod?sslmode=require';

const open = (declared: Readonly<Record<string, Partial<DeclaredAlias>>>, variables: Record<string, string> = {}) =>
  Aliases.open(
    Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, { from: '', also: [], ...one }])),
    (name) => variables[name],
  );

describe('a text in which a real value stands', () => {
  test.each([
    ['as it is', database],
    ['in JSON', JSON.stringify(JSON.stringify(database))],
    ['with escaped slashes', database.replaceAll('/', String.raw`\/`)],
    ['in a URL', encodeURIComponent(database)],
    ['in base64', Buffer.from(database).toString('base64')],
    ['in base64url', Buffer.from(database).toString('base64url')],
    ['by its host, in any case', 'getaddrinfo ENOTFOUND DB-7.internal.example'],
    ['by its host and port', 'connect ECONNREFUSED db-7.internal.example:5432'],
    ['by its user', 'no such role "clerk"'],
    ['by its password', 'tried p@ss-w0rd, and p%40ss-w0rd'],
    ['by its database', 'FATAL: database "orders_prod" does not exist'],
    ['by a word that the declaration names', 'connect ECONNREFUSED 10.20.30.40:5432'],
  ])('%s has the alias instead', async (_, text) => {
    const aliases = await open({ orders_db: { from: database, also: ['10.20.30.40'] } });
    const shown = aliases.conceal(text);
    expect(shown).toContain('orders_db');
    expect(shown).not.toMatch(/db-7|clerk|p@ss|p%40ss|orders_prod|10\.20\.30\.40/i);
    for (const spelling of ['base64', 'base64url'] as const) {
      expect(shown).not.toContain(Buffer.from(database).toString(spelling));
    }
    expect(aliases.conceal(shown)).toBe(shown);
  });

  test('keeps everything else: a part is replaced as a word only', async () => {
    const aliases = await open({ orders_db: { from: database, also: ['10.20.30.4'] } });
    for (const text of ['clerks', 'my-clerk', '10.20.30.45', 'orders_production', 'require']) {
      expect(aliases.conceal(text)).toBe(text);
    }
    const data = { a: [1, null, 'nothing'], b: { c: true } };
    expect(concealIn(data, (text) => aliases.conceal(text))).toBe(data);
  });

  test('has the longest value replaced whole, and each by its own alias', async () => {
    const aliases = await open({
      billing: { from: 'http://10.0.0.4:8080' },
      invoices: { from: 'http://10.0.0.4:8080/invoices' },
    });
    expect(aliases.conceal('GET http://10.0.0.4:8080/invoices and http://10.0.0.4:8080/other')).toBe(
      'GET invoices and billing/other',
    );
  });

  test('has keys replaced like texts, at any depth', async () => {
    const aliases = await open({ orders_db: { from: 'orders_prod' } });
    expect(concealIn({ orders_prod: [{ at: 'orders_prod.items' }] }, (text) => aliases.conceal(text))).toEqual({
      orders_db: [{ at: 'orders_db.items' }],
    });
  });
});

describe('a real value', () => {
  test('that was replaced is still concealed when it comes back later', async () => {
    const variables: Record<string, string> = { ORDERS: 'orders_blue' };
    const aliases = await open({ orders_db: { from: { variable: 'ORDERS' } } }, variables);
    variables['ORDERS'] = 'orders_green';
    expect(await aliases.real('orders_db')).toBe('orders_green');
    expect(aliases.conceal('from orders_blue to orders_green')).toBe('from orders_db to orders_db');
  });

  test('may come from whoever keeps it, and what goes wrong there is told without its words', async () => {
    let count = 0;
    const aliases = await open({ orders_db: { from: () => Promise.resolve(`orders_${(count += 1)}`) } });
    expect(await aliases.real('orders_db')).toBe('orders_2');
    const failing = () => {
      throw new Error('orders_prod cannot be decrypted');
    };
    await expect(open({ orders_db: { from: failing } })).rejects.toMatchObject({
      code: 'alias-unusable',
      message: 'The alias orders_db could not be looked up.',
    });
  });

  test.each([
    ['not set', { from: { variable: 'MISSING' } }, 'MISSING'],
    ['too short to be told from other words', { from: 'abc' }, 'shorter than 4'],
    ['in a form that no program could be handed', { from: 'orders\nprod' }, 'line end'],
  ])('that is %s is refused by the name of its alias', async (_, declared, words) => {
    const error = await open({ orders_db: declared }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'alias-unusable', message: expect.stringContaining(words) });
    expect(error).toMatchObject({ message: expect.stringContaining('orders_db') });
  });

  test('is not part of the name of an alias, which everybody sees', async () => {
    await expect(open({ orders_prod: { from: 'orders_prod' } })).rejects.toMatchObject({ code: 'alias-unusable' });
    await expect(open({ one: { from: 'prod' }, 'blue-prod-db': { from: 'orders_blue' } })).rejects.toMatchObject({
      code: 'alias-unusable',
    });
  });
});
