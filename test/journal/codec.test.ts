import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createDecoder,
  decodeEntries,
  encodeEntries,
  maxInlineBytes,
  type EncodedEntries,
} from '../../src/journal/codec.ts';
import { bodyPlaces } from '../../src/journal/body-places.ts';
import { formatVersion, type Entry } from '../../src/journal/entry.ts';
import { entryTypes } from '../../src/journal/entry-types.ts';
import type { FormatHistory } from '../../src/journal/upcast.ts';
import { arbitraryEntry } from './arbitrary-entry.ts';
import { accepted, attemptFinished, callTask, message, sampleCall } from './sample-entries.ts';

function decodeOwn(encoded: EncodedEntries): readonly Entry[] {
  const bodies = new Map(encoded.bodies.map((body) => [body.hash, body.text]));
  return decodeEntries(encoded.text, formatVersion, { lookup: (hash) => bodies.get(hash) });
}

// A test hands in what no program with types can.
function entryOf(value: object): Entry {
  return value as Entry;
}

describe('entries as text', () => {
  test('every entry comes back deeply equal, whatever JSON it carries', () => {
    fc.assert(
      fc.property(fc.array(arbitraryEntry, { minLength: 1, maxLength: 5 }), (entries) => {
        expect(decodeOwn(encodeEntries(entries))).toEqual(entries);
      }),
      { numRuns: 500 },
    );
  });

  test('the property above has met every type of entry', () => {
    const seen = new Set(fc.sample(arbitraryEntry, { numRuns: 2_000, seed: 1 }).map((entry) => entry.type));
    expect([...seen].toSorted()).toEqual(entryTypes.toSorted());
  });

  test('a value over the limit is kept once as a body and its entry holds the reference', () => {
    const large = { data: 'x'.repeat(maxInlineBytes) };
    const entries = [attemptFinished(large), attemptFinished(large)];
    const encoded = encodeEntries(entries);
    expect(encoded.bodies.map((body) => body.text)).toEqual([JSON.stringify(large)]);
    expect(encoded.text.length).toBeLessThan(400);
    expect(decodeOwn(encoded)).toEqual(entries);
  });

  test('contracts that were found right are looked at again as long as they can be changed', () => {
    const pins: { name: string }[] = [];
    const entry = { ...accepted('run_1'), task: { ...callTask, contracts: pins } };
    const encode = (): EncodedEntries => encodeEntries([entryOf(entry)]);
    encode();
    pins.push({ name: 'half a pin' });
    expect(encode).toThrow('"task"');
    pins.pop();
    Object.freeze(pins);
    expect(encode()).toEqual(encode());
  });

  test('the limit counts bytes of UTF-8, not characters', () => {
    const fits = '€'.repeat((maxInlineBytes - 2) / 3);
    expect(encodeEntries([message(fits)]).bodies).toHaveLength(0);
    expect(encodeEntries([message(`${fits}€`)]).bodies).toHaveLength(1);
  });

  test('a result that looks like a reference is a body, so it is never taken for one', () => {
    const entries = [attemptFinished({ $body: 'not a hash' }), attemptFinished({ deep: { $body: 'inside' } })];
    const encoded = encodeEntries(entries);
    expect(encoded.bodies.map((body) => body.text)).toEqual(['{"$body":"not a hash"}']);
    expect(decodeOwn(encoded)).toEqual(entries);
  });

  test('a small append is its JSON text without what goes without saying', () => {
    const { attempt: _, ...rest } = { attempt: 1, ...attemptFinished({ ok: true }) };
    const entries = [message('a'), attemptFinished({ ok: true })];
    expect(encodeEntries(entries)).toEqual({ text: JSON.stringify([message('a'), rest]), bodies: [] });
  });
});

describe('calls in the append of the answer that asked for them', () => {
  const words = { kind: 'call', toolCallId: 'call_1', toolName: 'refund', argumentsText: '{"cents":5}' } as const;
  const answer = {
    type: 'model-finished',
    parts: [words, { ...words, toolCallId: '' }, { ...words, argumentsText: '{"cents":' }],
    finishReason: 'tool-calls',
    usage: {},
    tookMs: 1,
  } as const;
  const entries: readonly Entry[] = [
    answer,
    {
      type: 'call-bound',
      call: { callId: '1.0', toolCallId: 'call_1', tool: 'refund', input: { cents: 5 }, argsHash: 'a' },
    },
    { type: 'call-bound', call: { callId: '1.1', toolCallId: 'call_1_1', tool: 'refund', input: { cents: 6 } } },
    {
      type: 'call-refused',
      callId: '1.2',
      toolCallId: 'call_1_2',
      toolName: 'refund',
      argumentsText: '{"cents":',
      failure: { code: 'arguments-truncated', class: 'recoverable', message: 'cut', evidence: 'none' },
    },
  ];

  test('keep only what differs from the words of the model, and come back whole', () => {
    const { text } = encodeEntries(entries);
    expect(text).toContain('{"type":"call-bound","call":{"callId":"1.0","argsHash":"a"}}');
    expect(text.split('refund')).toHaveLength(4);
    expect(decodeEntries(text, formatVersion, { lookup: () => undefined })).toEqual(entries);
  });
});

