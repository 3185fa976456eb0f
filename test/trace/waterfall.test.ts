import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { columnsOf } from '../../src/trace/safe-text.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { expectGolden } from './golden.ts';
import {
  accepted,
  allowed,
  answered,
  asks,
  bound,
  JournalWriter,
  modelStarted,
  started,
  succeeded,
  settled,
} from './journal-writer.ts';
import { travelJournal } from './travel-journal.ts';

const travel = traceOf(travelJournal());
const timeText = (atMs: number): string => new Date(atMs).toISOString();

describe('the waterfall', () => {
  test('of a run with a retry, a repair, a wait for approval, a kill gap and a doubt settled by verify looks like this', () => {
    expectGolden('travel', renderWaterfall(travel, { width: 110, timeText }));
  });

  test('of the same run in plain ASCII and 80 columns looks like this', () => {
    const text = renderWaterfall(travel, { width: 80, ascii: true });
    expectGolden('travel-ascii', text);
    const bars = text.split('\n').filter((line) => /^\s+\+/u.test(line));
    expect(bars.length).toBeGreaterThan(10);
    for (const bar of bars) expect(bar.replaceAll('…', '')).toMatch(/^[\x20-\x7e]*$/u);
  });

  test('in brief has the same rows, and nothing below them', () => {
    const isRow = (line: string): boolean => /^\s+\+/u.test(line);
    const whole = renderWaterfall(travel).split('\n');
    const brief = renderWaterfall(travel, { brief: true }).split('\n');
    expect(brief.filter(isRow)).toEqual(whole.filter(isRow));
    expect(brief.filter((line) => !isRow(line))).toEqual(
      whole.filter((line) => !isRow(line) && !line.startsWith(' '.repeat(29))),
    );
  });

  test('of a run that is killed at its approval says what is still open', () => {
    expectGolden('travel-open', renderWaterfall(traceOf(travelJournal().slice(0, 9)), { width: 100 }));
  });

  test('has no colours unless they are asked for, and the same words with them', () => {
    const plain = renderWaterfall(travel);
    const coloured = renderWaterfall(travel, { colours: true });
    expect(plain).not.toContain('\u{1b}');
    expect(coloured).toContain('\u{1b}[');
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });

  test.each([60, 80, 110, 200])('keeps every line within %i columns', (width) => {
    const lines = renderWaterfall(travel, { width }).split('\n');
    // The totals stand on one line, so that they can be found by a search.
    expect(lines.slice(0, -4).filter((line) => columnsOf(line) > width)).toEqual([]);
  });

  test('prints nothing that could steer the terminal, whatever model and tools write', () => {
    const evil = 'a\u{1b}[2J\u{9b}31m\r\n\u{202e}txt\u{2066}\u{200b}\u{7}\u{e0041}\u{2028}\ud800z';
    const journal = new JournalWriter()
      .at(0, accepted(evil), modelStarted(1, 1))
      .at(
        5,
        answered({ kind: 'text', text: evil }, { kind: 'reasoning', text: evil }, asks('t1.0', 'get_weather', evil)),
      )
      .at(
        6,
        bound('1.0', 'get_weather', { [evil]: evil }, [{ rule: evil, path: evil, before: evil, after: evil }]),
        allowed('1.0'),
        started('1.0'),
      )
      .at(7, succeeded('1.0', evil), settled('1.0'))
      .at(8, { type: 'message-received', text: evil }, { type: 'cancel-requested', reason: evil, by: evil })
      .at(9, { type: 'run-finished', ending: 'cancelled', output: evil })
      .appends();
    const text = renderWaterfall(traceOf(journal));
    expect(text).toContain('\\u{1b}[2J');
    expect(text.replaceAll('\n', '')).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]*$/u);
  });

  test('of a long run shows its beginning and its end, and says how much it leaves out', () => {
    const writer = new JournalWriter().at(0, accepted('go on'));
    for (let step = 1; step <= 300; step += 1) {
      writer
        .at(step * 20, modelStarted(step, step * 2 - 1))
        .at(step * 20 + 5, answered(asks(`t${step}.0`, 'get_weather', '{}')));
      writer
        .at(step * 20 + 6, bound(`${step}.0`, 'get_weather', {}), allowed(`${step}.0`), started(`${step}.0`))
        .at(step * 20 + 9, succeeded(`${step}.0`, 1), settled(`${step}.0`));
    }
    const text = renderWaterfall(traceOf(writer.appends()));
    expect(text).toContain('model 1 ');
    expect(text).toContain('model 300');
    expect(text).not.toContain('model 150 ');
    expect(text).toContain('200 rows left out');
  });
});
