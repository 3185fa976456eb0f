/** What the list of runs can show of each, and how wide. */
import { Link } from '@tanstack/react-router';
import type { RunRow, RunRowTotals } from '../../../src/server/wire.ts';
import { countText } from '../words/count-text.ts';
import { Foreign, lineOf } from '../words/foreign.tsx';
import { runStatus, StatusMark } from '../words/status.tsx';
import { durationText } from '../words/time-text.ts';
import { Moment } from '../words/moment.tsx';

export interface Column {
  readonly name: string;
  readonly title: string;
  /** Its share of the width grows with the page when it is a text without `widthRem`. */
  readonly widthRem?: number;
  readonly isFigure?: true;
  /** Shown when nothing was chosen. */
  readonly isUsual?: true;
  /** Without it a row could not be told from another, or opened. */
  readonly isNeeded?: true;
  readonly cell: (run: RunRow) => React.ReactNode;
  readonly look?: (run: RunRow) => string;
}

/** The room that a column without a width has at least. */
const leastRem = 10;

export const columns: readonly Column[] = [
  {
    name: 'status',
    title: 'Status',
    widthRem: 8.75,
    isUsual: true,
    isNeeded: true,
    cell: (run) => <StatusMark status={runStatus(run)} />,
  },
  {
    name: 'subject',
    title: 'Agent or tool',
    widthRem: 9.375,
    isUsual: true,
    cell: ({ subject, kind }) => (
      <>
        <Link to="/runs" search={{ subject }} tabIndex={-1} className="over cut">
          <Foreign text={subject} longest={80} />
        </Link>
        {kind === 'agent' ? undefined : <small className="tag">{kind}</small>}
      </>
    ),
  },
  // The row draws it itself: it is the link to the run.
  { name: 'goal', title: 'Goal', isUsual: true, isNeeded: true, cell: () => undefined },
  {
    name: 'started',
    title: 'Started',
    widthRem: 7.25,
    isUsual: true,
    cell: ({ createdAtMs }) => <Moment className="figure" atMs={createdAtMs} />,
  },
  {
    name: 'updated',
    title: 'Last entry',
    widthRem: 7.25,
    cell: ({ updatedAtMs }) => <Moment className="figure" atMs={updatedAtMs} />,
  },
  {
    name: 'took',
    title: 'Took',
    widthRem: 5.25,
    isFigure: true,
    isUsual: true,
    cell: ({ createdAtMs, updatedAtMs }) => durationText(Math.max(0, updatedAtMs - createdAtMs)),
  },
  { ...figure('steps', 'Steps', { widthRem: 3.75, countOf: (run) => run.steps }), isUsual: true },
  { ...figure('models', 'Models', { widthRem: 4.25, countOf: total('modelCalls') }), isUsual: true },
  { ...figure('calls', 'Calls', { widthRem: 3.75, countOf: total('toolCalls') }), isUsual: true },
  figure('attempts', 'Attempts', { widthRem: 5, countOf: total('attempts') }),
  {
    name: 'tokens',
    title: 'Tokens in / out',
    widthRem: 7.25,
    isFigure: true,
    isUsual: true,
    cell: ({ totals }) =>
      totals === undefined ? '' : `${countText(totals.inputTokens)} / ${countText(totals.outputTokens)}`,
  },
  figure('cached', 'Cached in', { widthRem: 5.25, countOf: total('cachedInputTokens') }),
  { ...figure('errors', 'Errors', { widthRem: 4, countOf: total('errors'), tone: 'bad' }), isUsual: true },
  { ...figure('approvals', 'Approvals', { widthRem: 5.25, countOf: total('approvals'), tone: 'warn' }), isUsual: true },
  { ...figure('doubts', 'Doubts', { widthRem: 4.5, countOf: total('doubts'), tone: 'doubt' }), isUsual: true },
  figure('drivers', 'Drivers', { widthRem: 4.5, countOf: (run) => run.epoch }),
  {
    name: 'session',
    title: 'Session',
    widthRem: 7.5,
    isUsual: true,
    cell: ({ session }) =>
      session === undefined ? undefined : (
        <Link to="/runs" search={{ session }} tabIndex={-1} className="over cut">
          <Foreign text={session} longest={60} />
        </Link>
      ),
  },
  {
    name: 'key',
    title: 'Key',
    widthRem: 7.5,
    cell: ({ key }) => (key === undefined ? undefined : <Foreign text={key} longest={60} />),
  },
  { name: 'run', title: 'Run', widthRem: 13.5, cell: ({ runId }) => <code>{lineOf(runId, 80)}</code> },
];

/** The columns of a choice, a list of names with commas; the usual ones when it is empty. */
export function chosenColumns(choice: string): readonly Column[] {
  const names = new Set(choice.split(','));
  return columns.filter(({ name, isUsual, isNeeded }) =>
    choice === '' ? isUsual === true : isNeeded === true || names.has(name),
  );
}

/** The choice with one column turned on or off. */
export function withColumn(choice: string, name: string, isShown: boolean): string {
  const names = new Set(chosenColumns(choice).map((column) => column.name));
  if (isShown) names.add(name);
  else names.delete(name);
  const chosen = columns.filter((column) => names.has(column.name)).map((column) => column.name);
  return chosen.join(',') ===
    chosenColumns('')
      .map((column) => column.name)
      .join(',')
    ? ''
    : chosen.join(',');
}

/** For the style sheet: the tracks of a row, and what they need. */
export function tracksOf(shown: readonly Column[]): Readonly<Record<'--tracks' | '--least', string>> {
  const tracks = shown.map(({ widthRem }) =>
    widthRem === undefined ? `minmax(${leastRem}rem, 1fr)` : `${widthRem}rem`,
  );
  const leastOf = shown.reduce((sum, { widthRem = leastRem }) => sum + widthRem, 1);
  return { '--tracks': tracks.join(' '), '--least': `${leastOf}rem` };
}

function total(field: keyof RunRowTotals): (run: RunRow) => number | undefined {
  return ({ totals }) => totals?.[field];
}

interface Figure {
  readonly widthRem: number;
  readonly countOf: (run: RunRow) => number | undefined;
  /** When it is not 0. */
  readonly tone?: string;
}

function figure(name: string, title: string, { widthRem, countOf, tone }: Figure) {
  const cell = (run: RunRow): string => {
    const count = countOf(run);
    return count === undefined ? '' : countText(count);
  };
  const look = (run: RunRow): string =>
    (countOf(run) ?? 0) === 0 ? 'faint' : tone === undefined ? '' : `tone-${tone}`;
  return { name, title, widthRem, isFigure: true, cell, look } as const;
}