describe('what goes without saying in an append', () => {
  const bound = (callId: string): Entry => ({ type: 'call-bound', call: { ...sampleCall({}), callId } });
  const decided = (callId: string): Entry => ({
    type: 'call-decided',
    callId,
    decision: { kind: 'allow', rule: 'read-low' },
  });
  const started = (callId: string): Entry => ({ type: 'attempt-started', callId, attempt: 1 });
  const settled = (callId: string): Entry => ({ type: 'call-settled', callId, status: 'succeeded' });
  const textOf = (entries: readonly Entry[]): readonly Readonly<Record<string, unknown>>[] =>
    JSON.parse(encodeEntries(entries).text);

  test('a turn with one call names the call once, and no usual value', () => {
    const entries: readonly Entry[] = [
      { type: 'model-finished', parts: [], finishReason: 'tool-calls', usage: {}, tookMs: 0 },
      bound('1.0'),
      decided('1.0'),
      { type: 'call-admitted', callId: '1.0', attempt: 1, waitedMs: 0 },
      started('1.0'),
      { type: 'attempt-finished', callId: '1.0', attempt: 1, result: { status: 'succeeded', output: 5 }, tookMs: 0 },
      settled('1.0'),
      { type: 'model-started', step: 2, attempt: 1, items: 3, contextHash: 'c' },
    ];
    expect(textOf(entries)).toEqual([
      { type: 'model-finished', parts: [], usage: {} },
      bound('1.0'),
      { type: 'call-decided', decision: { kind: 'allow', rule: 'read-low' } },
      { type: 'call-admitted' },
      { type: 'attempt-started' },
      { type: 'attempt-finished', result: { status: 'succeeded', output: 5 } },
      { type: 'call-settled' },
      { type: 'model-started', step: 2, items: 3, contextHash: 'c' },
    ]);
    expect(decodeOwn(encodeEntries(entries))).toEqual(entries);
  });

  test('an entry names its call where the last one named is another, whatever stands between', () => {
    const entries = [
      settled('1.0'),
      bound('2.0'),
      bound('2.1'),
      started('2.1'),
      started('2.0'),
      message('hello'),
      settled('2.0'),
      bound('2.0'),
      settled('2.1'),
      settled('2.1'),
    ];
    const names = textOf(entries).map((entry) => entry['callId'] ?? '');
    expect(names).toEqual(['1.0', '', '', '', '2.0', '', '', '', '2.1', '']);
    expect(decodeOwn(encodeEntries(entries))).toEqual(entries);
  });

  test('the next append begins anew', () => {
    expect(textOf([settled('1.0')])).toEqual([{ type: 'call-settled', callId: '1.0' }]);
    expect(() => decodeEntries('[{"type":"call-settled"}]', formatVersion, { lookup: () => undefined })).toThrow(
      expect.objectContaining({ code: 'entry-invalid' }),
    );
  });

  test('appends of few calls and usual values come back deeply equal, and so does what they are written as', () => {
    const callId = fc.constantFrom('1.0', '1.1');
    const usual = { attempt: 1, tookMs: 0, waitedMs: 0, status: 'succeeded', finishReason: 'tool-calls' };
    const entry = fc.tuple(arbitraryEntry, callId, fc.boolean()).map(([any, id, isUsual]) => {
      const fields = Object.entries(any).map(([key, value]): readonly [string, unknown] => {
        if (key === 'callId') return [key, id];
        if (key === 'call') return [key, { ...value, callId: id }];
        return [key, isUsual && Object.hasOwn(usual, key) ? usual[key as keyof typeof usual] : value];
      });
      return Object.fromEntries(fields) as unknown as Entry;
    });
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), (entries) => {
        const encoded = encodeEntries(entries);
        const decoded = decodeOwn(encoded);
        expect(decoded).toEqual(entries);
        expect(encodeEntries(decoded)).toEqual(encoded);
      }),
      { numRuns: 300 },
    );
  });

  test('texts of the formats before, which leave out less, are read as they are', () => {
    const entries = [bound('1.0'), started('1.0'), attemptFinished(5), settled('1.0')];
    for (const version of [1, 2, 3]) {
      expect(decodeEntries(JSON.stringify(entries), version, { lookup: () => undefined })).toEqual(entries);
    }
  });
});

