import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `import { appendFileSync } from 'node:fs';
import { agent, defineConfig, tool } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';
const input = { type: 'object', properties: { room: { type: 'integer' } } };
const book = tool({
  name: 'book',
  description: 'Books a room.',
  input,
  execute: ({ room }) => ({ booking: room }),
  undo: (_input, output) => appendFileSync('ledger.txt', 'released ' + output.booking + '\\n'),
});
const mail = tool({ name: 'mail', description: 'Sends a mail.', input, execute: () => 'sent' });
const calls = [{ calls: [{ name: 'book', input: { room: 1 } }] }, { calls: [{ name: 'mail', input: {} }] },
  { calls: [{ name: 'book', input: { room: 2 } }] }, 'done'];
const clerk = agent({ name: 'clerk', model: scriptedBrain(calls), tools: ['book', 'mail'] });
export default defineConfig({ store: 'axle.db', tools: [book, mail], agents: [clerk] });
`;

test(
  'axle undo takes a run back, says what stopped it, and axle show shows what is undone',
  { timeout: 90_000 },
  async () => {
    const folder = new Folder('axle.config.ts', config);
    const started = (await folder.json('run', 'clerk', '--input', 'go')).value as { readonly runId: string };
    const ledger = (): string => readFileSync(join(folder.path, 'ledger.txt'), 'utf8');

    const stopped = await folder.json('undo', started.runId);
    expect(stopped.code).toBe(1);
    expect(stopped.value).toMatchObject({
      status: 'stopped',
      failure: { code: 'undo-incomplete' },
      output: {
        undone: [{ callId: '3.0' }],
        unable: [{ callId: '2.0', reason: 'no-undo' }],
        left: [{ callId: '1.0' }],
      },
    });
    expect(stopped.value).toMatchObject({
      next: [`axle undo ${started.runId} --again`, `axle undo ${started.runId} --again --skip`],
    });
    expect(ledger()).toBe('released 2\n');

    const rest = await folder.json('undo', started.runId, '--again', '--skip');
    expect(rest.value).toMatchObject({ status: 'completed', output: { undone: [{ callId: '1.0' }] } });
    expect(ledger()).toBe('released 2\nreleased 1\n');

    const shown = (await folder.axle('show', started.runId)).stdout;
    expect(shown.match(/UNDONE by run_/gu)).toHaveLength(2);
    const listed = (await folder.axle('runs')).stdout;
    expect(listed).toMatch(/completed +run_\S+ .*undo/u);
    const places = listed
      .trim()
      .split('\n')
      .map((line) => line.indexOf(' ago'));
    expect(new Set(places).size).toBe(1);
    const undo = (await folder.axle('show', 'last')).stdout;
    expect(undo).toContain('book~undo 1.0 (write)');
    expect(undo).not.toContain('asked ');
  },
);
