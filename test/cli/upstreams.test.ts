import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `
import { defineConfig, tool } from 'axle';
const pay = tool({
  name: 'pay', description: 'Pays.', input: { type: 'object' }, limits: { upstream: 'bank' }, retry: { attempts: 1 },
  execute: async () => ({ paid: true }),
});
export default defineConfig({ store: 'axle.db', tools: [pay], upstreams: { bank: { concurrency: 2 } } });
`;

test(
  'axle upstreams lists what is declared, and an order outlives the process, reaches the next driver, and is taken back (T4)',
  { timeout: 90_000 },
  async () => {
    const folder = new Folder('axle.config.ts', config);
    expect(await folder.axle('call', 'pay')).toMatchObject({ code: 0 });
    const listed = await folder.axle('upstreams');
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/^bank +closed/u);

    const opened = await folder.axle('upstreams', 'open', 'bank', '--by', 'ann', '--reason', 'migration');
    expect(opened).toMatchObject({ code: 0 });
    expect(opened.stdout).toMatch(/^bank +open .*by ann: migration/u);
    expect((await folder.json('upstreams')).value).toMatchObject([
      { name: 'bank', breaker: { kind: 'open', reason: 'by ann: migration' }, changes: [{ to: 'open' }] },
    ]);
    const refused = await folder.axle('call', 'pay');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('upstream-open: The breaker of bank is open: by ann: migration.');

    expect(await folder.axle('upstreams', 'close', 'bank')).toMatchObject({ code: 0 });
    expect((await folder.json('upstreams')).value).toMatchObject([
      { breaker: { kind: 'closed' }, changes: [{ to: 'closed' }, { to: 'open', reason: 'by ann: migration' }] },
    ]);
    expect(await folder.axle('call', 'pay')).toMatchObject({ code: 0 });
  },
);

test('axle upstreams says what is wrong with a command line', { timeout: 60_000 }, async () => {
  const folder = new Folder('axle.config.ts', config);
  expect((await folder.axle('upstreams')).code).toBe(3);
  await folder.axle('call', 'pay');
  expect(await folder.axle('upstreams', 'open', 'bnak')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('No upstream is named bnak; there are bank.') as unknown,
  });
  expect(await folder.axle('upstreams', 'shut', 'bank')).toMatchObject({ code: 2 });
  expect(await folder.axle('upstreams', 'open')).toMatchObject({ code: 2 });
  expect(await folder.axle('upstreams', '--by', 'ann')).toMatchObject({ code: 2 });
});
