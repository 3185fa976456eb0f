/** The list of servers in the form that MCP hosts share. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { assert, expect, onTestFinished, test } from 'vitest';
import { createAxle } from '../../src/axle.ts';
import { AxleError } from '../../src/error/axle-error.ts';
import { optionsOf, writeServer } from '../../src/mcp/config/config-file.ts';
import { writeWhole } from '../../src/mcp/write-whole.ts';
import { mcpServers } from '../../src/mcp.ts';
import { isRecord } from '../../src/util/json.ts';

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

test('a file that is missing, no JSON or without servers is refused with its name and what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const missing = join(folder, 'missing.json');
  const torn = join(folder, 'torn.json');
  const empty = join(folder, 'empty.json');
  writeFileSync(torn, '{"mcpServers": {');
  writeFileSync(empty, '{}');
  const told = [missing, torn, empty].map((path) => {
    const { message, remedy } = thrownBy(() => mcpServers(path));
    return [message.startsWith(`${path} `), message.slice(path.length).slice(0, 23), remedy] as const;
  });
  expect(told).toEqual([
    [true, ' cannot be read: there ', 'It is written with: axle mcp add NAME -- COMMAND'],
    [true, ' cannot be read: Expect', 'It lists MCP servers and must be a file of JSON.'],
    [true, ' has no mcpServers.', expect.stringContaining('axle mcp add NAME -- COMMAND')],
  ]);
});

test('a server is added to a file that keeps what else it holds, or to a new one; what cannot be written leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'mcp.json');
  await writeServer(path, 'a', { command: 'x' });
  writeFileSync(path, JSON.stringify({ inputs: [1], ...readServers(path) }));
  await writeServer(path, 'b', { command: 'y' });
  expect(readServers(path)).toEqual({ inputs: [1], mcpServers: { a: { command: 'x' }, b: { command: 'y' } } });
  mkdirSync(join(folder, 'folder'));
  await expect(writeWhole(join(folder, 'folder'), 'text')).rejects.toThrow(/EISDIR|EPERM|EEXIST/);
  expect(readdirSync(folder).toSorted()).toEqual(['folder', 'mcp.json']);
});

function readServers(path: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
  assert(isRecord(value));
  return value;
}

function thrownBy(act: () => unknown): AxleError {
  try {
    act();
  } catch (error) {
    assert(error instanceof AxleError);
    return error;
  }
  throw new Error('nothing was thrown');
}
