/** The list of servers in the form that MCP hosts share. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createAxle } from '../../src/axle.ts';
import { optionsOf } from '../../src/mcp/config/config-file.ts';
import { mcpServers } from '../../src/mcp.ts';

const server = fileURLToPath(new URL('rude-server.mjs', import.meta.url));

test('its servers are tool sources, those that are disabled left out, and their tools are pinned beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'mcp.json');
  const rude = { type: 'stdio', command: process.execPath, args: [server], effects: { echo: { effect: 'read' } } };
  writeFileSync(path, JSON.stringify({ mcpServers: { rude, off: { command: 'no-such-program', disabled: true } } }));
  const tools = mcpServers(path);
  expect(tools.map((source) => source.name)).toEqual(['rude']);
  await using axle = await createAxle({ store: ':memory:', tools, log: () => undefined });
  expect(await axle.call('rude.echo', { text: 'hello' })).toMatchObject({ status: 'completed', output: 'hello' });
  expect(tools[0]?.review.every((one) => one.kind === 'accepted')).toBe(true);
});

test('variables are filled in where a process gets them, and stay references where they are secrets', () => {
  const environment = { HOME: '/home/ann', TOKEN: 'secret' };
  const filled = optionsOf(
    'a',
    { command: 'x', args: ['${HOME}/f', '${PORT:-80}'], env: { T: '${env:TOKEN}' } },
    environment,
  );
  expect(filled).toEqual({ name: 'a', command: 'x', args: ['/home/ann/f', '80'], env: { T: 'secret' } });
  const remote = { url: 'https://${HOST:-example.com}/mcp', headers: { authorization: 'Bearer ${TOKEN}' } };
  expect(optionsOf('b', remote, environment)).toEqual({
    name: 'b',
    url: 'https://example.com/mcp',
    headers: { authorization: 'Bearer ${TOKEN}' },
  });
});

test.for([
  ['a variable that is not set', { command: '${NOWHERE}' }, 'NOWHERE'],
  ['a field that nobody knows', { command: 'x', disabledTools: ['y'] }, 'disabledTools'],
  ['a misspelt field', { comand: 'x' }, 'is command meant?'],
  ['a field of another kind', { command: 'x', args: 'y' }, 'args'],
  ['a transport that is not spoken', { type: 'sse', url: 'https://example.com' }, 'deprecated'],
  ['a type that does not fit', { type: 'http', command: 'x' }, 'stdio'],
  ['both a command and a url', { command: 'x', url: 'https://example.com' }, 'both'],
  ['neither', {}, 'neither'],
  ['no object', 'x', 'no object'],
] as const)('%s is refused with its name', ([, entry, words]) => {
  expect(() => optionsOf('net', entry, {})).toThrow(words);
  expect(() => optionsOf('net', entry, {})).toThrow(/MCP server 'net'/);
});

test('fields of other hosts that decorate or permit are passed over: nothing is permitted by them', () => {
  expect(optionsOf('a', { command: 'x', autoApprove: ['y'], description: 'z' }, {})).toEqual({
    name: 'a',
    command: 'x',
  });
});

test('a file that is missing or none is refused in words', () => {
  expect(() => mcpServers('/nowhere/mcp.json')).toThrow('cannot be read');
});
