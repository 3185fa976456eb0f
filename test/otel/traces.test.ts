import { describe, expect, onTestFinished, test } from 'vitest';
import { agent, createAxle, createMemoryStore, type Store, tool, ToolError } from '../../src/axle.ts';
import { exportRun } from '../../src/export.ts';
import { createTraces } from '../../src/otel.ts';
import { attribute, operation, spanName } from '../../src/otel/conventions.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { scriptedBrain } from '../../src/testing.ts';
import { textOf } from '../export/runs.ts';
import { runId as seededId } from '../trace/journal-writer.ts';
import { seededRun } from '../trace/seeded-run.ts';
import { onceEach, type ReceivedSpan, type Receiver, spanOf, startReceiver } from './receiver.ts';

const input = { type: 'object', properties: { n: { type: 'integer' } } };
const turns = [
  {
    calls: [
      { name: 'look', input: { n: 1 } },
      { name: 'look', input: { n: 'secret words' } },
    ],
  },
  { calls: [{ name: 'pay', input: { n: 2 } }] },
  'The private answer.',
];

async function receiving(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  return receiver;
}

function opened(
  store: Store,
  receiver: Receiver,
): { axle: ReturnType<typeof createAxle>; traces: ReturnType<typeof createTraces> } {
  const traces = createTraces({
    url: receiver.url,
    serviceName: 'shop',
    attributes: { 'deployment.environment.name': 'test' },
  });
  let tries = 0;
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    retry: { attempts: 3, baseMs: 1, capMs: 1 },
    input,
    execute: () => {
      tries += 1;
      if (tries === 1) throw new ToolError({ message: 'Busy.', code: 'busy', class: 'retryable', effect: 'none' });
      return { seen: 'a private value' };
    },
  });
  const pay = tool({ name: 'pay', description: 'Pays.', risk: 'high', input, execute: () => 'paid' });
  const clerk = agent({ name: 'clerk', model: scriptedBrain(turns), tools: ['look', 'pay'] });
  return { axle: createAxle({ store, tools: [look, pay], agents: [clerk], observers: [traces] }), traces };
}

/** One store that several processes use one after another. */
function kept(): { readonly open: () => Store } {
  const store = createMemoryStore();
  return { open: () => wrapStore(store, { close: async () => {} }) };
}

function named(spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name);
}

