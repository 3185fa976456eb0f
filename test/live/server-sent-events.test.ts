import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ServerSentEvent, ServerSentEventReader } from '../../src/live/server-sent-events.ts';

const stream = [
  ': a comment\n',
  'id: 1.1\ndata: {"kind":"entry"}\n\n',
  'event: text\r\nid: 1.2\r\ndata: one\r\ndata: two\r\n\r\n',
  'data:tight\n\n',
  'retry: 10\n\n',
  'id: 2.1\ndata: a: b\n\n',
].join('');

const events: readonly ServerSentEvent[] = [
  { id: '1.1', event: 'message', data: '{"kind":"entry"}' },
  { id: '1.2', event: 'text', data: 'one\ntwo' },
  { id: '1.2', event: 'message', data: 'tight' },
  { id: '2.1', event: 'message', data: 'a: b' },
];

test('events are the same wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: stream.length - 1 })), (cuts) => {
      const reader = new ServerSentEventReader();
      const edges = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const read = edges.slice(1).flatMap((to, index) => reader.push(stream.slice(edges[index], to)));
      expect(read).toEqual(events);
    }),
  );
});

test('an event that is not whole is none', () => {
  const reader = new ServerSentEventReader();
  expect(reader.push('id: 1.1\ndata: half\n')).toEqual([]);
  expect(reader.push('\n')).toEqual([{ id: '1.1', event: 'message', data: 'half' }]);
});
