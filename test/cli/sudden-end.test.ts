import { describe, expect, test } from 'vitest';
import { isRecord } from '../../src/util/json.ts';
import { Folder } from './command.ts';

describe('a tool that ends the process under the command', () => {
  test(
    'makes the command fail with a word that names it, and an error object with --json',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const ended = await folder.axle('call', 'exits');
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toMatch(
        /ended the process, with code 0\. Under way: exits 1\.0 of run_\w+\. \(process-ended\)/u,
      );
      // The next driver takes the same call up first.
      const { code, value } = await folder.json('call', 'get_weather', '--input', '{"city": "Oslo"}');
      expect(code).toBe(1);
      expect(value).toMatchObject({ error: { code: 'process-ended' } });
      expect(JSON.stringify(value)).toContain('"tool":"exits"');
    },
  );

  test(
    'by an error that nobody caught is told with its words, and its run can be given up',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const ended = await folder.axle('call', 'floats');
      expect(ended).toMatchObject({ code: 1, stdout: '' });
      expect(ended.stderr).toContain(
        'threw an error that nobody caught: nobody caught this. Under way: floats 1.0 of run_',
      );
      expect(ended.stderr).toContain('axle cancel RUN');
      // Where it was thrown.
      expect(ended.stderr).toContain('world-config.ts');
      const { code, value } = await folder.json('resume');
      expect(code).toBe(1);
      const error = isRecord(value) ? value['error'] : undefined;
      expect(error).toMatchObject({ code: 'process-ended', details: { inHand: [{ tool: 'floats' }] } });
      expect(folder.ledger()).toEqual(['floats', 'floats']);

      expect((await folder.axle('cancel', 'last')).code).toBe(0);
      expect((await folder.axle('resume')).code).toBe(1);
      expect((await folder.axle('call', 'get_weather', '--input', '{"city": "Oslo"}')).code).toBe(0);
      expect(folder.ledger()).toEqual(['floats', 'floats']);
    },
  );

  test('does not hide that a configuration ends it', { timeout: 60_000 }, async () => {
    const folder = new Folder('axle.config.ts', 'process.exit(0);');
    expect(await folder.json('run', 'clerk', '--input', 'x')).toMatchObject({
      code: 1,
      value: { error: { code: 'process-ended' } },
    });
  });
});
