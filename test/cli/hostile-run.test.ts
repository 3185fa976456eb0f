import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agent, createAxle, createMemoryStore, tool } from '../../src/axle.ts';
import { exportRun } from '../../src/export.ts';
import { createHash } from 'node:crypto';
import { scriptedBrain } from '../../src/testing.ts';
import { Folder } from './command.ts';

/** Bell, an escape sequence, a text direction mark, a line break; as JSON writes them. */
const hostile = String.raw`\u0007\u001b]0;x\u202e\n`;

/** A run file whose agent and tool have hostile names, and whose checksum fits. */
async function hostileFile(): Promise<string> {
  const store = createMemoryStore();
  const look = tool({
    name: 'look_here',
    description: 'Looks.',
    effect: 'read',
    input: { type: 'object' },
    execute: () => 1,
  });
  const model = scriptedBrain([{ calls: [{ name: 'look_here', input: {} }] }, 'Seen.']);
  await using axle = await createAxle({
    store,
    tools: [look],
    agents: [agent({ name: 'scout_one', model, tools: ['look_here'] })],
  });
  const run = await axle.start('scout_one', { input: 'Look.' });
  await run.result();
  const lines: string[] = [];
  for await (const line of exportRun(store, run.id)) lines.push(line.trimEnd());
  const end: unknown = JSON.parse(lines.pop() ?? '');
  const changed = lines.map((line) =>
    line.includes('"kind":"declaration"') ? line : line.replaceAll(/look_here|scout_one/gu, `$&${hostile}`),
  );
  const text = `${changed.join('\n')}\n`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return `${text}${JSON.stringify({ ...(end as object), sha256 })}\n`;
}

test('a run file with hostile names is shown without a control character by whatever prints it', async () => {
  const folder = new Folder();
  writeFileSync(join(folder.path, 'run.jsonl'), await hostileFile());
  await folder.axle('import', 'run.jsonl', '--store', 'axle.db');
  for (const words of [
    ['replay', 'last'],
    ['compare', 'last', 'last'],
    ['diagnose', 'last'],
    ['runs'],
    ['show', 'last'],
  ]) {
    const { stdout, stderr } = await folder.axle(...words, '--store', 'axle.db');
    const raw = ['\u0007', '\u001b', '\u202e'].filter((character) => `${stdout}${stderr}`.includes(character));
    expect([words[0], raw, stdout]).toEqual([words[0], [], expect.stringContaining('run_')]);
  }
});

test('a folder is no file that could be opened', async () => {
  const folder = new Folder();
  expect(await folder.axle('open', '.')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('There is no file'),
  });
});
