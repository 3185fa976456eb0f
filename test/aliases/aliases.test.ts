/** Tools that write to places whose addresses nobody but their attempts is told. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AxleOptions, agent, type Contract, createAxle, defaultPolicy, tool, ToolError } from '../../src/axle.ts';
import { openApiTools } from '../../src/openapi.ts';
import { subprocess } from '../../src/sandbox.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { Folder } from '../cli/command.ts';
import { json, startService } from '../openapi/service.ts';
import { handMade, says, source } from '../mcp/network.ts';

const host = 'db-7.internal.example';
const database = `postgres://clerk:pass-w0rd@${host}:5432/orders_prod`;
/** What may stand in no byte that anybody keeps or is shown. */
const telling = [host, 'pass-w0rd', 'orders_prod', Buffer.from(database).toString('base64')];

const input = { type: 'object', properties: { database: { type: 'string' }, sql: { type: 'string' } } } as const;
const aliased = { input, aliases: { database: ['orders_db'] } } as const;

/** The text of an argument. */
const said = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What attempts were given, as the world outside sees it. */
const given: unknown[] = [];

const query = tool({
  ...aliased,
  name: 'query',
  description: `Asks a database, for example that at ${host}.`,
  effect: 'read',
  examples: [{ input: { database: 'orders_db', sql: 'select 1' } }],
  execute: async ({ database: at, sql }, context) => {
    given.push(at, await context.real('orders_db'));
    context.log(`asking ${said(at)}`);
    context.progress({ message: `asking ${said(at)}` });
    if (sql === 'fail') throw new Error(`${'x'.repeat(1_950)} FATAL: no database "orders_prod" at ${said(at)}`);
    if (sql === 'refuse') throw new ToolError({ message: `no ${said(at)}`, advice: `Ask whoever keeps ${host}.` });
    return { rows: [[`from ${said(at)}`]], [said(at)]: { in: Buffer.from(said(at)).toString('base64') } };
  },
});

const dump = tool({
  ...aliased,
  name: 'dump',
  description: 'Dumps a database.',
  effect: 'idempotent',
  sandbox: 'none',
  run: {
    command: ['sh', '-c', 'echo "$DB $1 $2"; cat at.txt; cat', 'sh', { input: 'database' }, { alias: 'orders_db' }],
    stdout: 'text',
    environment: { DB: { alias: 'orders_db' } },
    files: { 'at.txt': { alias: 'orders_db' } },
  },
});

const crash = tool({
  ...aliased,
  name: 'crash',
  description: 'Fails.',
  effect: 'read',
  sandbox: 'none',
  // The beginning of what is told is cut off, and would begin within the value.
  run: { command: ['sh', '-c', `echo "$1$(printf '%0470d' 0)" >&2; exit 3`, 'sh', { input: 'database' }] },
});

const open = (tools: AxleOptions['tools'] = [], more: Partial<AxleOptions> = {}) =>
  createAxle({
    store: ':memory:',
    log: () => undefined,
    sandboxes: [subprocess()],
    aliases: { orders_db: database },
    tools,
    ...more,
  });

