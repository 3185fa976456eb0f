/** Structured logs: every line about a run carries its ids. (O6) */
import { describe, expect, it } from 'vitest';
import { jsonLinesLog, ToolError } from '../../src/axle.ts';
import { AxleError } from '../../src/error/axle-error.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { Ledger, ledgerTool, openWorld } from './world.ts';

type Line = Readonly<Record<string, unknown>>;

function logged(level: 'debug' | 'info' | 'warn' = 'debug') {
  const lines: Line[] = [];
  const log = jsonLinesLog(
    level,
    (line) => lines.push(JSON.parse(line) as Line),
    () => 0,
  );
  return { lines, log };
}

const asked = [{ calls: [{ name: 'read', input: {} }] }, { calls: [{ name: 'send', input: {} }] }, 'done'] as const;

describe('the log of a run (O6)', () => {
  it('says what was committed, each line with the ids of run, trace, session and step', async () => {
    const { lines, log } = logged();
    let attempts = 0;
    const read = ledgerTool(new Ledger(), 'read', {
      effect: 'read',
      run: () => {
        attempts += 1;
        if (attempts === 1) throw new ToolError({ message: 'busy', class: 'retryable' });
        return {};
      },
    });
    const send = ledgerTool(new Ledger(), 'send', { effect: 'write', risk: 'high' });
    const { axle, clock, store } = await openWorld({ tools: [read, send], turns: asked, log });
    const run = await axle.start('worker', { input: 'go', session: 'chat 7' });
    await clock.advance(60_000);
    const [open] = await axle.approvals.list(run.id);
    await axle.approvals.resolve(open?.approvalId ?? '', { decision: 'approve' });
    await clock.advance(60_000);

    const [first] = (await store.read(run.id)).flatMap((append) => append.entries);
    const traceId = first?.type === 'run-accepted' ? first.traceId : undefined;
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    for (const line of lines) expect(line).toMatchObject({ runId: run.id, traceId, session: 'chat 7' });
    expect(lines.map(({ step, message }) => `${String(step)} ${String(message)}`)).toEqual([
      '0 A driver took the run.',
      '1 The model answered.',
      '1 An attempt failed.',
      '1 An attempt waits.',
      '1 An attempt succeeded.',
      '2 The model answered.',
      '2 A call waits for approval.',
      '2 A driver took the run.',
      '2 An approval was answered.',
      '2 An attempt succeeded.',
      '3 The model answered.',
      '3 The run ended.',
    ]);
  });

  it('carries the ids where Axle itself could not do something', async () => {
    const { lines, log } = logged('warn');
    const clock = createHandClock();
    const memory = createMemoryStore();
    let refusals = 1;
    const store = wrapStore(memory, {
      append: (batch) => {
        refusals -= 1;
        return refusals < 0
          ? memory.append(batch)
          : Promise.reject(new AxleError('store-unavailable', 'The disk is full.'));
      },
    });
    const { axle } = await openWorld({ turns: ['done'], log, clock, store });
    const run = await axle.start('worker', { input: 'go', session: 'chat 7' });
    await clock.advance(60_000);
    expect(await run.result()).toMatchObject({ status: 'completed' });
    expect(lines).toMatchObject([
      { level: 'warn', runId: run.id, session: 'chat 7', step: 1, reason: 'The disk is full.' },
    ]);
    expect(lines[0]?.['traceId']).toMatch(/^[0-9a-f]{32}$/);
  });
});
