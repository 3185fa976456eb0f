import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Folder, type Running } from './command.ts';

const limits = { timeout: 60_000 };

interface Served {
  readonly url: string;
  readonly role: string;
  readonly token?: string;
}

/** What a server said of itself when it began to listen. */
async function served(running: Running): Promise<Served> {
  let text = '';
  running.child.stdout?.on('data', (chunk: string) => (text += chunk));
  await running.says('"url"');
  await running.says('\n');
  return JSON.parse(text) as Served;
}

async function get<T>(url: string, headers: Readonly<Record<string, string>> = {}): Promise<T> {
  return (await (await fetch(url, { headers })).json()) as T;
}

async function start(url: string, agent: string): Promise<string> {
  const response = await fetch(`${url}/v1/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': agent },
    body: JSON.stringify({ agent, input: 'x' }),
  });
  const { runId } = (await response.json()) as { readonly runId: string };
  return runId;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 800; tries += 1) {
    if (await holds()) return;
    await sleep(25);
  }
  throw new Error('It never came to that.');
}

describe('axle serve', () => {
  test('serves the store, lets what is in hand end on SIGTERM, and ends with 0 (D4)', limits, async () => {
    const folder = new Folder();
    const server = folder.start('serve', '--port', '0', '--json');
    const { url, role } = await served(server);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^axle_build_info\{version="\d+\.\d+\.\d+/mu);
    expect(role).toBe('driver');
    const runId = await start(url, 'waiter');
    await until(() => folder.ledger().includes('patient begins'));
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.child.kill('SIGTERM');
    await server.says('Stopping (SIGTERM)');
    await until(async () => (await fetch(`${url}/readyz`)).status === 503);
    expect((await fetch(`${url}/v1/runs/${runId}`)).status).toBe(200);
    writeFileSync(join(folder.path, 'go'), '');
    expect((await server.ended).code).toBe(0);
    expect(folder.ledger()).toEqual(['patient begins', 'patient ends']);
    expect(await folder.axle('resume')).toMatchObject({ code: 0, stdout: 'Done waiting.\n' });
    expect(folder.ledger()).toHaveLength(2);
  });

  test('ends at once with 130 on a second signal', limits, async () => {
    const folder = new Folder();
    const server = folder.start('serve', '--port', '0', '--json');
    const { url } = await served(server);
    await start(url, 'waiter');
    await until(() => folder.ledger().includes('patient begins'));
    server.child.kill('SIGTERM');
    await server.says('Stopping (SIGTERM)');
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(130);
    expect(folder.ledger()).toEqual(['patient begins']);
  });

  test(
    'reads, starts and answers where another process drives, and takes over when that one ends',
    limits,
    async () => {
      const folder = new Folder();
      const driver = folder.start('serve', '--port', '0', '--json');
      await served(driver);
      const client = folder.start('serve', '--port', '0', '--json');
      const { url, role } = await served(client);
      expect(role).toBe('client');
      const runId = await start(url, 'clerk');
      const { items } = await (async () => {
        interface Approvals {
          readonly items: readonly { readonly approvalId: string; readonly etag: string }[];
        }
        let found: Approvals = { items: [] };
        await until(async () => {
          found = await get<Approvals>(`${url}/v1/approvals`);
          return found.items.length > 0;
        });
        return found;
      })();
      const [item] = items;
      const answered = await fetch(`${url}/v1/approvals/${encodeURIComponent(item?.approvalId ?? '')}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'if-match': `"${item?.etag}"` },
        body: JSON.stringify({ decision: 'approve' }),
      });
      expect(answered.status).toBe(202);
      expect(await get(`${url}/v1/runs/${runId}/result?wait=20`)).toMatchObject({ status: 'completed' });
      driver.child.kill('SIGKILL');
      await client.says('this one drives it now');
      expect(await get(`${url}/v1/system`)).toMatchObject({ role: 'driver' });
      const next = await start(url, 'rebel');
      expect(await get(`${url}/v1/runs/${next}/result?wait=20`)).toMatchObject({ status: 'completed' });
      client.child.kill('SIGINT');
      expect((await client.ended).code).toBe(0);
    },
  );

  test('wants a token where it makes one, or is given tokens by their hashes', limits, async () => {
    const folder = new Folder();
    const made = folder.start('serve', '--port', '0', '--token', '--read-only', '--json');
    const { url, token } = await served(made);
    expect((await fetch(`${url}/v1/runs`)).status).toBe(401);
    expect(await get(`${url}/v1/system`, { authorization: `Bearer ${token}` })).toMatchObject({ isReadOnly: true });
    made.child.kill('SIGINT');
    await made.ended;
    const secret = 'axle_0123456789abcdef0123456789abcdef';
    const sha256 = createHash('sha256').update(secret).digest('hex');
    folder.write('tokens.json', JSON.stringify([{ name: 'eye', sha256, scopes: ['read'] }]));
    const given = folder.start('serve', '--port', '0', '--tokens', 'tokens.json', '--json');
    const other = await served(given);
    expect(other.token).toBeUndefined();
    const system = await get(`${other.url}/v1/system`, { authorization: `Bearer ${secret}` });
    expect(system).toMatchObject({ caller: 'eye', scopes: ['read'] });
  });

  test.each([
    [['--host', '0.0.0.0'], 3, 'bind-refused'],
    [['--port', 'none'], 2, 'usage-invalid'],
    [['--drain', 'soon'], 2, 'usage-invalid'],
    [['--tokens', 'missing.json'], 3, 'configuration-invalid'],
  ])('refuses %j', limits, async (words, code, error) => {
    const folder = new Folder();
    const ended = await folder.axle('serve', ...words, '--json');
    expect(ended.code).toBe(code);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: error } });
  });
});

