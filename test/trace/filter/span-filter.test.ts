import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchRows } from '../../../src/trace/filter/match-rows.ts';
import { searchTexts } from '../../../src/trace/filter/search-text.ts';
import { filterFields, maxFilterLength, parseFilter, type SpanFilter } from '../../../src/trace/filter/span-filter.ts';
import { SpanColumns } from '../../../src/trace/table/span-columns.ts';
import { spanTableOf, SpanTableBuilder } from '../../../src/trace/table/table-builder.ts';
import { seededRun } from '../seeded-run.ts';
import { travelJournal } from '../travel-journal.ts';

function filterOf(text: string): SpanFilter {
  const parsed = parseFilter(text);
  if (parsed.kind === 'filter') return parsed.filter;
  throw new Error(parsed.fault.message);
}

const travel = new SpanColumns();
travel.apply(spanTableOf(travelJournal()));
const builder = new SpanTableBuilder();
for (const append of travelJournal()) builder.take(append);
const texts = searchTexts(builder.head, builder.parts);

function found(text: string): readonly string[] {
  const { hits } = matchRows(travel, filterOf(text), texts);
  return travel.ids.filter((_, index) => hits[index] === 1);
}

describe('a filter is read', () => {
  test('as terms that all must hold, turned around by a minus, with alternatives parted by commas', () => {
    expect(
      filterOf('tool:send_mail,"a b" -status:OK dur:>2s tokens:<=4k -refund "card \\"x\\" declined" at:1.5m'),
    ).toEqual([
      { field: 'tool', words: ['send_mail', 'a b'], isNegative: false },
      { field: 'status', words: ['ok'], isNegative: true },
      { field: 'dur', comparison: '>', value: 2_000, isNegative: false },
      { field: 'tokens', comparison: '<=', value: 4_000, isNegative: false },
      { field: 'text', text: 'refund', isNegative: true },
      { field: 'text', text: 'card "x" declined', isNegative: false },
      { field: 'at', comparison: '=', value: 90_000, isNegative: false },
    ]);
  });

  test('a minus alone, a quoted text with a colon and an empty filter are what they are', () => {
    expect(filterOf('-')).toEqual([{ field: 'text', text: '-', isNegative: false }]);
    expect(filterOf('"kind: of"')).toEqual([{ field: 'text', text: 'kind: of', isNegative: false }]);
    expect(filterOf('  ')).toEqual([]);
  });

  test.each([
    ['colour:red', 0, 6, 'There is no field colour. Fields are tool, kind'],
    ['x status:sad', 9, 3, 'status: does not know sad. It knows open, waiting, ok'],
    ['kind:', 5, 1, 'kind: says nothing. It knows run, step'],
    ['status:ok,', 10, 1, 'status: says nothing.'],
    ['dur:>soon', 4, 5, 'dur: is compared with a number, such as dur:>200ms, dur:<=2s, dur:>5m, and not with >soon.'],
    ['attempts:>2s', 9, 3, 'attempts: is compared with a number'],
    ['dur:4k', 4, 2, 'dur: is compared with a number'],
    ['tokens:', 7, 1, 'and not with nothing'],
    ['a "b c', 2, 4, 'The quotes are not closed.'],
  ])('%s is refused with its place and with what is allowed', (text, at, length, message) => {
    const parsed = parseFilter(text);
    if (parsed.kind === 'filter') throw new Error('it was read');
    expect(parsed.fault).toMatchObject({ at, length });
    expect(parsed.fault.message).toContain(message);
  });

  test('has limits', () => {
    expect(parseFilter('a'.repeat(maxFilterLength + 1)).kind).toBe('invalid');
    expect(parseFilter('a '.repeat(51)).kind).toBe('invalid');
  });

  test('or refused at a place inside of it, whatever it holds', () => {
    const pieces = constantFrom(
      ...Object.keys(filterFields),
      ':',
      '-',
      '"',
      '\\',
      ' ',
      ',',
      '>',
      '2s',
      'ok',
      '*',
      'é',
      '\u0000',
    );
    assert(
      property(array(pieces, { maxLength: 20 }), (list) => {
        const text = list.join('');
        const parsed = parseFilter(text);
        if (parsed.kind === 'filter') expect(() => matchRows(travel, parsed.filter, texts)).not.toThrow();
        else expect(parsed.fault.at).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('a filter finds', () => {
  test.each<[string, readonly string[]]>([
    ['kind:run', ['run']],
    ['kind:call status:ok', ['call.1.0', 'call.2.0']],
    ['tool:send_* kind:call', ['call.2.0']],
    ['tool:nothing', []],
    ['has:in-doubt kind:doubt', ['call.2.0#1?']],
    ['status:failed', ['call.1.0#1']],
    ['status:error kind:attempt', ['call.1.0#1', 'call.2.0#1']],
    ['err:unavail', ['call.1.0#1']],
    ['has:error kind:attempt', ['call.1.0#1']],
    ['attempts:>1 kind:call', ['call.1.0']],
    ['tokens:>800 kind:model step:1', ['model.1']],
    ['is:open', []],
    ['id:*.1.0~*', ['call.1.0~2']],
    ['kind:step -step:1', ['step.2', 'step.3']],
  ])('%s', (text, ids) => {
    expect(found(text)).toEqual(ids);
  });

  test('with tool: a call and all that is in it', () => {
    const inside = travel.ids.filter((id) => id.startsWith('call.2.0'));
    expect(inside.length).toBeGreaterThan(3);
    expect(found('tool:send_mail')).toEqual(inside);
  });

  test('a text in what was asked and answered, where that is at hand', () => {
    const withTexts = matchRows(travel, filterOf('"answered 503"'), texts);
    expect(withTexts.count).toBeGreaterThan(0);
    expect(matchRows(travel, filterOf('"answered 503"')).count).toBe(0);
  });

  test('rows with everything above them, each once', () => {
    const columns = new SpanColumns();
    columns.apply(spanTableOf(seededRun({ seed: 9, spans: 2_000, failures: 0.3 })));
    const { hits, shown, count } = matchRows(columns, filterOf('status:failed'));
    expect(hits.reduce((sum, hit) => sum + hit, 0)).toBe(count);
    for (let index = 1; index < columns.rowCount; index += 1) {
      if (hits[index] === 1) expect(shown[index]).toBe(1);
      if (shown[index] === 1) expect(shown[columns.parent[index] ?? 0]).toBe(1);
    }
    expect(shown.some((cell) => cell === 0)).toBe(true);
  });

  test('and its opposite finds the rest', () => {
    const every = matchRows(travel, []).count;
    for (const text of ['kind:call', 'tool:send_mail', 'dur:>1s', 'has:retry', 'weather', 'is:error']) {
      const [with_, without] = [found(text).length, found(`-${text}`).length];
      expect(with_ + without).toBe(every);
    }
  });
});
