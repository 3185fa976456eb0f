import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `import { agent, defineConfig, tool } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';
const pay = tool({ name: 'pay', description: 'Pays.', input: { type: 'object' }, execute: () => 'paid' });
const model = scriptedBrain([{ calls: [{ name: 'pay', input: { cents: 5 } }] }, 'done']);
export default defineConfig({ store: 'axle.db', tools: [pay], agents: [agent({ name: 'clerk', model, tools: ['pay'] })] });
`;

test(
  'axle replay says that a recording is the same, step by step, and points at what was changed in the file',
  { timeout: 90_000 },
  async () => {
    const folder = new Folder('axle.config.ts', config);
    await folder.axle('run', 'clerk', '--input', 'go');
    const same = await folder.axle('replay', 'last', '--step', '1');
    expect([same.code, same.stdout]).toEqual([0, expect.stringMatching(/is the same: \d+ entries, 2 steps/u)]);
    expect(same.stdout).toMatch(/checked +call-decided/u);
    expect((await folder.json('replay', 'last')).value).toMatchObject({ isSame: true, uncheckedCount: 0 });

    const database = new DatabaseSync(join(folder.path, 'axle.db'));
    database.exec(`UPDATE journal SET entries = replace(entries, 'cents', 'pence') WHERE entries LIKE '%cents%'`);
    database.close();
    const changed = await folder.json('replay', 'last');
    expect(changed).toMatchObject({ code: 1, value: { isSame: false, difference: { law: 'checksum' } } });
    expect((await folder.axle('replay', 'last', '--step', 'one')).code).toBe(2);
  },
);
