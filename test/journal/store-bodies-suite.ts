/** What a store that keeps large values apart must do when a reader asks for their names. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BodyReference, isBodyReference, unwrapped } from '../../src/journal/body-reference.ts';
import type { Entry } from '../../src/journal/entry.ts';
import type { Store } from '../../src/journal/store.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { attemptFinished, batch, messages, newRun, sampleCall } from './sample-entries.ts';
import type { StoreUnderTest } from './store-suite.ts';

const large = { rows: Array.from({ length: 500 }, (_, index) => ({ index, text: `row ${index} ✓` })) };

export function bodiesSuite(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`large values of a store (${name}), asked for by reference`, () => {
    let opened: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      await store.create(newRun('run_1', { claim: true }));
    });
    afterEach(async () => opened.dispose());

    async function written(...entries: readonly Entry[]): Promise<readonly Entry[]> {
      await store.append(batch('run_1', { ...messages(1, []), entries }));
      const appends = await store.read('run_1', { afterSeq: 1, bodies: 'reference' });
      return appends.flatMap((append) => append.entries);
    }
    function outputOf(entry: Entry | undefined): JsonValue {
      if (entry?.type === 'attempt-finished' && entry.result.status === 'succeeded') return entry.result.output;
      throw new Error('no output');
    }
    async function whole(value: JsonValue): Promise<JsonValue> {
      if (!isBodyReference(value)) return unwrapped(value);
      return JSON.parse((await store.body(value.$body)) ?? 'null') as JsonValue;
    }

    test('stand as their hash and size, and are had by the hash', async () => {
      const [entry] = await written(attemptFinished(large));
      const text = JSON.stringify(large);
      const value = outputOf(entry);
      expect(isBodyReference(value)).toBe(true);
      expect((value as unknown as BodyReference).sizeBytes).toBe(Buffer.byteLength(text));
      expect(await store.body((value as unknown as BodyReference).$body)).toBe(text);
      expect(await store.body('no such hash')).toBeUndefined();
    });

    test('small ones stand where they are, and everything comes whole unless references are asked for', async () => {
      expect(await written(attemptFinished({ cents: 5 }))).toEqual([attemptFinished({ cents: 5 })]);
      const appends = await store.read('run_1', { afterSeq: 1 });
      expect(appends.flatMap((append) => append.entries)).toEqual([attemptFinished({ cents: 5 })]);
    });

    test.each<[string, JsonValue]>([
      ['a hash', { $body: 'x' }],
      ['a reference', { $body: 'x', sizeBytes: 3 }],
      ['a wrapped value', { $body: null, value: 1 }],
      ['a reference with a large value beside it', { $body: 'x', sizeBytes: 3, large }],
    ])('data of a user that looks like %s is never taken for one', async (_, output) => {
      const [entry] = await written(attemptFinished(output));
      expect(await whole(outputOf(entry))).toEqual(output);
    });

    test('a call whose input is that of the model word for word is read with it, and one that looks like a reference is wrapped', async () => {
      const input = { $body: 'mine', sizeBytes: 1 };
      const part = {
        kind: 'call',
        toolCallId: 'call_1',
        toolName: 'refund',
        argumentsText: JSON.stringify(input),
      } as const;
      const finished: Entry = {
        type: 'model-finished',
        parts: [part],
        finishReason: 'tool-calls',
        usage: {},
        tookMs: 1,
      };
      const entries = await written(finished, { type: 'call-bound', call: sampleCall(input) });
      const bound = entries.find((entry) => entry.type === 'call-bound');
      expect(bound?.call.tool).toBe('refund');
      expect(bound?.call.input).toEqual({ $body: null, value: input });
      expect(unwrapped(bound?.call.input ?? null)).toEqual(input);
      expect((await store.read('run_1', { afterSeq: 1 })).flatMap((append) => append.entries)).toContainEqual({
        type: 'call-bound',
        call: sampleCall(input),
      });
    });

    test('words of a model are read whole, whatever their length, with the calls in them', async () => {
      const text = 'A long answer. '.repeat(1_000);
      const finished: Entry = {
        type: 'model-finished',
        parts: [{ kind: 'text', text }],
        finishReason: 'stop',
        usage: {},
        tookMs: 1,
      };
      expect(await written(finished)).toEqual([finished]);
    });
  });
}
