import { describe, expect, it } from 'vitest';
import { describeResult } from '../../src/brain/outcome-text.ts';
import { maxRawLength } from '../../src/call/drift.ts';
import { openSqliteStore, type SqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { openTemporaryStore } from '../journal/temporary-store.ts';
import { entriesOf, Ledger, ledgerTool, openWorld } from './world.ts';

const output = {
  type: 'object',
  properties: { lat: { type: 'number' }, lng: { type: 'number' }, names: { type: 'array', items: { type: 'string' } } },
  required: ['lat', 'lng'],
  additionalProperties: false,
};
const drifted = { lat: '59.9', longitude: 10.7, names: ['Oslo', 3] };

async function runOf(answer: unknown, declared: object = {}, store?: SqliteStore) {
  const ledger = new Ledger();
  const told: string[] = [];
  const lines: { level: string; message: string; fields: object }[] = [];
  const world = await openWorld({
    tools: [ledgerTool(ledger, 'geo', { effect: 'read', output, run: () => answer, ...declared })],
    turns: (request, turn) => {
      for (const item of request.items) {
        if (item.kind === 'results') told.push(...item.results.map((result) => textOf(describeResult(result))));
      }
      return turn === 0 ? { calls: [{ name: 'geo', input: {} }] } : 'done';
    },
    log: (level, message, fields) => lines.push({ level, message, fields }),
    ...(store === undefined ? {} : { store }),
  });
  const run = await world.axle.start('worker', { input: 'go' });
  const result = await run.result();
  return { ...world, run, result, told, lines, ledger };
}

function textOf(described: ReturnType<typeof describeResult>): string {
  return described.kind === 'data' ? JSON.stringify(described.value) : described.text;
}

describe('an answer in another form than declared (T18)', () => {
  it('tells the model what was declared and what came, at which place, and does not show it the answer', async () => {
    const { told, result } = await runOf(drifted);
    expect(result).toMatchObject({ status: 'completed' });
    expect(told[0]).toContain('geo answered in another form than version 1 of it declares');
    expect(told[0]).toContain('/lat should be number, and string came');
    expect(told[0]).toContain('/names/* should be string, and integer came');
    expect(told[0]).toContain('/lng is missing; /longitude is new');
    expect(told[0]).toContain('It changed nothing.');
    expect(told[0]).not.toContain('59.9');
  });

  it('keeps the answer in the journal, with the difference as facts, and shows both', async () => {
    const { store, run } = await runOf(drifted);
    const finished = (await entriesOf(store, run.id)).find((entry) => entry.type === 'attempt-finished');
    expect(finished).toMatchObject({
      result: {
        status: 'failed',
        failure: { code: 'output-invalid', class: 'recoverable' },
        drift: {
          missing: ['/lng'],
          unexpected: ['/longitude'],
          changed: [
            { path: '/lat', declared: 'number', came: 'string' },
            { path: '/names/*', declared: 'string', came: 'integer' },
          ],
          raw: drifted,
          rawLength: JSON.stringify(drifted).length,
        },
      },
    });
    const shown = renderWaterfall(traceOf(await store.read(run.id)), { width: 200 });
    expect(shown).toContain('DRIFT missing: /lng');
    expect(shown).toContain('"longitude":10.7');
  });

  it('of a side effect says that the effect has happened, and is never tried again', async () => {
    const { told, ledger, store, run } = await runOf(drifted, { effect: 'write' });
    expect(told[0]).toContain('what it does has happened: do not send the call again');
    expect(told[0]).toContain('Its effect may have happened nevertheless');
    expect(ledger.of('geo')).toBe(1);
    expect((await entriesOf(store, run.id)).find((entry) => entry.type === 'call-settled')).toMatchObject({
      outcome: { status: 'failed', effectMayHaveHappened: true },
    });
  });

  it('keeps no more of a long answer than its limit', async () => {
    const { store, run } = await runOf({ lat: 'x'.repeat(200_000), lng: 1 });
    const finished = (await entriesOf(store, run.id)).find((entry) => entry.type === 'attempt-finished');
    const drift = finished?.type === 'attempt-finished' && finished.result.status === 'failed' && finished.result.drift;
    if (drift === false || drift === undefined) throw new Error('There is no drift.');
    expect(drift.rawLength).toBeGreaterThan(200_000);
    expect(drift.raw).toHaveLength(maxRawLength);
  });

  it('is counted by tool, version and difference, and told in the log, the first time as new', async () => {
    const { axle, lines, run } = await runOf(drifted);
    await axle.call('geo', {});
    const drifts = await axle.tools.drifts();
    expect(drifts).toMatchObject([{ tool: 'geo', version: 1, count: 2, difference: { missing: ['/lng'] } }]);
    expect(drifts[0]?.runId).not.toBe(run.id);
    const told = lines.filter(({ message }) => message.includes('another form'));
    expect(told).toMatchObject([
      { level: 'warn', fields: { tool: 'geo', count: 1, isNew: true, missing: ['/lng'] } },
      { level: 'warn', fields: { count: 2, isNew: false } },
    ]);
  });

  it('of another kind counts apart, and one of values alone is told by the rules that it breaks', async () => {
    const range = { output: { type: 'object', properties: { lat: { type: 'number', maximum: 90 } } } };
    const { axle, told } = await runOf({ lat: 120 }, range);
    expect(told[0]).toContain('/lat must be <= 90');
    expect(await axle.tools.drifts()).toMatchObject([
      { count: 1, difference: { missing: [], unexpected: [], changed: [] } },
    ]);
  });

  it('is still counted after a restart of a store in SQLite', async () => {
    const { store, path, remove } = openTemporaryStore();
    const first = await runOf(drifted, {}, store);
    await first.axle.call('geo', {});
    await first.axle.close();
    const opened = openSqliteStore(path, { role: 'driver' });
    expect(await opened.drifts?.list()).toMatchObject([
      { tool: 'geo', count: 2, difference: { unexpected: ['/longitude'] } },
    ]);
    await opened.close();
    remove();
  });

  it('that fits costs nothing: no fact, no count, no line', async () => {
    const { axle, lines, store, run } = await runOf({ lat: 1, lng: 2 });
    expect(await axle.tools.drifts()).toEqual([]);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(JSON.stringify(await store.read(run.id))).not.toContain('drift');
  });
});
