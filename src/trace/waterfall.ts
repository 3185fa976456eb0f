/**
 * A trace as a waterfall in a terminal: a row for each span with its start, its length and its bar on one axis of time, and what there is to say below it.
 *
 * F1 Everything that is printed is safe (X1), and no line is wider than asked for.
 * F2 The rows alone tell the story, which is what `brief` shows, with the reason of a failure where a row has room: bars differ by their characters, so colours are
 *    never needed.
 */
import { styleText } from 'node:util';
import { durationText, offsetText } from './duration-text.ts';
import { columnsOf, cutToColumns, oneLine, padToColumns, wrapToColumns } from './safe-text.ts';
import { type Look, type Row, rowsOf } from './span-rows.ts';
import { valueText } from './span-words.ts';
import { timeAxis, type TimeAxis } from './time-axis.ts';
import type { Trace, TraceTotals } from './trace.ts';

export interface WaterfallOptions {
  /** Columns of a line, 60 to 400. @defaultValue 100 */
  readonly width?: number;
  /** Plain ASCII bars. @defaultValue false */
  readonly ascii?: boolean;
  /** @defaultValue false */
  readonly colours?: boolean;
  /** Only the rows, without what there is to say below them. @defaultValue false */
  readonly brief?: boolean;
  /** How a time of day is written. @defaultValue not at all */
  readonly timeText?: (atMs: number) => string;
}

/** Rows shown; of a longer run the first and the last. */
const maxRows = 400;
/** Lines that one note takes at most. */
const maxNoteLines = 3;

const glyphs: Readonly<Record<'unicode' | 'ascii', Readonly<Record<Look | 'cross' | 'unknown' | 'more', string>>>> = {
  unicode: {
    frame: '─',
    work: '█',
    failed: '█',
    lost: '█',
    wait: '·',
    gap: '╳',
    doubt: '?',
    mark: '◆',
    cross: '✗',
    unknown: '░',
    more: '▸',
  },
  ascii: {
    frame: '-',
    work: '#',
    failed: '#',
    lost: '#',
    wait: '.',
    gap: 'X',
    doubt: '?',
    mark: '*',
    cross: '!',
    unknown: ':',
    more: '>',
  },
};

const colours: Readonly<Record<Look, Parameters<typeof styleText>[0]>> = {
  frame: 'dim',
  work: 'green',
  failed: 'red',
  lost: 'red',
  wait: 'yellow',
  gap: ['bold', 'magenta'],
  doubt: ['bold', 'cyan'],
  mark: 'blue',
};

