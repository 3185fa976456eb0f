import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import process from 'node:process';
import { AxleError } from '../../error/axle-error.ts';
import { runEndings } from '../../journal/entry.ts';
import type { Store } from '../../journal/store.ts';
import { defined } from '../../util/defined.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';
import { findRun } from '../find-run.ts';
import { withClientStore } from '../store-place.ts';

export const exportCommand: Command = {
  name: 'export',
  about: 'write runs as files: whole, or in a form that other programs read',
  positionals: [{ name: 'RUN', isRest: true }],
  options: {
    format: {
      value: 'FORMAT',
      about: 'axle (a run file, which loses nothing and can be imported; the default), atif, chat or otel',
    },
    out: { value: 'FILE', about: 'write to a file, which is replaced (default: standard output)' },
    only: { value: 'ENDINGS', about: `only runs that ended so: ${runEndings.join(', ')}; several with commas` },
    agent: { value: 'NAME', about: 'without RUN: only runs of this agent' },
    limit: { value: 'COUNT', about: 'without RUN: at most this many, newest first (default 1000)' },
  },
  details:
    'Without RUN, all runs that have ended are exported, or those that --only and --agent choose; a run file holds one run. Several runs stand one a line.',
  examples: [
    'axle export last --out run.jsonl',
    'axle export run_0fj3k --format atif',
    'axle export --format chat --only completed --agent support --out training.jsonl',
  ],
  run: exportRuns,
};

async function exportRuns(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  const { exportFormats, exportRun } = await import('../../export/export-run.ts');
  const wanted = invocation.text('format') ?? 'axle';
  const format = exportFormats.find((each) => each === wanted);
  if (format === undefined) throw invocation.usage(`--format is ${exportFormats.join(', ')}, and not ${wanted}.`);
  const out = invocation.text('out');
  if (terminal.isJson && out === undefined) throw invocation.usage('--json goes with --out FILE.');
  await withClientStore(place, async (store) => {
    const runIds = await chosenRuns(invocation, store);
    if (format === 'axle' && runIds.length !== 1) {
      throw invocation.usage(`A run file holds one run, and ${runIds.length} were chosen.`);
    }
    let written = 0;
    const texts = async function* (): AsyncGenerator<string> {
      for (const runId of runIds) {
        let pieces = 0;
        for await (const text of exportRun(store, runId, format)) {
          yield text;
          pieces += 1;
        }
        if (pieces > 0) written += 1;
      }
    };
    if (out === undefined) for await (const text of texts()) terminal.say(text.trimEnd());
    else await writeFile(out, texts());
    if (terminal.isJson) terminal.json({ format, out, runs: written, chosen: runIds.length });
    else terminal.note(summary({ written, chosen: runIds.length, ...defined({ out }) }));
  });
  return 'ok';
}

function summary({ written, chosen, out }: { written: number; chosen: number; out?: string }): string {
  const left = chosen === written ? '' : `; ${chosen - written} had no conversation and were left out`;
  return `${written} ${written === 1 ? 'run' : 'runs'} exported${out === undefined ? '' : ` to ${out}`}${left}.`;
}

async function chosenRuns(invocation: Invocation, store: Store): Promise<readonly string[]> {
  const names = invocation.restArguments(0);
  const only = endingsOf(invocation);
  if (names.length > 0) {
    if (invocation.has('agent') || invocation.has('limit')) {
      throw invocation.usage('--agent and --limit choose among all runs, so they do not go with RUN.');
    }
    const found = await Promise.all(names.map(async (name) => findRun(store, name)));
    return found
      .filter(({ status }) => only === undefined || only.some((ending) => ending === status.ending))
      .map(({ runId }) => runId);
  }
  const asked = invocation.text('limit');
  const limit = Number(asked ?? 1_000);
  if (!Number.isInteger(limit) || limit < 1) {
    throw invocation.usage(`--limit is a whole number from 1, and not ${asked}.`);
  }
  const { endedRuns } = await import('../../export/export-run.ts');
  const runIds: string[] = [];
  const chosen = endedRuns(store, { limit, ...defined({ only, subject: invocation.text('agent') }) });
  for await (const runId of chosen) runIds.push(runId);
  return runIds;
}

function endingsOf(invocation: Invocation): readonly (typeof runEndings)[number][] | undefined {
  return invocation.list('only')?.map((word) => {
    const ending = runEndings.find((each) => each === word);
    if (ending === undefined) throw invocation.usage(`--only takes ${runEndings.join(', ')}, and not ${word}.`);
    return ending;
  });
}

/** The file is there when it is whole, and not before. */
async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const part = `${path}.${process.pid}.part`;
  const file = createWriteStream(part);
  try {
    await once(file, 'open');
    for await (const text of texts) if (!file.write(text)) await once(file, 'drain');
    file.end();
    await once(file, 'close');
    await rename(part, path);
  } catch (cause) {
    file.destroy();
    await rm(part, { force: true });
    if (cause instanceof AxleError) throw cause;
    throw new AxleError('usage-invalid', `${path} could not be written.`, { cause, remedy: 'Check --out.' });
  }
}
