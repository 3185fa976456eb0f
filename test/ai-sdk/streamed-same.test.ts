/** A model that is streamed says what it says when it is asked for the whole. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { brainFromModel } from '../../src/ai-sdk.ts';
import { agent, createAxle, tool } from '../../src/axle.ts';
import type { BrainDelta } from '../../src/brain/brain.ts';
import { createHandClock, createMemoryStore } from '../../src/testing.ts';
import { entriesOf } from '../run/world.ts';
import { requestWith } from './request.ts';

const finish = {
  type: 'finish',
  finishReason: { unified: 'tool-calls' },
  usage: { inputTokens: { total: 3 }, outputTokens: { total: 5 } },
};

interface Said {
  readonly type: 'text' | 'reasoning' | 'tool-call';
  readonly text: string;
  readonly cuts: readonly number[];
  readonly meta: boolean;
}

const arbitrarySaid: fc.Arbitrary<Said> = fc.record({
  type: fc.constantFrom('text', 'reasoning', 'tool-call'),
  // Halves of characters too: a provider may cut anywhere, and may send what is none.
  text: fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.string({ unit: 'grapheme', maxLength: 30 })),
  cuts: fc.array(fc.nat(40), { maxLength: 6 }),
  meta: fc.boolean(),
});

function piecesOf({ text, cuts }: Said): readonly string[] {
  const places = [0, ...[...cuts].map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((place, index) => text.slice(places[index], place));
}

/** One answer, whole and as a stream that comes in these pieces, its parts woven into each other by `order`. */
function bothWays(said: readonly Said[], order: readonly number[]) {
  const metadata = (meta: boolean) => (meta ? { providerMetadata: { some: { signature: 's' } } } : {});
  const content = said.map(({ type, text, meta }, index) =>
    type === 'tool-call'
      ? { type, toolCallId: `c${index}`, toolName: 'weather', input: text, ...metadata(meta) }
      : { type, text, ...metadata(meta) },
  );
  const queues = said.map((part, index): unknown[] => {
    const id = `c${index}`;
    if (part.type === 'tool-call') {
      return [
        { type: 'tool-input-start', id, toolName: 'weather' },
        ...piecesOf(part).map((delta) => ({ type: 'tool-input-delta', id, delta })),
        { type: 'tool-input-end', id },
        content[index],
      ];
    }
    return [
      { type: `${part.type}-start`, id },
      ...piecesOf(part).map((delta) => ({ type: `${part.type}-delta`, id, delta })),
      { type: `${part.type}-end`, id, ...metadata(part.meta) },
    ];
  });
  // A part stands where it began, a call where it was complete: whole parts follow each other, pieces of texts may be woven into each other.
  const isWoven = said.every(({ type }) => type !== 'tool-call');
  const stream: unknown[] = isWoven ? queues.flatMap((queue) => [queue.shift()]) : [];
  for (const pick of isWoven ? order : []) {
    const queue = queues.filter(({ length }) => length > 0)[pick % Math.max(1, queues.length)];
    if (queue !== undefined) stream.push(queue.shift());
  }
  stream.push(...queues.flat(), finish);
  return { whole: { content, finishReason: finish.finishReason, usage: finish.usage }, stream };
}

function modelOf(whole: unknown, stream: readonly unknown[]) {
  const asked: string[] = [];
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'streaming',
    modelId: 'one',
    doGenerate: async () => {
      asked.push('whole');
      return whole;
    },
    doStream: async () => {
      asked.push('stream');
      return { stream: ReadableStream.from(stream) };
    },
  };
  return { model, asked };
}

