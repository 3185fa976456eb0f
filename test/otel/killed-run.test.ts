import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { attribute, operation, resumedEvent, spanName } from '../../src/otel/conventions.ts';
import { onceEach, type ReceivedSpan, startReceiver } from './receiver.ts';

const program = fileURLToPath(new URL('./traced-driver.ts', import.meta.url));

/** Runs the driver until it ends, or until it says that the call is in hand: then it is killed. */
async function drive(
  storePath: string,
  url: string,
  mode: 'stall' | 'finish',
): Promise<{ signal: string | null; said: string }> {
  const child = spawn(process.execPath, [program, storePath, url, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('in hand')) child.kill('SIGKILL');
  });
  return new Promise((resolve) => {
    child.once('close', (_, signal) => resolve({ signal, said }));
  });
}

test(
  'a run whose driver is killed and that another process takes up is one trace, whole',
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'axle-traced-'));
    const receiver = await startReceiver();
    onTestFinished(async () => {
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    });
    const storePath = join(folder, 'axle.db');

    expect(await drive(storePath, receiver.url, 'stall')).toMatchObject({ signal: 'SIGKILL' });
    const names = (): readonly string[] => receiver.spans.map(({ name }) => name);
    expect(names()).toContain('execute_tool first');
    // Ended before the kill, and not sent by the process that was killed.
    expect(names()).not.toContain('execute_tool second');

    expect(await drive(storePath, receiver.url, 'finish')).toMatchObject({ signal: null, said: 'completed 0\n' });
    const { spans, faults } = receiver;
    expect(faults).toEqual([]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);

    // What had ended before the kill came again, and said the same.
    const unique = onceEach(spans);
    expect(unique.length).toBeLessThan(spans.length);
    const ids = new Set(unique.map(({ spanId }) => spanId));
    expect(unique.filter(({ parentSpanId }) => parentSpanId !== '' && !ids.has(parentSpanId))).toEqual([]);
    const named = (name: string): readonly ReceivedSpan[] => unique.filter((span) => span.name === name);
    expect(unique.filter(({ parentSpanId }) => parentSpanId === '')).toEqual(named(`${operation.run} clerk`));
    for (const tool of ['first', 'second', 'third']) expect(named(`${operation.tool} ${tool}`)).toHaveLength(1);
    expect(named(`${operation.model} script/one`)).toHaveLength(4);
    expect(new Set(unique.map(({ attributes }) => attributes[attribute.conversationId]))).toEqual(new Set(['user-42']));

    // The kill is to be seen: an attempt that was lost, the time without a driver with a link to it, and an event of the run.
    const lost = unique.filter(({ attributes }) => attributes[attribute.errorType] === 'lost');
    expect(lost.map(({ name }) => name)).toEqual([spanName.attempt]);
    expect(named(spanName.attempt)).toHaveLength(4);
    const gap = named(spanName.gap).find(({ attributes }) => attributes[attribute.cause] === 'driver-changed');
    expect(gap?.links).toEqual(lost.map(({ spanId }) => spanId));
    expect(named(`${operation.run} clerk`)[0]?.events).toEqual([resumedEvent]);
  },
);