/** The waterfall, lines parted by `\n`, with one at the end. */
export function renderWaterfall(trace: Trace, options: WaterfallOptions = {}): string {
  const width = Math.min(400, Math.max(60, options.width ?? 100));
  const rows = rowsOf(trace);
  const shown = rows.length <= maxRows ? rows : [...rows.slice(0, maxRows / 2), ...rows.slice(-maxRows / 2)];
  const labelColumns = Math.min(36, Math.floor(width * 0.28));
  const page = { trace, options, width, labelColumns, barColumns: width - timeColumns - labelColumns - 1 };
  const axis = timeAxis(shown, page.barColumns);
  const lines = [...headerLines(page), '', scaleLine(page, shown)];
  shown.forEach((row, index) => {
    if (rows.length > shown.length && index === maxRows / 2) {
      lines.push(`  ... ${rows.length - shown.length} rows left out; --json has them all ...`);
    }
    lines.push(...rowLines(row, axis, page));
  });
  lines.push('', ...legendLines(shown, axis, page), totalsText(trace.totals));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Of a reason that is cut shorter than this, nothing could be understood. */
const leastReasonColumns = 12;

const startColumns = 14;
const tookColumns = 11;
/** Columns before the label. */
const timeColumns = startColumns + tookColumns + 2;

interface Page {
  readonly trace: Trace;
  readonly options: WaterfallOptions;
  readonly width: number;
  readonly labelColumns: number;
  readonly barColumns: number;
}

function headerLines({ trace, options, width }: Page): readonly string[] {
  const { ending, subject, kind } = trace;
  const status = ending === undefined ? 'has not ended' : ending.kind;
  const when = options.timeText === undefined ? '' : `, ${options.timeText(trace.startMs)}`;
  const lines = [
    `${trace.runId}  ${kind} ${subject}  ${status}${when}`,
    `trace ${trace.traceId}, epoch ${trace.epoch}, ${trace.seq} entries`,
    ...(trace.fork === undefined
      ? []
      : [`fork      of ${trace.fork.of} at step ${trace.fork.step}${changedText(trace.fork)}`]),
    ...(kind === 'undo' ? [] : [`asked     ${valueText(trace.input)}`]),
  ];
  if (ending?.failure !== undefined) lines.push(`because   ${ending.failure.code}: ${ending.failure.message}`);
  if (ending !== undefined && ending.output !== null) {
    lines.push(`${ending.kind === 'completed' ? 'answered ' : 'partial  '} ${valueText(ending.output)}`);
  }
  return lines.map((line) => cutToColumns(oneLine(line), width));
}

function changedText({ changed }: NonNullable<Trace['fork']>): string {
  return changed.length === 0 ? '' : `, with another ${changed.join(', ')}`;
}

function scaleLine({ trace, labelColumns }: Page, rows: readonly Row[]): string {
  const endMs = rows.reduce((most, row) => Math.max(most, row.endMs), trace.startMs);
  return `${'start'.padStart(startColumns)}${'took'.padStart(tookColumns)}  ${padToColumns('what', labelColumns)} 0 to ${durationText(endMs - trace.startMs)}`;
}

function rowLines(row: Row, axis: TimeAxis, page: Page): readonly string[] {
  const { trace, labelColumns, width } = page;
  const start = offsetText(row.startMs - trace.startMs).padStart(startColumns);
  const took = (row.look === 'mark' ? '' : row.isOpen ? 'open' : durationText(row.endMs - row.startMs)).padStart(
    tookColumns,
  );
  const label = `${'  '.repeat(row.depth)}${oneLine(row.label)}`;
  // A mark has no bar to make room for.
  const text =
    row.look === 'mark' && row.depth === 0
      ? cutToColumns(label, width - timeColumns - 2)
      : padToColumns(cutToColumns(label, labelColumns), labelColumns);
  const marker = row.look === 'mark' && row.depth === 0 ? `${glyphsOf(page).mark} ` : '';
  const bar = marker === '' ? barOf(row, axis, page) : '';
  const indent = ' '.repeat(timeColumns + 2 + row.depth * 2);
  const wrapped = row.notes.flatMap((note) =>
    wrapToColumns(oneLine(note), width - indent.length - 2, maxNoteLines).map((line, index) =>
      index === 0 ? line : `  ${line}`,
    ),
  );
  const notes = wrapped.map((line) => paint(`${indent}${line}`, 'frame', page));
  const line = `${start}${took}  ${marker}${text} ${paint(bar, row.look, page)}`;
  return page.options.brief === true ? [line + reasonBehind(bar, row, page)] : [line, ...notes];
}

/** Why a row failed, behind its bar as far as there is room: for whoever sees no notes. */
function reasonBehind(bar: string, { reason }: Row, page: Page): string {
  const room = page.barColumns - columnsOf(bar) - 1;
  return reason === undefined || room < leastReasonColumns
    ? ''
    : ` ${paint(cutToColumns(oneLine(reason), room), 'frame', page)}`;
}

function barOf(row: Row, axis: TimeAxis, page: Page): string {
  const set = glyphsOf(page);
  const first = Math.min(page.barColumns - 1, Math.floor(axis.at(row.startMs)));
  const end = Math.min(page.barColumns, Math.max(first + 1, Math.round(axis.at(row.endMs))));
  const solid = row.look === 'lost' ? Math.min(end, Math.max(first + 1, Math.round(axis.at(row.busyUntilMs)))) : end;
  const fill = `${set[row.look].repeat(solid - first)}${set.unknown.repeat(end - solid)}`;
  const last = row.isOpen ? set.more : row.look === 'failed' || row.look === 'lost' ? set.cross : fill.slice(-1);
  return `${' '.repeat(first)}${fill.slice(0, -1)}${last}`;
}

const meanings: readonly (readonly [Look, string])[] = [
  ['work', 'at work'],
  ['failed', 'failed'],
  ['lost', 'cut off'],
  ['wait', 'waits'],
  ['gap', 'no driver'],
  ['doubt', 'in doubt'],
  ['mark', 'event'],
];

function legendLines(rows: readonly Row[], axis: TimeAxis, page: Page): readonly string[] {
  const set = glyphsOf(page);
  const looks = new Set(rows.map((row) => row.look));
  const sample = (look: Look): string => {
    if (look === 'failed') return `${set.failed}${set.cross}`;
    return look === 'lost' ? `${set.lost}${set.unknown}${set.cross}` : set[look];
  };
  const known = meanings.filter(([look]) => looks.has(look)).map(([look, meaning]) => `${sample(look)} ${meaning}`);
  if (rows.some((row) => row.isOpen)) known.push(`${set.more} still open`);
  const lines = known.length === 0 ? [] : [known.join('   ')];
  return axis.isFolded ? [...lines, 'Long stretches without work are drawn shorter than they were.'] : lines;
}

/** One line that says what a run came to. */
export function totalsText(totals: TraceTotals): string {
  const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
  return [
    counted(totals.calls, 'call'),
    `${counted(totals.attempts, 'attempt')} (${totals.repeats} repeated)`,
    ...(totals.cached === 0 ? [] : [`${totals.cached} from the cache`]),
    ...(totals.recorded === 0 ? [] : [`${totals.recorded} from the recording`]),
    counted(totals.repairs, 'repair'),
    `${counted(totals.waits, 'wait')} (${counted(totals.approvals, 'approval')})`,
    counted(totals.doubts, 'doubt'),
    counted(totals.kills, 'kill'),
    `${totals.inputTokens} tokens in, ${totals.outputTokens} out`,
    `worked ${durationText(totals.workedMs)} of ${durationText(totals.spannedMs)}`,
  ].join(', ');
}

function glyphsOf({ options }: Page): (typeof glyphs)['ascii'] {
  return options.ascii === true ? glyphs.ascii : glyphs.unicode;
}

function paint(text: string, look: Look, { options }: Page): string {
  return options.colours === true && text.trim() !== ''
    ? styleText(colours[look], text, { validateStream: false })
    : text;
}
