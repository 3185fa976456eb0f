import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { agent, createAxle, createMemoryStore, tool, ToolError } from '../../src/axle.ts';
import { createTraces, pinoLog } from '../../src/otel.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { startReceiver } from './receiver.ts';

type Line = Readonly<Record<string, unknown>>;

function logger(level: string): { readonly lines: Line[]; readonly log: ReturnType<typeof pinoLog> } {
  const lines: Line[] = [];
  const written = new Writable({
    write: (chunk: Buffer, _, done) => {
      lines.push(JSON.parse(chunk.toString()) as Line);
      done();
    },
  });
  return { lines, log: pinoLog(pino({ level, base: null }, written)) };
}

let tries = 0;
const look = tool({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  retry: { attempts: 2, baseMs: 1, capMs: 1 },
  input: { type: 'object' },
  execute: () => {
    tries += 1;
    if (tries === 1) throw new ToolError({ message: 'Busy.', code: 'busy', class: 'retryable', effect: 'none' });
    return 'seen';
  },
});

test('every line of a run in pino has its ids, and its span id is that of a span that the collector has', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const { lines, log } = logger('debug');
  const traces = createTraces({ url: receiver.url });
  const model = scriptedBrain([{ calls: [{ name: 'look', input: {} }] }, 'Seen.']);
  const clerk = agent({ name: 'clerk', model, tools: ['look'] });
  const axle = await createAxle({
    store: createMemoryStore(),
    tools: [look],
    agents: [clerk],
    observers: [traces],
    log,
  });
  const run = await axle.start('clerk', { input: 'go', session: 'user-42' });
  await run.result();
  await axle.close();
  await traces.close();

  const [root] = receiver.spans.filter(({ parentSpanId }) => parentSpanId === '');
  const spanOf = new Map(receiver.spans.map(({ spanId, name }) => [spanId, name]));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    expect(line).toMatchObject({ run_id: run.id, trace_id: root?.traceId, session: 'user-42' });
    expect(typeof line['step']).toBe('number');
    expect(Object.keys(line)).not.toContain('runId');
  }
  const said = lines.map(({ msg, call_id, span_id }) => [msg, call_id, spanOf.get(String(span_id))]);
  expect(said).toContainEqual(['An attempt failed.', '1.0', 'axle.tool.attempt']);
  expect(said).toContainEqual(['An attempt succeeded.', '1.0', 'axle.tool.attempt']);
  expect(said).toContainEqual(['The run ended.', undefined, 'invoke_agent clerk']);
  expect(said.filter(([, , span]) => span === undefined)).toEqual([]);
  // Two attempts are two spans.
  const ofAttempts = lines.filter(({ msg }) => String(msg).startsWith('An attempt '));
  expect(new Set(ofAttempts.map(({ span_id }) => span_id)).size).toBe(2);
});

test.each([
  ['warn', 'warn'],
  ['silent', 'error'],
  ['trace', undefined],
])('a logger at %s is not made lines below %s', async (level, least) => {
  const { lines, log } = logger(level);
  expect(log.least).toBe(least);
  log('debug', 'hello', { callId: '1.0' });
  expect(lines).toEqual(
    level === 'trace' ? [expect.objectContaining({ level: 20, msg: 'hello', call_id: '1.0' })] : [],
  );
});
