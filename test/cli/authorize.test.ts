import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `
import { existsSync } from 'node:fs';
import { defineConfig, tool, ToolError } from 'axle';
const look = tool({
  name: 'look', description: 'Looks.', effect: 'read', authorization: 'ask', input: { type: 'object' },
  execute: () => {
    if (existsSync('token')) return 'seen';
    const authorize = { upstream: 'crm', url: 'https://crm.example.com/login' };
    throw new ToolError({ message: 'The token has expired.', effect: 'none', authorize });
  },
});
export default defineConfig({ store: 'axle.db', tools: [look] });
`;

test(
  'a run that waits for a login shows it, ends the command with 4, and goes on once somebody says that it is there (T7)',
  { timeout: 90_000 },
  async () => {
    const folder = new Folder('axle.config.ts', config);
    const called = await folder.axle('call', 'look');
    expect(called.code).toBe(4);
    expect(called.stderr).toContain('a person authorises crm at https://crm.example.com/login for call 1.0');
    expect(called.stderr).toMatch(/axle authorize run_\w+\/1\.0\n/u);
    expect((await folder.axle('runs')).stdout).toContain('a person authorises crm');
    const shown = (await folder.axle('show', 'last')).stdout;
    expect(shown).toContain('waits for authorisation');
    expect(shown).toContain('crm: https://crm.example.com/login');
    expect(shown).toMatch(/axle authorize run_\w+\/1\.0 --deny/u);
    writeFileSync(join(folder.path, 'token'), '');
    const said = await folder.json('authorize', 'last', '--by', 'ann');
    expect(said).toMatchObject({
      code: 0,
      value: { upstream: 'crm', callIds: ['1.0'], granted: true, recorded: true },
    });
    expect(await folder.json('authorize', 'last')).toMatchObject({
      code: 1,
      value: { error: { code: 'decision-already-made' } },
    });
    expect(await folder.axle('resume', 'last')).toMatchObject({ code: 0, stdout: 'seen\n' });
    expect(await folder.json('authorize', 'last')).toMatchObject({
      code: 1,
      value: { error: { code: 'decision-invalid' } },
    });
  },
);

test('a login that is refused fails the call, and says why', { timeout: 60_000 }, async () => {
  const folder = new Folder('axle.config.ts', config);
  await folder.axle('call', 'look');
  const denied = await folder.axle('authorize', 'last', '--deny', '--note', 'closed account', '--resume');
  expect(denied.code).toBe(1);
  expect(denied.stderr).toContain('authorization-denied');
  expect(denied.stderr).toContain('closed account');
});
