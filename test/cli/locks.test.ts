import { expect, test } from 'vitest';
import { Folder } from './command.ts';

const config = `
import { defineConfig, tool } from 'axle';
const pay = tool({
  name: 'pay', description: 'Pays.', input: { type: 'object' }, timeout: '100ms',
  locks: [{ name: 'order:7', keepInDoubt: true }], execute: () => new Promise(() => {}),
});
export default defineConfig({ store: 'axle.db', tools: [pay] });
`;

test(
  'axle locks lists what a doubt keeps, with the command that settles it, until it is settled',
  { timeout: 90_000 },
  async () => {
    const folder = new Folder('axle.config.ts', config);
    expect((await folder.axle('locks')).code).toBe(3);
    expect((await folder.axle('call', 'pay')).code).toBe(5);
    const { code, stdout } = await folder.axle('locks');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^order:7\n {2}held by {3}run_\w+\/1\.0 +pay, in doubt: .*axle resolve run_\w+\/1\.0\)\n$/u);
    expect((await folder.json('locks')).value).toMatchObject({
      locks: [{ name: 'order:7', heldBy: [{ callId: '1.0', tool: 'pay', isInDoubt: true }], wantedBy: [] }],
      isWhole: true,
    });
    await folder.axle('resolve', 'last', '--happened', '--resume');
    expect((await folder.axle('locks')).stdout).toBe('No call has a lock.\n');
  },
);
