import { placedEntries } from '../../journal/placed-entries.ts';
import type { Append } from '../../journal/entry.ts';
import type { RunSummary } from '../../journal/store.ts';
import { findSpans, onlyFound, readFilter } from '../../trace/filter/find-spans.ts';
import { SpanTableBuilder } from '../../trace/table/table-builder.ts';
import { entryLines } from '../../trace/entry-list.ts';
import type { SpanFilter } from '../../trace/filter/span-filter.ts';
import { traceOf } from '../../trace/trace-of.ts';
import { withUndone } from '../../trace/undone.ts';
import { renderWaterfall } from '../../trace/waterfall.ts';
import type { ContextView } from '../../inspect/context/context-view.ts';
import { contextLines, contextOfStep } from '../context-text.ts';
import type { Terminal } from '../terminal.ts';
import { defined } from '../../util/defined.ts';
import type { Command, Invocation } from '../command.ts';
import type { CommandText } from '../command-text.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { wholeJournal } from '../../journal/read-appends.ts';
import { nextCommands, waitText } from '../report-result.ts';
import { type DriverState, withClientStore } from '../store-place.ts';
import { transcriptLines, transcriptOf } from '../transcript-text.ts';

export const showCommand: Command = {
  name: 'show',
  about: 'show what happened in a run, as a waterfall',
  positionals: [{ name: 'RUN' }],
  options: {
    entries: { about: 'every entry of the journal with its fields' },
    transcript: { about: 'the conversation as the model sees it, word for word' },
    filter: {
      value: 'FILTER',
      about: 'only what a filter finds, such as "tool:send_mail status:error" (docs/seeing.md)',
    },
    context: { value: 'STEP', about: 'what the model saw in a step, block by block, and what was new in it' },
    width: { value: 'COLUMNS', about: 'columns of a line, 60 to 400 (default: those of the terminal, else 100)' },
    ascii: { about: 'draw with plain ASCII' },
  },
  details:
    'RUN is a whole id, the beginning of one, or last. With --json it prints summary, trace and entries; with --filter also which spans it found; with --transcript the conversation too; with --context that view alone.',
  examples: [
    'axle show last',
    'axle show last --filter "kind:call status:error dur:>2s"',
    'axle show run_0fj3k --entries',
    'axle show last --transcript',
    'axle show last --context 3',
    'axle show last --json',
  ],
  run: showRun,
};

async function showRun(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  if (invocation.has('entries') && invocation.has('transcript') && !terminal.isJson) {
    throw invocation.usage('--entries and --transcript exclude each other.');
  }
  const filterText = invocation.text('filter');
  if (filterText !== undefined && (invocation.has('entries') || invocation.has('transcript'))) {
    throw invocation.usage('--filter shows spans, so it goes with neither --entries nor --transcript.');
  }
  const step = stepOf(invocation);
  const filter = filterText === undefined ? undefined : readFilter(filterText);
  const width = widthOf(invocation);
  const { takenBackFrom } = await import('../../facade/undo-run.ts');
  const { loadRun } = await import('../../run/load-run.ts');
  await withClientStore(place, async (store, driver) => {
    const summary = await findRun(store, invocation.argument(0));
    const appends = await wholeJournal(store, summary.runId);
    const whole = withUndone(traceOf(appends), await takenBackFrom(store, summary.runId));
    const matches = filter === undefined ? undefined : matchesIn(appends, filter);
    const trace = matches === undefined ? whole : onlyFound(whole, matches.ids);
    if (step !== undefined) {
      showContext(terminal, await contextOfStep(store, { runId: summary.runId, appends, step }), width);
      return;
    }
    const loaded = invocation.has('transcript') ? await loadRun(store, summary.runId) : undefined;
    if (terminal.isJson) {
      const conversation = loaded === undefined ? {} : { transcript: transcriptOf(loaded.state) };
      terminal.json({
        summary,
        trace,
        entries: appends.flatMap(placedEntries),
        ...conversation,
        ...defined({ matches }),
      });
    } else if (loaded !== undefined) {
      for (const line of transcriptLines(loaded.state)) terminal.say(line);
    } else if (invocation.has('entries')) {
      for (const line of entryLines(appends)) terminal.say(line);
    } else {
      const timeText = (atMs: number): string => new Date(atMs).toISOString();
      const ascii = terminal.isAscii || invocation.has('ascii');
      terminal.say(renderWaterfall(trace, { width, ascii, colours: terminal.hasColours, timeText }).trimEnd());
      if (matches !== undefined) terminal.say(`${matches.ids.length} of ${matches.of} spans match ${filterText}`);
      for (const line of waitLines(summary, driver, invocation.commandText)) terminal.say(line);
    }
  });
  return 'ok';
}

/** The step that `--context` names. */
function stepOf(invocation: Invocation): number | undefined {
  const asked = invocation.text('context');
  if (asked === undefined) return undefined;
  if (
    ['filter', 'entries', 'transcript'].some((other) => invocation.has(other) || invocation.text(other) !== undefined)
  ) {
    throw invocation.usage('--context is shown by itself.');
  }
  const step = Number(asked);
  if (Number.isInteger(step) && step >= 1) return step;
  throw invocation.usage(`--context takes the number of a step, and not ${asked}.`);
}

function showContext(terminal: Terminal, view: ContextView, width: number): void {
  if (terminal.isJson) terminal.json(view);
  else for (const line of contextLines(view, width)) terminal.say(line);
}

/** What a filter finds, of how many spans. */
function matchesIn(
  appends: readonly Append[],
  filter: SpanFilter,
): { readonly ids: readonly string[]; readonly of: number } {
  const builder = new SpanTableBuilder();
  for (const append of appends) builder.take(append);
  return { ids: findSpans(builder, filter).ids, of: builder.rowCount };
}

function widthOf({ terminal, text, usage }: Invocation): number {
  const asked = text('width');
  if (asked === undefined) return terminal.width ?? 100;
  const width = Number(asked);
  if (!Number.isInteger(width) || width < 60 || width > 400) {
    throw usage(`--width is a whole number from 60 to 400, and not ${asked}.`);
  }
  return width;
}

/** What the run waits for and how to answer. */
function waitLines({ runId, status }: RunSummary, driver: DriverState, commandText: CommandText): readonly string[] {
  if (status.state === 'ended') return [];
  if (status.state === 'active') return ['', activeText(driver, commandText('resume', runId))];
  return [
    '',
    ...status.waitingOn.map((reason) => `It waits: ${waitText(reason, Date.now())}`),
    ...nextCommands({ runId, on: status.waitingOn }, commandText).map((command) => `  ${command}`),
  ];
}

function activeText(driver: DriverState, resume: string): string {
  switch (driver.kind) {
    case 'running':
      return `It is at work: process ${driver.pid} drives this store.`;
    case 'none':
      return `Nobody drives this store. It goes on with: ${resume}`;
    case 'unknown':
      return 'It is at work, or goes on when a driver starts.';
  }
}
