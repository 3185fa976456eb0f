/**
 * Servers that are killed in the middle of writes, and sessions that begin and end with several of them. What counts is the ledger that the servers keep outside
 * of everything, and the processes that are left.
 *
 * `AXLE_MCP_ROUNDS=100` sets how often; by default it is as often as a test run has time for.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createAxle } from '../../src/axle.ts';
import { contextOf, toolNamed } from './context.ts';
import { lives, rude, until } from './support.ts';

const rounds = Number(process.env['AXLE_MCP_ROUNDS'] ?? 4);
const roundLimitMs = 15_000;

function newLedger(): {
  readonly path: string;
  rows(): ReadonlyArray<{ readonly called: string; readonly key: string }>;
} {
  const folder = mkdtempSync(join(tmpdir(), 'axle-killed-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'ledger');
  return {
    path,
    rows: () =>
      existsSync(path)
        ? readFileSync(path, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as { called: string; key: string })
        : [],
  };
}

test(
  `a server that is killed in the middle of a write, ${rounds} times: each write is in doubt, none is repeated, no process is left`,
  async () => {
    const ledger = newLedger();
    const source = rude({ env: { RUDE_LEDGER: ledger.path }, effects: { echo: { effect: 'read' } } });
    const seen = new Set<number>();
    const axle = await createAxle({ store: ':memory:', tools: [source], log: () => undefined });
    for (let round = 1; round <= rounds; round += 1) {
      for (const pid of source.processes) seen.add(pid);
      const before = ledger.rows().length;
      const run = await axle.startCall('rude.note-and-hang', {});
      await until(() => ledger.rows().length > before, 'the server has the call');
      const [server] = source.processes;
      if (server === undefined) throw new Error('no server');
      process.kill(server, 'SIGKILL');
      const result = await run.result();
      expect(result).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
      // It is there again for the next call, which also shows that it was started anew.
      expect(await axle.call('rude.echo', { text: `${round}` })).toMatchObject({ output: `${round}` });
    }
    for (const pid of source.processes) seen.add(pid);
    await axle.close();

    const writes = ledger.rows().filter((row) => row.called === 'note-and-hang');
    expect(writes).toHaveLength(rounds);
    expect(new Set(writes.map((row) => row.key)).size).toBe(rounds);
    expect(seen.size).toBeGreaterThanOrEqual(2 * rounds);
    await until(() => ![...seen].some(lives), 'no process is left');
  },
  rounds * roundLimitMs,
);

test('a server that ends inside of a write is told of within 2 seconds, and the write is not sent again (C073)', async () => {
  const ledger = newLedger();
  const source = rude({ env: { RUDE_LEDGER: ledger.path } });
  await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => undefined });
  const startedAtMs = performance.now();
  expect(await axle.call('rude.note-and-exit', {})).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  await delay(500);
  expect(ledger.rows()).toHaveLength(1);
});

test(
  `${Math.ceil(rounds / 2)} sessions of three servers, one of which ends for nothing, leave no process behind (C070)`,
  async () => {
    const seen = new Set<number>();
    for (let session = 0; session < Math.ceil(rounds / 2); session += 1) {
      const sources = [rude(), rude({ flags: ['--stubborn'] }), rude()];
      const contracts = await Promise.all(sources.map((source) => source.connect()));
      await toolNamed(contracts[0] ?? [], 'rude.echo').execute({}, contextOf());
      for (const source of sources) for (const pid of source.processes) seen.add(pid);
      await Promise.all(sources.map((source) => source.close()));
    }
    expect(seen.size).toBe(6 * Math.ceil(rounds / 2));
    expect([...seen].filter(lives)).toEqual([]);
  },
  rounds * roundLimitMs,
);