describe('what is refused', () => {
  const whole = JSON.stringify([attemptFinished('x'.repeat(3_000))]);
  const answered = { type: 'model-finished', parts: [], finishReason: 'stop', usage: {}, tookMs: 1 };

  test.each([
    ['an unknown type', [{ type: 'run-exploded' }]],
    ['a missing field', [{ type: 'run-claimed' }]],
    ['a field of the wrong kind', [{ type: 'message-received', text: 5 }]],
    ['a field that the type does not have', [{ type: 'timer-fired', extra: 1 }]],
    ['a call without its arguments hash', [{ type: 'call-bound', call: { ...sampleCall({}), argsHash: 5 } }]],
    ['a part of an answer without its text', [{ ...answered, parts: [{ kind: 'text', meta: {} }] }]],
    ['a part of an answer of an unknown form', [{ ...answered, parts: [{ kind: 'image', text: 'x' }] }]],
    ['an answer that ended for an unknown reason', [{ ...answered, finishReason: 'boredom' }]],
    ['something that is not an entry', ['timer-fired']],
    ['something that is not a list', { type: 'timer-fired' }],
  ])('%s is refused when it is read', (_, value) => {
    expect(() => decodeEntries(JSON.stringify(value), formatVersion, { lookup: () => undefined })).toThrow(
      expect.objectContaining({ code: 'entry-invalid' }),
    );
  });

  test('an entry that is not one is refused before it is written', () => {
    // @ts-expect-error -- the compiler refuses it too: a count where a text belongs.
    const broken: Entry = { type: 'message-received', text: 5 };
    expect(() => encodeEntries([broken])).toThrow(expect.objectContaining({ code: 'internal' }));
  });

  test('an append without entries and one with too many are refused', () => {
    expect(() => encodeEntries([])).toThrow(expect.objectContaining({ code: 'internal' }));
    expect(() => encodeEntries(Array.from({ length: 1_001 }, () => message('m')))).toThrow(
      expect.objectContaining({ code: 'limit-exceeded' }),
    );
  });

  test('a text cut in the middle is refused', () => {
    expect(() => decodeEntries(whole.slice(0, 50), formatVersion, { lookup: () => undefined })).toThrow(
      expect.objectContaining({ code: 'entry-invalid' }),
    );
  });

  test('a body that is missing or has another content is refused', () => {
    const { text } = encodeEntries([attemptFinished('x'.repeat(3_000))]);
    for (const found of [undefined, '"something else"']) {
      expect(() => decodeEntries(text, formatVersion, { lookup: () => found })).toThrow(
        expect.objectContaining({ code: 'entry-invalid' }),
      );
    }
  });

  test('an entry of a newer format is refused as such', () => {
    expect(() => decodeEntries('[{"type":"timer-fired"}]', formatVersion + 1, { lookup: () => undefined })).toThrow(
      expect.objectContaining({ code: 'entry-too-new' }),
    );
  });
});

describe('entries of older formats', () => {
  /** A fictional past: version 1 called a message's text `words` and kept it as a body, version 2 called it `body`. */
  const history: FormatHistory = {
    current: 3,
    places: bodyPlaces,
    older: [
      {
        version: 2,
        places: {},
        upcast: ({ body, ...rest }) => (rest['type'] === 'message-received' ? { ...rest, text: body } : { ...rest }),
      },
      {
        version: 1,
        places: { 'message-received': [['words']] },
        upcast: ({ words, ...rest }) => (rest['type'] === 'message-received' ? { ...rest, body: words } : { ...rest }),
      },
    ],
  };
  const decode = createDecoder(history);

  test('are brought to the current form step by step', () => {
    const ones = '[{"type":"message-received","words":"hello"},{"type":"timer-fired"}]';
    expect(decode(ones, 1, { lookup: () => undefined })).toEqual([message('hello'), { type: 'timer-fired' }]);
    expect(decode('[{"type":"message-received","body":"hello"}]', 2, { lookup: () => undefined })).toEqual([
      message('hello'),
    ]);
    expect(decode('[{"type":"message-received","text":"hello"}]', 3, { lookup: () => undefined })).toEqual([
      message('hello'),
    ]);
  });

  test('have their bodies put back from where their own version kept them', () => {
    const { text, bodies } = encodeEntries([message('x'.repeat(3_000))]);
    const old = text.replace('"text"', '"words"');
    expect(decode(old, 1, { lookup: () => bodies[0]?.text })).toEqual([message('x'.repeat(3_000))]);
  });

  test('are refused when no release has written that format', () => {
    expect(() => decode('[]', 0, { lookup: () => undefined })).toThrow(
      expect.objectContaining({ code: 'entry-invalid' }),
    );
  });
});
