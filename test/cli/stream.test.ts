import { describe, expect, test } from 'vitest';
import type { StreamEvent } from '../../src/axle.ts';
import { Folder } from './command.ts';

describe('axle run --stream (A12)', () => {
  test('shows the words of the model while it writes them, fit for a terminal, and prints the answer once', async () => {
    const folder = new Folder();
    const { code, stdout, stderr } = await folder.axle('run', 'speaker', '--input', 'Say it.', '--stream');
    expect(code).toBe(0);
    expect(stdout).toBe('I say it\nbit by bit.\\u{1b}[2J\n');
    expect(stderr).toContain('  says: I say it\n    bit by bit.\\u{1b}[2J\n');
  });

  test('with --json prints each event on a line, and the result on the last one', async () => {
    const folder = new Folder();
    const { code, stdout } = await folder.axle('run', 'speaker', '--input', 'Say it.', '--stream', '--json');
    expect(code).toBe(0);
    const lines: unknown[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({ status: 'completed', output: 'I say it\nbit by bit.\u001b[2J' });
    const events = lines.slice(0, -1) as StreamEvent[];
    expect(events.flatMap((event) => (event.kind === 'entry' ? [event.entry.type] : []))).toEqual([
      'run-accepted',
      'model-started',
      'model-finished',
      'run-finished',
    ]);
    expect(events.map((event) => ('text' in event ? event.text : '')).join('')).toBe('I say it\nbit by bit.\u001b[2J');
  });

  test('does not go with a run that is only recorded', async () => {
    const folder = new Folder();
    expect(await folder.axle('run', 'speaker', '--input', 'x', '--stream', '--detach')).toMatchObject({ code: 2 });
  });
});
