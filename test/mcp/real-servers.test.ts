/** Servers that others have made, as real processes and over real HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mcp, type McpOptions, type McpSource } from '../../src/mcp.ts';
import { contextOf, toolNamed } from './context.ts';
import { containing, failureOf, lives, until } from './support.ts';

function programOf(name: string): string {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/${name}/package.json`);
  return join(dirname(manifest), 'dist/index.js');
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'axle-real-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function open(options: McpOptions): McpSource {
  const source = mcp({ onNotice: () => undefined, ...options });
  onTestFinished(() => source.close());
  return source;
}

/** The server of everything, over HTTP. */
async function startEverything(): Promise<{ readonly port: number; readonly child: ChildProcess }> {
  const probe = createServer();
  await new Promise<void>((resolve) => {
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  probe.close();
  const child = spawn(process.execPath, [programOf('server-everything'), 'streamableHttp'], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
  }
  await until(() => said.includes(String(port)), 'the server listens');
  return { port, child };
}

test('the memory server keeps what it is told, and takes it up again after it was killed', async () => {
  const folder = newFolder();
  const memory = open({
    name: 'memory',
    command: process.execPath,
    args: [programOf('server-memory')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
    effects: { read_graph: { effect: 'read' }, create_entities: { effect: 'write', risk: 'low' } },
  });
  const contracts = await memory.connect();
  expect(memory.refused).toEqual([]);
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
  await toolNamed(contracts, 'memory.create_entities').execute({ entities }, contextOf());
  const [server] = memory.processes;
  process.kill(server ?? 0, 'SIGKILL');
  await until(() => memory.processes.length === 0, 'the server is gone');
  const graph = await toolNamed(contracts, 'memory.read_graph').execute({}, contextOf());
  expect(graph).toMatchObject({ entities: [{ name: 'Ada' }] });
  expect(toolNamed(contracts, 'memory.read_graph').output?.check(graph as never)).toMatchObject({ ok: true });
  expect(readFileSync(join(folder, 'memory.json'), 'utf8')).toContain('Ada');
});

describe.for(['stdio', 'http'] as const)('the server of everything, over %s', (kind) => {
  async function everything(): Promise<{ readonly source: McpSource; readonly child?: ChildProcess }> {
    const common = { name: 'every', keep: newFolder() };
    if (kind === 'stdio') {
      const args = [programOf('server-everything'), 'stdio'];
      return { source: open({ ...common, command: process.execPath, args }) };
    }
    const { port, child } = await startEverything();
    return { source: open({ ...common, url: `http://127.0.0.1:${port}/mcp`, allow: [`127.0.0.1:${port}`] }), child };
  }

  test('its tools are contracts, and its answers of every kind are read', async () => {
    const { source } = await everything();
    const contracts = await source.connect();
    expect(source.refused).toEqual([]);
    expect(source.revision).toBe('2025-11-25');
    const call = (name: string, input = {}): Promise<unknown> =>
      toolNamed(contracts, `every.${name}`).execute(input, contextOf());
    expect(await call('echo', { message: 'hello' })).toContain('hello');
    expect(await call('get-sum', { a: 40, b: 2 })).toContain('42');
    expect(await call('get-tiny-image')).toMatchObject({
      kind: 'mcp-content',
      content: [
        { type: 'text' },
        { type: 'image', mimeType: 'image/png', reference: containing('kept:') },
        { type: 'text' },
      ],
    });
    expect(await call('get-structured-content', { location: 'New York' })).toHaveProperty('temperature');
    expect(await call('get-resource-links', { count: 2 })).toMatchObject({ kind: 'mcp-content' });
    expect(await failureOf(toolNamed(contracts, 'every.get-sum'), { a: 'x', b: 2 })).toMatchObject({
      class: 'recoverable',
    });
  });

  test('a long operation reports its progress', async () => {
    const { source } = await everything();
    const contracts = await source.connect();
    const heard: unknown[] = [];
    const context = { ...contextOf(), progress: (update: unknown) => void heard.push(update) };
    await toolNamed(contracts, 'every.trigger-long-running-operation').execute({ duration: 1, steps: 4 }, context);
    expect(heard).toHaveLength(4);
  });

  test('closing leaves nothing of it behind', async () => {
    const { source, child } = await everything();
    await source.connect();
    const { processes } = source;
    await source.close();
    expect(processes.filter(lives)).toEqual([]);
    // One on the network is not ours to end.
    if (child?.pid !== undefined) expect(lives(child.pid)).toBe(true);
  });
});