describe('axle dev', () => {
  const config = (word: string): string => `
    import { agent, defineConfig, tool } from 'axle';
    import { scriptedBrain } from 'axle/testing';
    import { greeting } from './greeting.ts';
    const hello = tool({ name: 'hello', description: greeting, effect: 'read', input: {}, execute: async () => greeting });
    const model = scriptedBrain([{ calls: [{ name: 'hello', input: {} }] }, '${word}']);
    export default defineConfig({ tools: [hello], agents: [agent({ name: '${word}', tools: ['hello'], model })] });
  `;

  test(
    'loads tools and agents anew when their files change, and keeps what it has when they cannot be',
    limits,
    async () => {
      const folder = new Folder('axle.config.ts', config('ann'));
      folder.write('greeting.ts', "export const greeting = 'one';");
      const server = folder.start('dev', '--port', '0', '--json');
      const { url } = await served(server);
      const description = async (): Promise<string | undefined> =>
        (await get<{ items: { description: string }[] }>(`${url}/v1/tools`)).items[0]?.description;
      expect(await description()).toBe('one');
      const first = await start(url, 'ann');
      expect(await get(`${url}/v1/runs/${first}/result?wait=20`)).toMatchObject({ output: 'ann' });
      folder.write('greeting.ts', "export const greeting = 'two';");
      await until(async () => (await description()) === 'two');
      folder.write('greeting.ts', 'export const greeting = ;');
      await server.says('Everything stays as it was');
      expect(await description()).toBe('two');
      folder.write('greeting.ts', "export const greeting = 'three';");
      await until(async () => (await description()) === 'three');
      folder.write('axle.config.ts', config('bob'));
      await until(async () => (await get<{ items: { name: string }[] }>(`${url}/v1/agents`)).items[0]?.name === 'bob');
      const second = await start(url, 'bob');
      expect(await get(`${url}/v1/runs/${second}/result?wait=20`)).toMatchObject({ output: 'bob' });
      // The store is one and the same.
      expect((await get<{ items: unknown[] }>(`${url}/v1/runs`)).items).toHaveLength(2);
      server.child.kill('SIGTERM');
      expect((await server.ended).code).toBe(0);
      expect((await folder.json('runs')).value).toHaveLength(2);
    },
  );
});

describe('axle open', () => {
  test('shows a store without a configuration, and leaves it as it is', limits, async () => {
    const folder = new Folder();
    expect((await folder.axle('run', 'rebel', '--input', 'x')).code).toBe(6);
    const before = readFileSync(join(folder.path, 'axle.db'));
    const server = folder.start('open', 'axle.db', '--port', '0', '--json');
    const { url } = await served(server);
    const { items } = await get<{ items: { runId: string; subject: string }[] }>(`${url}/v1/runs`);
    expect(items).toMatchObject([{ subject: 'rebel' }]);
    const cancel = await fetch(`${url}/v1/runs/${items[0]?.runId}/cancel`, { method: 'POST' });
    expect(cancel.status).toBe(403);
    server.child.kill('SIGINT');
    expect((await server.ended).code).toBe(0);
    expect(readFileSync(join(folder.path, 'axle.db')).equals(before)).toBe(true);
    expect((await folder.axle('open', 'none.db')).code).toBe(3);
  });

  test('of a checkout without a built page says what makes one, and nothing where there is one', limits, async () => {
    const folder = new Folder();
    await folder.axle('run', 'rebel', '--input', 'x');
    const checkout = join(folder.path, 'checkout');
    const root = fileURLToPath(new URL('../../', import.meta.url));
    for (const part of ['src', 'package.json']) cpSync(join(root, part), join(checkout, part), { recursive: true });
    rmSync(join(folder.path, 'bin/axle'));
    symlinkSync(join(checkout, 'src/cli/main.ts'), join(folder.path, 'bin/axle'));
    const said = async (): Promise<string> => {
      const server = folder.start('open', 'axle.db', '--port', '0', '--json');
      const { url } = await served(server);
      await fetch(`${url}/healthz`);
      server.child.kill('SIGINT');
      return (await server.ended).stderr;
    };
    expect(await said()).toContain('The debugger is not built: npm run build makes it.');
    mkdirSync(join(checkout, 'dist/debugger'), { recursive: true });
    writeFileSync(join(checkout, 'dist/debugger/index.html'), '<!doctype html>');
    expect(await said()).not.toContain('not built');
  });
});
