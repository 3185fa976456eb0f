import type { Append } from '../../journal/entry.ts';
import type { RunSummary } from '../../journal/store.ts';
import { loadRun } from '../../run/load-run.ts';
import { entryLines } from '../../trace/entry-list.ts';
import { traceOf } from '../../trace/trace-of.ts';
import { renderWaterfall } from '../../trace/waterfall.ts';
import type { Command, Invocation } from '../command.ts';
import type { CommandText } from '../command-text.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { readJournal } from '../read-journal.ts';
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
    width: { value: 'COLUMNS', about: 'columns of a line, 60 to 400 (default: those of the terminal, else 100)' },
    ascii: { about: 'draw with plain ASCII' },
  },
  details:
    'RUN is a whole id, the beginning of one, or last. With --json it prints summary, trace and entries; with --transcript the conversation too.',
  examples: ['axle show last', 'axle show run_0fj3k --entries', 'axle show last --transcript', 'axle show last --json'],
  run: showRun,
};

async function showRun(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  if (invocation.has('entries') && invocation.has('transcript') && !terminal.isJson) {
    throw invocation.usage('--entries and --transcript exclude each other.');
  }
  const width = widthOf(invocation);
  await withClientStore(place, async (store, driver) => {
    const summary = await findRun(store, invocation.argument(0));
    const appends = await readJournal(store, summary.runId);
    const loaded = invocation.has('transcript') ? await loadRun(store, summary.runId) : undefined;
    if (terminal.isJson) {
      const conversation = loaded === undefined ? {} : { transcript: transcriptOf(loaded.state) };
      terminal.json({ summary, trace: traceOf(appends), entries: entriesOf(appends), ...conversation });
    } else if (loaded !== undefined) {
      for (const line of transcriptLines(loaded.state)) terminal.say(line);
    } else if (invocation.has('entries')) {
      for (const line of entryLines(appends)) terminal.say(line);
    } else {
      const timeText = (atMs: number): string => new Date(atMs).toISOString();
      const ascii = terminal.isAscii || invocation.has('ascii');
      terminal.say(
        renderWaterfall(traceOf(appends), { width, ascii, colours: terminal.hasColours, timeText }).trimEnd(),
      );
      for (const line of waitLines(summary, driver, invocation.commandText)) terminal.say(line);
    }
  });
  return 'ok';
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

function entriesOf(appends: readonly Append[]): readonly unknown[] {
  return appends.flatMap(({ epoch, firstSeq, atMs, entries }) =>
    entries.map((entry, index) => ({ id: `${epoch}.${firstSeq + index}`, seq: firstSeq + index, epoch, atMs, entry })),
  );
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
