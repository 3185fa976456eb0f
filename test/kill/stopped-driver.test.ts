import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Axle, createAxle } from '../../src/axle.ts';
import type { Report } from './programs/messages.ts';
import { killTools } from './programs/tools.ts';
import { Stage } from './stage.ts';

const waiting = { timeout: 15_000, interval: 20 };

describe('a driver that is stopped in the middle of an effect (SIGSTOP)', () => {
  let stage: Stage;
  let client: Axle;
  let reports: Report[];

  beforeEach(async () => {
    stage = await Stage.open();
    reports = [];
  });

  afterEach(async () => {
    await client.close();
    await stage.close();
  });

  /** A driver that has announced an effect, and a ledger that does not answer, so that nothing else happens in between. */
  async function stoppedInTheMiddle(): Promise<Awaited<ReturnType<Stage['driver']>>> {
    const driver = await stage.driver(reports);
    await driver.heard('opened');
    client = await createAxle({
      store: stage.storePath,
      role: 'client',
      tools: killTools(stage.ledgerClient, () => 0.5, 'calm'),
    });
    stage.ledger.signal('SIGSTOP');
    driver.order({ kind: 'call', key: 'note', tool: 'add_note', text: 'once' });
    await expect.poll(async () => (await entryTypes('note')).includes('attempt-started'), waiting).toBe(true);
    driver.signal('SIGSTOP');
    return driver;
  }

  async function entryTypes(key: string): Promise<readonly string[]> {
    const run = (await client.runs()).find((summary) => summary.key === key);
    if (run === undefined) return [];
    return (await client.store.read(run.runId)).flatMap((append) => append.entries.map((entry) => entry.type));
  }

  it(
    'keeps its store to itself, lets others start runs, and goes on when it is continued',
    { timeout: 60_000 },
    async () => {
      const driver = await stoppedInTheMiddle();
      const second: Report[] = [];
      const refused = await stage.driver(second);
      await expect
        .poll(() => second.find((said) => said.kind === 'refused'), waiting)
        .toMatchObject({ code: 'store-locked' });
      await refused.kill();
      const started = client.call('look_up', { text: 'from a client' }, { key: 'look' });
      await expect.poll(() => entryTypes('look'), waiting).toEqual(['run-accepted']);

      stage.ledger.signal('SIGCONT');
      driver.signal('SIGCONT');
      expect(await started).toMatchObject({ status: 'completed' });
      await expect.poll(() => entryTypes('note'), waiting).toContain('run-finished');
      expect(await entryTypes('note')).not.toContain('run-claimed');
      expect(stage.effects().filter((line) => line.tool === 'add_note')).toHaveLength(1);
    },
  );

  it(
    'leaves its call in doubt when it is killed, and the next driver repeats nothing that had happened',
    { timeout: 60_000 },
    async () => {
      const driver = await stoppedInTheMiddle();
      // The request is in the ledger's socket or was never sent; either way the driver cannot hear the answer.
      await driver.kill();
      stage.ledger.signal('SIGCONT');
      const next = await stage.driver();
      await next.heard('opened');
      await expect.poll(async () => (await client.calls.inDoubt()).length, waiting).toBe(1);
      const [doubt] = await client.calls.inDoubt();
      const { runId, callId, id } = doubt ?? { runId: '', callId: '', id: '' };
      const [receipt] = (await stage.ledgerClient.happened({ runId, callId })).receipts;
      await client.calls.resolve(
        id,
        receipt === undefined ? { happened: false, then: 'retry' } : { happened: true, output: { receipt } },
      );
      expect(await client.run(runId).result({ until: 'ended' })).toMatchObject({ status: 'completed' });
      expect(stage.effects().filter((line) => line.tool === 'add_note')).toHaveLength(1);
    },
  );
});
