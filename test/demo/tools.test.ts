import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDemoTools } from '../../demo/tools.ts';
import { contextOf, testFolder } from './support.ts';

test('the demo has weather, mail and files, and a memo is written into its folder and nowhere else', async () => {
  const folder = testFolder();
  const demo = await createDemoTools({
    weatherUrl: 'http://127.0.0.1:1',
    mailUrl: 'http://127.0.0.1:1',
    smtpPort: 1,
    folder,
  });
  onTestFinished(() => demo.close());
  const names = demo.tools.map((tool) => tool.name);
  expect(names).toEqual(expect.arrayContaining(['get_weather', 'send_email', 'files.write_file']));

  const write = demo.tools.find((tool) => tool.name === 'files.write_file');
  expect(write).toMatchObject({ effect: 'idempotent', risk: 'low' });
  await write?.execute({ path: 'memo.md', content: 'Take a scarf.\n' }, contextOf('key'));
  await write?.execute({ path: 'memo.md', content: 'Take a scarf.\n' }, contextOf('key'));
  expect(readFileSync(join(folder, 'memo.md'), 'utf8')).toBe('Take a scarf.\n');
  await expect(write?.execute({ path: '../outside.md', content: '' }, contextOf('key'))).rejects.toMatchObject({
    class: 'recoverable',
  });
});
