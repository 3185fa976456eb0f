/** Readers in a process that does not drive the run. Two Axles on one file stand for the two processes: they share nothing but the file. */
import { afterEach, describe, expect, it } from 'vitest';
import { agent, createAxle, type StreamEvent, tool } from '../../src/axle.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { type TemporaryFolder, temporaryFolder } from '../journal/temporary-store.ts';

const folders: TemporaryFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

describe('a stream in a process that does not drive the run (A12)', () => {
  it('has every entry and what the run waits for, and none of what is not committed', async () => {
    const folder = temporaryFolder();
    folders.push(folder);
    const { path } = folder;
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      risk: 'high',
      input: { type: 'object' },
      execute: async (_, context) => {
        context.progress({ done: 1 });
        return 'paid';
      },
    });
    const model = scriptedBrain([{ text: 'I pay.', calls: [{ name: 'pay', input: {} }] }, 'Paid.'], { pieceChars: 2 });
    const payer = agent({ name: 'payer', tools: ['pay'], model });
    await using driver = await createAxle({ store: path, tools: [pay], agents: [payer] });
    await using client = await createAxle({ store: path, role: 'client' });
    const run = await driver.start('payer', { input: 'pay' });
    const seen: StreamEvent[] = [];
    let after: string | undefined;
    // Cut after each event.
    while (seen.at(-1)?.kind !== 'ended') {
      for await (const event of client.run(run.id).stream(after === undefined ? {} : { after })) {
        seen.push(event);
        after = event.id;
        if (event.kind === 'waiting') {
          expect(event.on).toMatchObject([{ kind: 'approval', callId: '1.0' }]);
          await client.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
        }
        break;
      }
    }
    const journal = (await driver.store.read(run.id)).flatMap(({ entries }) => entries);
    expect(seen.flatMap((event) => (event.kind === 'entry' ? [event.entry] : []))).toEqual(journal);
    expect(seen.filter(({ kind }) => kind !== 'entry').map(({ kind }) => kind)).toEqual(['waiting', 'reset', 'ended']);
  });
});