describe('an alias', () => {
  test('is all that the store, the log, the model and the command line ever see, whatever comes back (T17)', async () => {
    given.length = 0;
    const folder = new Folder('');
    const store = join(folder.path, 'axle.db');
    const seen: unknown[] = [];
    await using service = await startService(
      { '/things': { get: { operationId: 'list', responses: {} } } },
      { answer: json(200, { echo: 'ok' }) },
    );
    const { url: server } = service.server;
    const at = new URL(server).host;
    const api = openApiTools({
      name: 'api',
      document: {
        openapi: '3.1.0',
        info: { title: 'A service', version: '1' },
        paths: {
          '/things': { get: { operationId: 'list', description: `At ${server}.`, responses: {} } },
          '/gone': { get: { operationId: 'gone', responses: {} } },
        },
      },
      server: { alias: 'things' },
      effects: { GET: { retry: { attempts: 1 } } },
      http: { allow: [at] },
    });
    const place = await handMade({
      tools: [{ name: 'act', description: `Acts at ${host}.`, inputSchema: input }],
      call: ({ params, answer }) => {
        const { database: at } = params['arguments'] as { database: string };
        given.push(at);
        answer(says(`acted at ${at}`));
      },
    });
    const net = source(place, { effects: { act: { effect: 'read', aliases: { database: ['orders_db'] } } } });
    const calls = [
      { name: 'query', input: { database: 'orders_db', sql: 'select 1' } },
      { name: 'query', input: { database: 'orders_db', sql: 'fail' } },
      { name: 'query', input: { database: 'orders_db', sql: 'refuse' } },
      { name: 'dump', input: { database: 'orders_db' } },
      { name: 'crash', input: { database: 'orders_db' } },
      { name: 'net.act', input: { database: 'orders_db' } },
      { name: 'api.list', input: {} },
    ];
    const model = scriptedBrain((request, turn) => {
      seen.push(request);
      return turn === 0 ? { calls } : 'Done.';
    });
    const options = {
      store,
      tools: [query, dump, crash, api, net],
      agents: [agent({ name: 'clerk', instructions: `The database is ${database}.`, tools: ['*'], model })],
      aliases: { orders_db: { value: database, also: [] }, things: server },
    };
    const live: unknown[] = [];
    const axle = await open(options.tools, {
      ...options,
      log: (...line: readonly unknown[]) => seen.push(line),
      onLive: (event) => live.push(event),
    });
    const run = await axle.start('clerk', { input: `What is in ${database}?` });
    seen.push(await run.result(), live, axle.tools.definitions());
    // Whoever calls from outside may say the real value; it is taken for its alias.
    const outside = await axle.call('query', { database, sql: 'select 1' });
    expect(outside).toMatchObject({ status: 'completed' });
    seen.push(outside);
    await service.server[Symbol.asyncDispose]();
    seen.push(await axle.call('api.list', {}));
    await axle.close();

    expect(live).toHaveLength(8);
    // The attempts were given the real value.
    expect(new Set(given)).toEqual(new Set([database]));
    expect(service.server.requests[0]).toContain(`host: ${at}`);
    const shown = JSON.stringify(seen);
    for (const words of [
      'from orders_db',
      'acted at orders_db',
      'no database \\"orders_db\\"',
      'orders_db orders_db orders_db',
      'GET things',
    ]) {
      expect(shown).toContain(words);
    }
    const show = await folder.axle('show', run.id, '--entries', '--store', store);
    const spoken = await folder.axle('show', run.id, '--transcript', '--store', store);
    expect(show.stdout).toContain('orders_db');
    const files = readdirSync(folder.path).map((name) => join(folder.path, name));
    const bytes = files.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path).toString('latin1'));
    expect(bytes.some((text) => text.includes('orders_db'))).toBe(true);
    for (const text of [...bytes, shown, show.stdout, spoken.stdout]) {
      for (const word of [...telling, at, 'internal.example', 'clerk:']) expect(text).not.toContain(word);
    }
  }, 60_000);

  test('is what approvals, policy and kept results are bound to, so that a value that moves changes none of them', async () => {
    let value = 'orders_blue';
    let asked = 0;
    const judged: unknown[] = [];
    const cached = tool({
      ...aliased,
      name: 'count',
      description: 'Counts.',
      effect: 'read',
      cache: { ttl: '1h', scope: 'all' },
      execute: async ({ database: at }) => {
        asked += 1;
        return `counted in ${said(at)}`;
      },
    });
    const drop = tool({
      ...aliased,
      name: 'drop',
      description: 'Drops a table.',
      risk: 'high',
      execute: async ({ database: at }) => {
        given.push(at);
      },
    });
    await using axle = await open([cached, drop], {
      aliases: { orders_db: () => value },
      policy: (facts) => {
        judged.push(facts.call.input);
        return defaultPolicy(facts);
      },
    });
    expect(await axle.call('count', { database: 'orders_db' })).toMatchObject({ output: 'counted in orders_db' });
    value = 'orders_green';
    expect(await axle.call('count', { database: 'orders_db' })).toMatchObject({ output: 'counted in orders_db' });
    expect(asked).toBe(1);
    const run = await axle.startCall('drop', { database: 'orders_db' });
    await run.result();
    const [question] = await axle.approvals.list(run.id);
    expect(question?.input).toEqual({ database: 'orders_db' });
    value = 'orders_white';
    await axle.approvals.resolve(question?.approvalId ?? '', { decision: 'approve' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(given.at(-1)).toBe('orders_white');
    expect(judged.every((each) => JSON.stringify(each).includes('orders_db'))).toBe(true);
  });

  test('is real for whoever verifies a call and whoever takes it back', async () => {
    const heard: unknown[] = [];
    const put = tool({
      ...aliased,
      name: 'put',
      description: 'Puts.',
      execute: async () => 'put',
      undo: async (taken: { readonly database: string }) => {
        heard.push(taken.database);
      },
    });
    const lost = tool({
      ...aliased,
      name: 'lost',
      description: 'Is never heard of.',
      execute: async () => {
        throw new ToolError({ message: 'gone', effect: 'unknown' });
      },
      verify: async ({ database: at }) => {
        heard.push(at);
        return { happened: true, output: `it is in ${said(at)}` };
      },
    });
    await using axle = await open([put, lost]);
    const run = await axle.startCall('put', { database: 'orders_db' });
    await run.result();
    expect(await (await axle.undo(run.id)).result()).toMatchObject({ status: 'completed' });
    expect(await axle.call('lost', { database: 'orders_db' })).toMatchObject({ output: 'it is in orders_db' });
    expect(heard).toEqual([database, database]);
  });

  test('is refused before anything is sent when the contract does not admit it there', async () => {
    given.length = 0;
    await using axle = await open([query, crash], { aliases: { orders_db: database, users_db: 'users_prod' } });
    for (const name of ['query', 'crash']) {
      const result = await axle.call(name, { database: 'users_db', sql: 'select 1' });
      expect(result).toMatchObject({
        status: 'failed',
        failure: { code: 'arguments-invalid', message: 'database must be one of orders_db.', evidence: 'none' },
      });
    }
    expect(given).toEqual([]);
  });

  test('may stand in a list, and an argument that is absent stays absent', async () => {
    const sum = tool({
      name: 'sum',
      description: 'Sums up.',
      effect: 'read',
      input: {
        type: 'object',
        properties: { from: { type: 'array', items: { type: 'string' } }, to: { type: 'string' } },
      },
      aliases: { from: ['orders_db', 'users_db'], to: ['orders_db'] },
      execute: async (value) => {
        given.push(value);
      },
    });
    await using axle = await open([sum], { aliases: { orders_db: database, users_db: 'users_prod' } });
    await axle.call('sum', { from: ['users_db', 'orders_db'] });
    expect(given.at(-1)).toEqual({ from: ['users_prod', database] });
  });

  test('that a contract names and nobody declares is said when Axle opens, and when the tools change', async () => {
    for (const one of [query, dump]) {
      await expect(open([one], { aliases: { users_db: 'users_prod' } })).rejects.toMatchObject({
        code: 'alias-unknown',
        message: expect.stringContaining('orders_db'),
      });
    }
    await using axle = await open([], { aliases: {} });
    expect(() => axle.tools.replace(query)).toThrow(expect.objectContaining({ code: 'alias-unknown' }));
    const asks = tool({
      name: 'asks',
      description: 'Asks.',
      effect: 'read',
      input: { type: 'object' },
      execute: async (_, context) => context.real('nothing'),
    });
    axle.tools.replace(asks);
    expect(await axle.call('asks', {})).toMatchObject({ failure: { code: 'alias-unknown', evidence: 'none' } });
  });

  test('does not save a tool whose very name gives a real value away', async () => {
    const named: Contract = tool({
      name: 'orders_prod.query',
      description: 'Asks.',
      effect: 'read',
      input: { type: 'object' },
      execute: async () => null,
    });
    const error = await open([named]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'alias-unusable' });
    expect(String(error)).not.toContain('orders_prod');
  });

  test('stands in the schema of a result as well, for whoever is shown it', async () => {
    const where = tool({
      name: 'where',
      description: 'Says where the orders are.',
      effect: 'read',
      input: { type: 'object' },
      output: { type: 'object', properties: { host: { type: 'string', examples: [host] } } },
      execute: async () => ({ host }),
    });
    await using axle = await open([where]);
    expect(JSON.stringify(axle.tools.get('where')?.output?.json)).not.toContain(host);
    expect(await axle.call('where', {})).toMatchObject({ status: 'completed', output: { host: 'orders_db' } });
  });

  test.each([
    ['a list', []],
    ['a name with a blank', { 'orders db': database }],
    ['a value that is none', { orders_db: 7 }],
    ['a field that does not exist', { orders_db: { variabel: 'X' } }],
    ['two sources', { orders_db: { variable: 'X', value: database } }],
  ])('is declared by name, and %s is refused without a word of the value', async (_, aliases) => {
    // What a program without types may hand in.
    const error = await open([], { aliases: aliases as never }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'configuration-invalid' });
    for (const word of telling) expect(String(error)).not.toContain(word);
  });

  test.each([
    ['an argument that is none', { table: ['orders_db'] }],
    ['no alias', { database: [] }],
    ['what is no name', { database: ['orders db'] }],
  ])('is declared for arguments, and %s is refused', (_, aliases) => {
    expect(() => tool({ name: 'n', description: 'N.', input, aliases, execute: () => null })).toThrow(
      expect.objectContaining({ code: 'contract-invalid' }),
    );
  });
});
