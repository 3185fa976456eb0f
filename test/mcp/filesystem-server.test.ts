import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { clientInfo } from '../../src/mcp/connection.ts';
import { mcp } from '../../src/mcp.ts';
import { contextOf, toolNamed } from './context.ts';
import { containing, failureOf, lives } from './support.ts';

const program = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')),
  'dist/index.js',
);

test('the filesystem server of the protocol writes and reads real files as a tool source, and leaves no process behind', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'axle-files-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const files = mcp({
    name: 'files',
    command: process.execPath,
    args: [program, folder],
    cwd: folder,
    effects: { read_text_file: { effect: 'read' }, write_file: { effect: 'idempotent', risk: 'low' } },
  });
  onTestFinished(() => files.close());
  const tools = await files.connect();
  const write = toolNamed(tools, 'files.write_file');
  expect(files.refused).toEqual([]);
  expect(write).toMatchObject({ effect: 'idempotent', risk: 'low' });
  expect(toolNamed(tools, 'files.move_file')).toMatchObject({ effect: 'write', risk: 'high' });

  const output = await write.execute({ path: join(folder, 'memo.md'), content: 'Take a scarf.\n' }, contextOf());
  expect(write.output?.check(output as { content: string })).toMatchObject({ ok: true });
  expect(readFileSync(join(folder, 'memo.md'), 'utf8')).toBe('Take a scarf.\n');
  expect(
    await toolNamed(tools, 'files.read_text_file').execute({ path: join(folder, 'memo.md') }, contextOf()),
  ).toEqual({ content: 'Take a scarf.\n' });
  expect(await failureOf(write, { path: '/etc/axle', content: '' })).toMatchObject({
    class: 'recoverable',
    message: containing('denied'),
  });

  const processes = files.processes;
  await files.close();
  expect(processes.filter(lives)).toEqual([]);
});

test('Axle introduces itself to servers with the version that it has', () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as typeof clientInfo;
  expect(manifest).toMatchObject(clientInfo);
});
