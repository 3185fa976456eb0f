import { describe, expect, test } from 'vitest';
import type { LintReport } from '../../src/axle.ts';
import { Folder } from './command.ts';

const config = `
import { defineConfig, tool } from 'axle';
const input = { type: 'object', properties: { chargeId: { type: 'string', description: 'From find_charge' } }, required: ['chargeId'] };
const words = { whenToUse: 'Money goes back.', limitations: 'Not for orders.', output: { type: 'object' }, input };
export default defineConfig({
  tools: [
    tool({ ...words, name: 'refund', description: 'Refunds a charge in full.', effect: 'idempotent', execute: () => ({}) }),
    tool({ ...words, name: 'delete_charge', description: 'Deletes a charge for good.', effect: 'read', execute: () => ({}) }),
  ],
});
`;

describe('axle lint (T12)', () => {
  test('scores the tools of the configuration, says what to do, and fails on an error', async () => {
    const folder = new Folder('axle.config.ts', config);
    const { code, stdout } = await folder.axle('lint');
    expect(code).toBe(1);
    expect(stdout).toContain(' 90  refund\n     warning risk-understated (risk): Its name says refund');
    expect(stdout).toContain(
      'error effect-contradicts-name (effect): It is declared as a read, and its name says delete.',
    );
    expect(stdout).toContain('83 of 100 over 2 tools: 1 error, 1 warning, 0 advice.');
  });

  test('prints one JSON object, and takes a single tool, a least score, and rules to leave out', async () => {
    const folder = new Folder('axle.config.ts', config);
    const alone = await folder.axle('lint', 'refund', '--json');
    expect(alone.code).toBe(0);
    const report: LintReport = JSON.parse(alone.stdout);
    expect(report.tools.map(({ name, score }) => [name, score])).toEqual([['refund', 90]]);
    const low = await folder.axle('lint', 'refund', '--min', '95');
    expect([low.code, low.stderr]).toEqual([1, expect.stringContaining('Below 95: refund.')]);
    const without = await folder.axle('lint', 'refund', '--min', '95', '--without', 'risk-understated');
    expect(without.code).toBe(0);
  });

  test('shows of tools that others have written only errors, and says how to see the rest', async () => {
    const theirs = `
import { defineConfig, tool } from 'axle';
const source = (name, isForeign) => ({
  name,
  isForeign,
  connect: async () => [tool({ name: name + '.do_it', description: 'Does.', input: { type: 'object' }, execute: () => ({}) })],
  close: async () => {},
});
export default defineConfig({ tools: [source('theirs', true), source('mine', false)] });
`;
    const folder = new Folder('axle.config.ts', theirs);
    const shown = await folder.axle('lint');
    expect(shown.stdout).toContain('mine.do_it');
    expect(shown.stdout).not.toContain('theirs.do_it');
    expect(shown.stdout).toMatch(/\d+ findings about tools that others have written not shown: --all shows them/u);
    for (const words of [['--all'], ['--only', 'theirs.*'], ['theirs.do_it']]) {
      expect((await folder.axle('lint', ...words)).stdout).toContain('theirs.do_it\n     warning');
    }
    expect((await folder.axle('lint', '--only', 'theirs.*')).stdout).not.toContain('mine.do_it');
    expect(await folder.axle('lint', '--only', 'nobody.*')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--only nobody.* names no tool') as string,
    });
  });

  test('says what is wrong with its own arguments', async () => {
    const folder = new Folder('axle.config.ts', config);
    const said = await Promise.all(
      [
        ['lint', 'refnd'],
        ['lint', '--min', 'high'],
        ['lint', '--provider', 'acme'],
      ].map((words) => folder.axle(...words)),
    );
    expect(said.map(({ code }) => code)).toEqual([2, 2, 2]);
    expect(said.map(({ stderr }) => stderr).join('')).toMatch(
      /No tool is named refnd; there are refund, delete_charge[^]*--min is a whole number[^]*--provider is anthropic, google, openai/,
    );
  });
});
