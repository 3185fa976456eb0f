import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `import { appendFileSync } from 'node:fs';
import { agent, defineConfig, tool } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';
const pay = tool({ name: 'pay', description: 'Pays.', input: { type: 'object' },
  execute: (input) => { appendFileSync('ledger.txt', JSON.stringify(input)); return 'paid'; } });
const model = scriptedBrain([{ calls: [{ name: 'pay', input: { cents: 5 } }] }, 'done']);
const brisk = scriptedBrain(['unused', 'No more of that.'], 'brisk/one');
export default defineConfig({ store: 'axle.db', tools: [pay], models: { brisk }, agents: [agent({ name: 'clerk', model, tools: ['pay'] })] });
`;

test(
  'axle fork goes on from a step without paying again, axle show says so, and axle compare says where the two part',
  { timeout: 120_000 },
  async () => {
    const folder = new Folder('axle.config.ts', config);
    const { runId } = (await folder.json('run', 'clerk', '--input', 'go')).value as { readonly runId: string };
    expect((await folder.json('fork', runId, '--at', '1')).value).toMatchObject({
      status: 'completed',
      output: 'done',
    });
    expect(readFileSync(join(folder.path, 'ledger.txt'), 'utf8')).toBe('{"cents":5}');
    const shown = (await folder.axle('show', 'last')).stdout;
    expect(shown).toContain(`of ${runId} at step 1`);
    expect(shown).toContain('RECORDED');
    const brisk = await folder.json('fork', runId, '--at', '2', '--model', 'brisk', '--instructions', 'Be brisk.');
    expect(brisk.value).toMatchObject({ status: 'completed', output: 'No more of that.' });
    const compared = await folder.axle('compare', runId, 'last');
    expect(compared.stdout).toContain('they part at step 2: another context');
    expect((await folder.json('compare', runId, 'last')).value).toMatchObject({
      shared: { runId, steps: 1 },
      divergence: { step: 2, what: 'context' },
    });
    expect((await folder.axle('fork', runId)).code).toBe(2);
    expect((await folder.axle('fork', runId, '--at', '1', '--model', 'none')).code).toBe(2);
  },
);