describe('the spans of a run', () => {
  test('reach a collector over HTTP as one tree, also when another process goes on with the run', async () => {
    const receiver = await receiving();
    const { open } = kept();
    const first = opened(open(), receiver);
    const axle = await first.axle;
    const run = await axle.start('clerk', { input: 'go' });
    expect(await run.result()).toMatchObject({ status: 'waiting' });
    await axle.close();
    await first.traces.close();
    expect(named(receiver.spans, 'invoke_agent clerk')).toEqual([]);

    const second = opened(open(), receiver);
    const later = await second.axle;
    const [question] = await later.approvals.list();
    await later.approvals.resolve(question?.approvalId ?? '', { decision: 'approve' });
    await later.run(run.id).result({ until: 'ended' });
    await later.close();
    await second.traces.close();

    const { faults, resources } = receiver;
    const spans = onceEach(receiver.spans);
    expect(faults).toEqual([]);
    expect(resources[0]).toMatchObject({ 'service.name': 'shop', 'deployment.environment.name': 'test' });
    expect(new Set(resources.map((resource) => resource[attribute.serviceInstance])).size).toBe(1);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    const [root, ...others] = named(spans, `${operation.run} clerk`);
    expect(others).toEqual([]);
    expect(root?.parentSpanId).toBe('');
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter((span) => span !== root && !ids.has(span.parentSpanId))).toEqual([]);
    expect(spans.filter(({ startNano, endNano }) => endNano < startNano)).toEqual([]);

    expect(named(spans, `${operation.model} script/one`)).toHaveLength(3);
    const looks = named(spans, `${operation.tool} look`);
    expect(looks).toHaveLength(2);
    expect(looks.map(({ attributes }) => String(attributes[attribute.callStatus])).toSorted()).toEqual([
      'failed',
      'succeeded',
    ]);
    expect(looks.filter(({ code }) => code === 2)).toHaveLength(1);
    const attempts = named(spans, spanName.attempt);
    expect(attempts).toHaveLength(3);
    expect(attempts.filter(({ attributes }) => attributes[attribute.errorType] === 'busy')).toHaveLength(1);
    // The question was asked by one process and answered in another.
    expect(named(spans, 'axle.approval.wait').map(({ attributes }) => attributes[attribute.verdict])).toEqual([
      'approve',
    ]);
    expect(root?.attributes).toMatchObject({ [attribute.operation]: 'invoke_agent', [attribute.ending]: 'completed' });
  });

  test('hold no arguments, results or words', async () => {
    const receiver = await receiving();
    const { axle: opening, traces } = opened(createMemoryStore(), receiver);
    const axle = await opening;
    await (await axle.start('clerk', { input: 'a private question' })).result();
    await axle.close();
    await traces.close();
    const text = JSON.stringify(receiver.spans, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(receiver.spans.length).toBeGreaterThan(5);
    expect(text).not.toMatch(/private|secret/u);
  });

  test('are sent again when the collector is busy, and given up, counted and told when it refuses', async () => {
    const receiver = await receiving();
    receiver.answers.push(503);
    const told: number[] = [];
    const traces = createTraces({ url: receiver.url, onDropped: (count) => told.push(count) });
    const axle = await createAxle({
      store: createMemoryStore(),
      agents: [agent({ name: 'a', model: scriptedBrain(['hi']), tools: [] })],
      observers: [traces],
    });
    await (await axle.start('a', { input: 'x' })).result();
    await traces.flush();
    expect(receiver.spans.map(({ name }) => name)).toEqual(['chat script/one', 'invoke_agent a']);
    receiver.answers.push(400);
    await (await axle.start('a', { input: 'y' })).result();
    await traces.flush();
    expect(traces.dropped).toBe(2);
    expect(told).toEqual([2]);
    await axle.close();
    await traces.close();
  });
});

describe('a run exported as otel', () => {
  test('has the spans, under the ids, that were sent while it ran', async () => {
    const receiver = await receiving();
    const { open } = kept();
    const { axle: opening, traces } = opened(open(), receiver);
    const axle = await opening;
    const run = await axle.start('clerk', { input: 'go' });
    await run.result();
    await run.cancel();
    await run.result({ until: 'ended' });
    await axle.close();
    await traces.close();
    const request = JSON.parse(await textOf(exportRun(open(), run.id, 'otel'))) as {
      resourceSpans: [{ scopeSpans: [{ spans: unknown[] }] }];
    };
    const exported = request.resourceSpans[0].scopeSpans[0].spans.map(spanOf);
    const key = ({ spanId, parentSpanId, name }: ReceivedSpan): string => `${spanId} ${parentSpanId} ${name}`;
    expect(exported.map(key).toSorted()).toEqual(receiver.spans.map(key).toSorted());
  });

  test.each([1, 2, 3, 4])('is whole for a run with crashes and doubts (seed %i)', async (seed) => {
    const store = createMemoryStore();
    const appends = seededRun({ seed, spans: 300, crashes: 0.2, isHostile: true, isUnfinished: seed % 2 === 0 });
    await store.keepCopy?.({
      runId: seededId,
      kind: 'agent',
      subject: 'travel',
      epoch: appends.at(-1)?.epoch ?? 1,
      steps: 1,
      appends,
    });
    const request = JSON.parse(await textOf(exportRun(store, seededId, 'otel'))) as {
      resourceSpans: [{ scopeSpans: [{ spans: unknown[] }] }];
    };
    const spans = request.resourceSpans[0].scopeSpans[0].spans.map(spanOf);
    expect(spans.length).toBeGreaterThan(100);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(ids.size).toBe(spans.length);
    expect(spans.filter(({ parentSpanId }) => parentSpanId === '')).toHaveLength(1);
    expect(spans.some(({ attributes }) => attributes[attribute.errorType] === 'lost')).toBe(true);
  });
});
