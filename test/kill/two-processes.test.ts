import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Axle, createAxle, isAxleError } from '../../src/axle.ts';
import { killTools } from './programs/tools.ts';
import { Stage } from './stage.ts';

describe('a client beside a driver that is killed', () => {
  let stage: Stage;
  let client: Axle;

  beforeEach(async () => {
    stage = await Stage.open();
    const first = await stage.driver();
    await first.heard('opened');
    client = await createAxle({
      store: stage.storePath,
      role: 'client',
      tools: killTools(stage.ledgerClient, () => 0.5, 'calm'),
    });
    await first.kill();
  });

  afterEach(async () => {
    await client.close();
    await stage.close();
  });

  it('starts a run while nobody drives, and the next driver takes it', { timeout: 60_000 }, async () => {
    expect(client.isDriver).toBe(false);
    const asked = client.call('set_mark', { text: 'later' }, { key: 'mark' });
    await expect.poll(async () => (await client.runs()).map((run) => run.key)).toEqual(['mark']);
    expect(stage.effects()).toEqual([]);
    await stage.driver();
    expect(await asked).toMatchObject({ status: 'completed', output: { receipt: 1 } });
    expect(stage.effects()).toMatchObject([{ tool: 'set_mark', text: 'later', attempt: 1 }]);
  });

  it(
    'answers while nobody drives: the first answer counts, once, in the next process',
    { timeout: 60_000 },
    async () => {
      const asking = await stage.driver();
      const asked = await client.call('pay', { text: 'a bill' }, { key: 'bill' });
      expect(asked).toMatchObject({ status: 'waiting', on: [{ kind: 'approval' }] });
      await asking.kill();
      const [approval] = await client.approvals.list(asked.runId);
      const approvalId = approval?.approvalId ?? '';
      await client.approvals.resolve(approvalId, { decision: 'approve', by: 'ann' });
      const second = await client.approvals
        .resolve(approvalId, { decision: 'deny', by: 'bob' })
        .catch((error: unknown) => error);
      expect(isAxleError(second, 'decision-already-made')).toBe(true);
      expect(stage.effects()).toEqual([]);

      await stage.driver();
      expect(await client.run(asked.runId).result({ until: 'ended' })).toMatchObject({
        status: 'completed',
        output: { receipt: 1 },
      });
      expect(stage.effects()).toMatchObject([{ tool: 'pay', text: 'a bill', attempt: 1 }]);
      // The same request later is the same run, whoever drives by then.
      expect(await client.call('pay', { text: 'a bill' }, { key: 'bill' })).toMatchObject({
        runId: asked.runId,
        status: 'completed',
      });
      expect(stage.effects()).toHaveLength(1);
    },
  );
});