describe('a streamed answer', () => {
  test('is the answer that comes whole, however it is cut; and its pieces are, together, its parts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitrarySaid, { maxLength: 5 }),
        fc.array(fc.nat(9), { maxLength: 40 }),
        async (said, order) => {
          const { whole, stream } = bothWays(said, order);
          const { model, asked } = modelOf(whole, stream);
          const brain = brainFromModel(model);
          const deltas: BrainDelta[] = [];
          const streamed = await brain.generate(requestWith({ onDelta: (delta) => void deltas.push(delta) }));
          expect(streamed).toEqual(await brain.generate(requestWith()));
          expect(asked).toEqual(['stream', 'whole']);
          const told = said.map((_, part) =>
            deltas.flatMap((delta) => (delta.part === part ? [delta.text] : [])).join(''),
          );
          expect(told).toEqual(said.map(({ text }) => text.toWellFormed()));
          expect(deltas.every(({ text }) => text.isWellFormed())).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('gives a run the same journal, whether anybody reads along or not, or it is asked for the whole', async () => {
    const said: readonly Said[] = [
      { type: 'reasoning', text: 'Where? There.', cuts: [2, 5], meta: true },
      { type: 'text', text: 'I look 👀 it up.', cuts: [8], meta: false },
      { type: 'tool-call', text: '{"location":"Oslo"}', cuts: [1, 9], meta: false },
    ];
    const journals = [];
    for (const stream of [undefined, true, false]) {
      const first = bothWays(said, []);
      const last = bothWays([{ type: 'text', text: 'It rains.', cuts: [3], meta: false }], []);
      let turn = 0;
      const answers = [first, last].map((ways) => modelOf(ways.whole, ways.stream).model);
      const model = {
        ...modelOf(first.whole, []).model,
        doGenerate: async () => answers[turn++]?.doGenerate(),
        doStream: async () => answers[turn++]?.doStream(),
      };
      const clock = createHandClock();
      const store = createMemoryStore();
      const weather = tool({
        name: 'weather',
        description: 'Gives the weather.',
        effect: 'read',
        input: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
        execute: async () => 'rain',
      });
      const brain = brainFromModel(model, stream === undefined ? {} : { stream });
      const worker = agent({ name: 'worker', model: brain, tools: ['weather'] });
      const ids = { create: (prefix: string) => `${prefix}_1` };
      const axle = await createAxle({
        store,
        tools: [weather],
        agents: [worker],
        ports: { clock, timers: clock, ids },
      });
      const run = await axle.start('worker', { input: 'How is it?' });
      expect(await run.result()).toMatchObject({ status: 'completed', output: 'It rains.' });
      journals.push((await entriesOf(store, run.id)).filter(({ type }) => type !== 'run-accepted'));
      await axle.close();
    }
    const [left, middle, right] = journals;
    expect(middle).toEqual(left);
    expect(right).toEqual(left);
  });

  test('is asked for whole where the provider refuses streams, and only once in vain', async () => {
    const { whole } = bothWays([{ type: 'text', text: 'Whole.', cuts: [], meta: false }], []);
    const { model, asked } = modelOf(whole, []);
    const refusing = {
      ...model,
      doStream: async () => {
        asked.push('stream');
        throw Object.assign(new Error('This model does not stream.'), { statusCode: 400 });
      },
    };
    const brain = brainFromModel(refusing);
    const request = requestWith({ onDelta: () => {} });
    expect(await brain.generate(request)).toMatchObject({ parts: [{ text: 'Whole.' }] });
    expect(await brain.generate(request)).toMatchObject({ parts: [{ text: 'Whole.' }] });
    expect(asked).toEqual(['stream', 'whole', 'whole']);
  });

  test('that breaks off, or is refused for who asks or how often, is not asked for a second time', async () => {
    const { model, asked } = modelOf({}, []);
    const start = { type: 'text-start', id: '1' };
    const delta = { type: 'text-delta', id: '1', delta: 'Half' };
    const error = { type: 'error', error: Object.assign(new Error('no'), { statusCode: 400 }) };
    for (const doStream of [
      async () => ({ stream: ReadableStream.from([start, delta, error]) }),
      async () => ({ stream: ReadableStream.from([start, delta]) }),
      async () => {
        throw Object.assign(new Error('slow down'), { statusCode: 429 });
      },
      async () => {
        throw Object.assign(new Error('who are you'), { statusCode: 401 });
      },
    ]) {
      const brain = brainFromModel({ ...model, doStream });
      expect(await brain.generate(requestWith({ onDelta: () => {} }))).toMatchObject({ status: 'failed' });
    }
    expect(asked).toEqual([]);
  });

  test('ends with its abort, and its stream is given up', async () => {
    let isCancelled = false;
    const endless = new ReadableStream({
      pull: (controller) => {
        controller.enqueue({ type: 'text-start', id: '1' });
        return new Promise(() => {});
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const { model } = modelOf({}, []);
    const controller = new AbortController();
    const brain = brainFromModel({ ...model, doStream: async () => ({ stream: endless }) }, { stream: true });
    const answer = brain.generate(requestWith({ signal: controller.signal }));
    controller.abort();
    expect(await answer).toMatchObject({ status: 'failed', failure: { code: 'aborted' } });
    expect(isCancelled).toBe(true);
  });
});
