/** A long-lived program in bubblewrap, started by command and arguments, as an MCP server is. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mcp } from '../../src/mcp.ts';
import { createAxle } from '../../src/axle.ts';
import { bubblewrap, sandboxedCommand } from '../../src/sandbox.ts';
import { cannotRun, proofOf } from './available.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let folder = '';
let isUsable = false;

beforeAll(async () => {
  const driver = bubblewrap();
  isUsable = (await proofOf(driver, false)) !== undefined;
  await driver.close();
  folder = mkdtempSync(join(tmpdir(), 'axle-granted-'));
  for (const [name, mode] of [
    ['shown', 0o755],
    ['open', 0o777],
    ['hidden', 0o755],
  ] as const) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'a.txt'), `of ${name}`, { mode: 0o644 });
    chmodSync(join(folder, name), mode);
  }
  chmodSync(folder, 0o755);
}, 60_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a command in a sandbox of its own', () => {
  beforeEach(({ skip }) => skip(!isUsable, cannotRun({ id: 'bubblewrap' })));

  test('sees the folders that it was granted and no other, and nothing of the environment', () => {
    const script = `cat ${folder}/shown/a.txt; echo; cat ${folder}/hidden/a.txt 2> /dev/null || echo no; echo new > ${folder}/open/b.txt; (: >> ${folder}/shown/a.txt) 2> /dev/null || echo read-only; env | cut -d= -f1 | sort | tr "\\n" " "; id -u`;
    const { command, args } = sandboxedCommand({
      command: 'sh',
      args: ['-c', script],
      environment: { GREETING: 'hello' },
      readable: [join(folder, 'shown')],
      writable: [join(folder, 'open')],
    });
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, SECRET: 'hush' } });
    expect(stderr).toBe('');
    expect(stdout).toBe('of shown\nno\nread-only\nGREETING HOME LANG PATH PWD TMPDIR 65534\n');
    expect(readFileSync(join(folder, 'open/b.txt'), 'utf8')).toBe('new\n');
  });

  test('serves as an MCP server', async () => {
    const modules = join(root, 'node_modules');
    const { command, args } = sandboxedCommand({
      command: 'node',
      args: [join(modules, '@modelcontextprotocol/server-filesystem/dist/index.js'), join(folder, 'shown')],
      readable: [modules, join(folder, 'shown')],
    });
    const files = mcp({ name: 'files', command, args, effects: { read_text_file: { effect: 'read' } } });
    await using axle = await createAxle({ store: ':memory:', log: () => {}, tools: [files] });
    const result = await axle.call('files.read_text_file', { path: join(folder, 'shown/a.txt') });
    expect(JSON.stringify(result)).toContain('of shown');
  }, 60_000);

  test.each(['relative/path', '/not/there'])('is refused for %s', (path) => {
    expect(() => sandboxedCommand({ command: 'true', readable: [path] })).toThrow(
      /no absolute path of something that is there/,
    );
  });
});
