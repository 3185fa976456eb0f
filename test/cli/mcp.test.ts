/** `axle mcp`: servers are added, listed, tested and accepted, with a real server as a process. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { Folder } from './command.ts';

const server = fileURLToPath(new URL('../mcp/rude-server.mjs', import.meta.url));
const timeout = 60_000;

interface Offered {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
}

const echo: Offered = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  annotations: { readOnlyHint: true },
};

test('axle mcp test without a list says how a server is added', { timeout }, async () => {
  const tested = await new Folder('').axle('mcp', 'test');
  expect(tested.code).toBe(0);
  expect(tested.stdout).toContain('mcp.json lists no servers. Add one with: axle mcp add NAME -- COMMAND');
});

/** A folder with a list that names a server, which offers what a file says. */
function folderWith(tools: readonly Offered[]): {
  readonly folder: Folder;
  readonly offer: (tools: readonly Offered[]) => void;
} {
  const folder = new Folder();
  const offered = join(folder.path, 'tools.json');
  const offer = (now: readonly Offered[]): void => writeFileSync(offered, JSON.stringify(now));
  offer(tools);
  const entry = { command: process.execPath, args: [server, '--list=file'], env: { RUDE_TOOLS: offered } };
  writeFileSync(join(folder.path, 'mcp.json'), JSON.stringify({ mcpServers: { rude: entry } }));
  return { folder, offer };
}

describe('axle mcp', () => {
  test(
    'add connects a server, accepts its tools and writes it down in the form that hosts share',
    { timeout },
    async () => {
      const folder = new Folder();
      const { code, stdout } = await folder.axle('mcp', 'add', 'rude', '--', process.execPath, server);
      expect([code, stdout]).toEqual([0, expect.stringContaining('rude is in mcp.json now')]);
      expect(stdout).toMatch(/echo\s+write medium\s+offered\s+sha256:/);
      expect(JSON.parse(readFileSync(join(folder.path, 'mcp.json'), 'utf8'))).toEqual({
        mcpServers: { rude: { command: process.execPath, args: [server] } },
      });
      expect(readFileSync(join(folder.path, 'mcp.pins.json'), 'utf8')).toContain('"description": "Does echo."');

      const { value } = await folder.json('mcp', 'list');
      expect(value).toMatchObject({
        file: 'mcp.json',
        servers: [{ name: 'rude', transport: 'stdio', disabled: false }],
      });
      expect((await folder.axle('mcp', 'add', 'rude', '--', process.execPath, server)).code).toBe(2);
    },
  );

  test('add writes nothing down when the server cannot be connected, and says why in words', { timeout }, async () => {
    const folder = new Folder();
    const missing = await folder.axle('mcp', 'add', 'gone', '--', 'no-such-program');
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('Is no-such-program installed')]);
    const refused = await folder.axle('mcp', 'add', 'net', '--url', 'http://127.0.0.1:9/mcp');
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('--allow 127.0.0.1:9')]);
    expect((await folder.axle('mcp', 'list')).stdout).toContain('lists no servers');
  });

  test('a secret is written down by its name and not by its value', { timeout }, async () => {
    const folder = new Folder();
    const words = ['--url', 'https://billing.example.com/mcp', '--bearer', 'BILLING_TOKEN', '--untested'];
    expect((await folder.axle('mcp', 'add', 'billing', ...words)).code).toBe(0);
    expect(JSON.parse(readFileSync(join(folder.path, 'mcp.json'), 'utf8'))).toMatchObject({
      mcpServers: { billing: { type: 'http', headers: { authorization: 'Bearer ${BILLING_TOKEN}' } } },
    });
  });

  test('accepts nothing, shows what has changed part by part, and fails; accept takes it', { timeout }, async () => {
    const { folder, offer } = folderWith([echo]);
    const first = await folder.axle('mcp', 'test');
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('Nothing of it has been accepted yet')]);
    expect(first.stdout).toContain('"effects": { "echo": { "effect": "read" } }');
    expect((await folder.json('mcp', 'accept', 'rude')).value).toMatchObject({ accepted: ['echo'] });

    offer([
      { ...echo, description: 'Says it again, and to me.' },
      { ...echo, name: 'more' },
    ]);
    const changed = await folder.axle('mcp', 'test', 'rude');
    expect(changed.code).toBe(1);
    expect(changed.stdout).toContain('description was "Says it again.", is "Says it again, and to me."');
    expect(changed.stdout).toContain('axle mcp accept rude echo');
    expect(changed.stdout).toContain('more is new');
    const { code, value } = await folder.json('mcp', 'test', 'rude');
    expect(code).toBe(1);
    expect(value).toMatchObject({ ok: false, servers: [{ tools: [{ state: 'changed' }, { state: 'new' }] }] });

    expect((await folder.axle('mcp', 'accept', 'rude', 'echo')).stdout).toContain('echo');
    expect((await folder.json('mcp', 'test', 'rude')).value).toMatchObject({
      servers: [{ tools: [{ state: 'accepted' }, { state: 'new' }] }],
    });
    await folder.axle('mcp', 'accept', 'rude');
    expect((await folder.axle('mcp', 'test', 'rude')).code).toBe(0);
  });

  test('what it is asked wrongly is refused with what it has', { timeout }, async () => {
    const { folder } = folderWith([echo]);
    for (const words of [['ad'], ['add'], ['add', 'x'], ['test', 'nobody'], ['accept']]) {
      expect([words, (await folder.axle('mcp', ...words)).code]).toEqual([words, 2]);
    }
    writeFileSync(join(folder.path, 'mcp.json'), JSON.stringify({ mcpServers: { rude: { comand: 'x' } } }));
    const { code, stderr } = await folder.axle('mcp', 'test');
    expect([code, stderr]).toEqual([3, expect.stringContaining('is command meant?')]);
  });
});
