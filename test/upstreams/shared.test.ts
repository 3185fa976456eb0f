/** Upstreams that several drivers share. */
import { describe, expect, it } from 'vitest';
import { type Axle, createAxle, tool } from '../../src/axle.ts';
import { InProcessUpstreams } from '../../src/execute/upstreams/in-process.ts';

describe('upstreams that several drivers share (T6)', () => {
  it('hold one limit over all of them', async () => {
    let [atOnce, most] = [0, 0];
    const look = tool({
      name: 'look',
      description: 'Looks something up.',
      effect: 'read',
      input: { type: 'object' },
      limits: { concurrency: 1 },
      execute: async () => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        await new Promise((resolve) => setTimeout(resolve, 5));
        atOnce -= 1;
        return {};
      },
    });
    let shared: InProcessUpstreams | undefined;
    const open = (): Promise<Axle> =>
      createAxle({
        store: ':memory:',
        tools: [look],
        createUpstreams: (parts) => (shared ??= new InProcessUpstreams(parts)),
      });
    const axles = [await open(), await open()];
    const results = await Promise.all(axles.flatMap((axle) => [axle.call('look', {}), axle.call('look', {})]));
    expect(results.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed']);
    expect(most).toBe(1);
    for (const axle of axles) await axle.close();
  });
});
