import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { idOfOversized, LineSplitter } from '../../src/mcp/stdio/line-splitter.ts';
import { LineWriter } from '../../src/mcp/stdio/line-writer.ts';

describe('lines that are read', () => {
  test('lines are the same however their bytes arrive', () => {
    const bytes = Buffer.from('{"a":"ü"}\r\n\n{"b":"😀"}\nrest');
    for (let size = 1; size <= bytes.length; size += 1) {
      const splitter = new LineSplitter(100);
      const texts: string[] = [];
      for (let from = 0; from < bytes.length; from += size) {
        for (const line of splitter.push(bytes.subarray(from, from + size))) {
          texts.push(line.kind === 'line' ? line.text : 'oversized');
        }
      }
      expect(texts).toEqual(['{"a":"ü"}', '', '{"b":"😀"}']);
    }
  });

  test('a line over the limit is told by its size and its ends, and the line after it is whole', () => {
    const splitter = new LineSplitter(1_000);
    const long = `{"result":{"text":"${'x'.repeat(5_000)}"},"jsonrpc":"2.0","id":7}`;
    const lines = [
      ...splitter.push(Buffer.from(long.slice(0, 3_000))),
      ...splitter.push(Buffer.from(`${long.slice(3_000)}\nshort\n`)),
    ];
    expect(lines).toMatchObject([
      { kind: 'oversized', sizeBytes: long.length },
      { kind: 'line', text: 'short' },
    ]);
    expect(lines[0]?.kind === 'oversized' && idOfOversized(lines[0])).toBe(7);
  });

  test('the id of a long answer is read only where it can be nothing else', () => {
    const answers: ReadonlyArray<readonly [head: string, tail: string, id: number | undefined]> = [
      ['{"jsonrpc":"2.0","id":3,"result":{"id":9', '"}}', 3],
      ['{"id":4,"error":{"message":"', '"}}', 4],
      ['{"result":{"x":"', '"},"jsonrpc":"2.0","id":5}', 5],
      ['{"result":{"x":"', '"},"id":6,"jsonrpc":"2.0"}', 6],
      // An id inside the result, and a request of the server, which counts its ids by itself.
      ['{"jsonrpc":"2.0","result":{"x":"', '","id":7}}', undefined],
      ['{"method":"sampling/createMessage","params":{"x":"', '"},"jsonrpc":"2.0","id":8}', undefined],
      ['{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"', '"}}', undefined],
    ];
    for (const [head, tail, id] of answers) expect(idOfOversized({ head, tail })).toBe(id);
  });
});

/** A pipe that takes a line only when the test says so. */
class SlowPipe extends Writable {
  readonly taken: string[] = [];
  #go: ((error?: Error) => void) | undefined;

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error) => void): void {
    this.#go = (error) => {
      if (error === undefined) this.taken.push(chunk.toString());
      callback(error);
    };
  }

  go(error?: Error): void {
    this.#go?.(error);
  }
}

describe('lines that are written', () => {
  test('a line counts as sent from the moment it is handed to the pipe, the ones behind it do not', async () => {
    const pipe = new SlowPipe();
    const writer = new LineWriter(pipe);
    const first = writer.write('first');
    const second = writer.write('second');
    expect([first.delivery.state, second.delivery.state]).toEqual(['underway', 'waiting']);
    pipe.go();
    await first.done;
    expect([first.delivery.state, second.delivery.state]).toEqual(['written', 'underway']);
    pipe.go();
    await second.done;
    expect(pipe.taken).toEqual(['first\n', 'second\n']);
  });

  test('a line that waits can be taken back and is never written; one under way cannot', async () => {
    const pipe = new SlowPipe();
    const writer = new LineWriter(pipe);
    const first = writer.write('first');
    const second = writer.write('second');
    expect(writer.withdraw(first.delivery)).toBe(false);
    expect(writer.withdraw(second.delivery)).toBe(true);
    await expect(second.done).rejects.toThrow('withdrawn');
    pipe.go();
    await first.done;
    expect(second.delivery.state).toBe('dropped');
    expect(pipe.taken).toEqual(['first\n']);
  });

  test('when the server is gone, what waited was not sent, and neither is what comes later', async () => {
    const pipe = new SlowPipe();
    pipe.on('error', () => undefined);
    const writer = new LineWriter(pipe);
    const first = writer.write('first');
    const second = writer.write('second');
    writer.close();
    await expect(second.done).rejects.toThrow('ended before');
    expect([first.delivery.state, second.delivery.state]).toEqual(['underway', 'dropped']);
    pipe.go(new Error('EPIPE'));
    await expect(first.done).rejects.toThrow('EPIPE');
    expect(first.delivery.state).toBe('dropped');
    await expect(writer.write('third').done).rejects.toThrow('has ended');
  });

  test('a server that does not read is refused more than its share', async () => {
    const writer = new LineWriter(new SlowPipe());
    const line = 'x'.repeat(1024 * 1024);
    const waiting = Array.from({ length: 16 }, () => writer.write(line));
    const refused = writer.write(line);
    await expect(refused.done).rejects.toThrow('does not read');
    expect(refused.delivery.state).toBe('dropped');
    const ends = waiting.slice(1).map(({ done }) => done.catch(() => 'dropped'));
    writer.close();
    expect(await Promise.all(ends)).toEqual(Array.from({ length: 15 }, () => 'dropped'));
  });

  test('lines reach a real stream in order and whole', async () => {
    const stream = new PassThrough();
    const writer = new LineWriter(stream);
    await Promise.all(['one', 'two', 'three'].map((text) => writer.write(text).done));
    expect(String(stream.read())).toBe('one\ntwo\nthree\n');
  });
});
