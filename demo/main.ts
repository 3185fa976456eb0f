/**
 * The main job, which `npm start` shows: an agent looks up the weather, advises what to wear, writes a memo and e-mails it, while services
 * stumble and its process is killed. The verdict reads the memo and the ledgers of other processes. See `docs/main-job.md`.
 */
import process from 'node:process';
import { isatty } from 'node:tty';
import { messageOf } from '../src/error/axle-error.ts';
import { readCommandLine, help, type DemoOptions } from './main-job/command-line.ts';
import { preparePage, servePage } from './main-job/page.ts';
import { axleCommand, describeStory, toReport } from './main-job/report.ts';
import { type Setup, superviseMainJob } from './main-job/supervisor.ts';
import { judge } from './main-job/verdict.ts';
import { FolderError, openWorkFolder, type WorkFolder } from './main-job/work-folder.ts';
import { realModel } from './model.ts';

const recipient = 'traveller@example.com';
const task = `Look up tomorrow's weather in Beijing, advise what to wear, write a travel memo and e-mail it to ${recipient}.`;

const scriptedLimitMs = 60_000;
const realLimitMs = 300_000;
/** With somebody to answer: they may be at lunch. */
const attendedLimitMs = 3_600_000;

class Interrupted extends Error {}

/** Aborts on the first signal that asks the process to end, or when nobody reads it any more; the second signal ends it at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const out of [process.stdout, process.stderr]) out.on('error', () => controller.abort(new Interrupted()));
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort(new Interrupted());
    });
  }
  return controller.signal;
}

async function main(words: readonly string[]): Promise<number> {
  const commandLine = readCommandLine(words);
  if (commandLine.kind === 'help') {
    process.stdout.write(help);
    return 0;
  }
  if (commandLine.kind === 'invalid') {
    process.stderr.write(`${commandLine.message}\n\n${help}`);
    return 2;
  }
  const { options } = commandLine;
  const signal = interruption();
  const folder = openWorkFolder(options.folder, options);
  try {
    return await show(folder, options, signal);
  } finally {
    folder.release();
  }
}

async function show(folder: WorkFolder, options: DemoOptions, signal: AbortSignal): Promise<number> {
  const out = options.json ? process.stderr : process.stdout;
  const print = (line: string): void => void out.write(`${line}\n`);
  const isAttended = !options.once && !options.json && isatty(process.stdin.fd) && isatty(out.fd);
  const model = realModel();
  print(`Asked: ${task}`);
  print(
    model === undefined
      ? 'The model is scripted; with OPENAI_API_KEY, ANTHROPIC_API_KEY or AXLE_MODEL set, a real one does it.'
      : `The model is ${model.provider} ${model.modelId}.`,
  );
  if (folder.isResumed) print(`Going on with the run in ${folder.path}; what it did before is in its journal.`);
  const { page } = options;
  const pageFolder = page === undefined ? undefined : await preparePage(print);
  signal.throwIfAborted();
  print('');
  const startedAtMs = Date.now();
  const say = (line: string, atMs = Date.now()): void =>
    print(`${(Math.max(0, atMs - startedAtMs) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const setup: Setup = {
    folder,
    task,
    say,
    signal,
    isModelScripted: model === undefined,
    kills: options.kills,
    unattended: options.once,
    limitMs: !options.once ? attendedLimitMs : model === undefined ? scriptedLimitMs : realLimitMs,
    commands: { approve: axleCommand('approve last', folder), resolve: axleCommand('resolve --help', folder) },
    stays: isAttended && pageFolder !== undefined,
    show:
      page === undefined || pageFolder === undefined
        ? undefined
        : (axle, runId) =>
            servePage({ axle, runId, folder: pageFolder }, { port: page.port, mayOpen: page.opens && isAttended, say }),
  };
  return superviseMainJob(setup, async (story, over) => {
    const finished = story.events.find(({ entry }) => entry.type === 'run-finished');
    const ending = finished?.entry.type === 'run-finished' ? finished.entry.ending : undefined;
    const verdict = judge(folder, { address: recipient, ending });
    const report = toReport(story, verdict, {
      folder,
      model: model === undefined ? 'scripted' : `${model.provider} ${model.modelId}`,
      tookMs: Date.now() - startedAtMs,
    });
    for (const line of describeStory(story, report, out)) print(line);
    if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
    if (isAttended && story.page !== undefined) await stay(story.page, { print, signal, over });
    return verdict.ok ? 0 : 1;
  });
}

/** Keeps the page until somebody says Ctrl-C. @throws the reason of `over` when something else has ended it. */
async function stay(
  address: string,
  {
    print,
    signal,
    over,
  }: { readonly print: (line: string) => void; readonly signal: AbortSignal; readonly over: AbortSignal },
): Promise<void> {
  print(`Look at it now:   ${address}`);
  print('The page and a worker stay until Ctrl-C: fork the run there, and see it go on otherwise.');
  await aborted(over);
  if (!signal.aborted) throw over.reason;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (error) {
  if (error instanceof Interrupted) {
    process.stderr.write(
      '\nInterrupted; everything that was started has been ended. `npm start -- --resume` goes on where it stopped.\n',
    );
    process.exit(130);
  }
  // Whoever reads JSON reads it also when nothing came of it.
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify({ ok: false, problems: [messageOf(error)] })}\n`);
  }
  process.stderr.write(`\n${error instanceof FolderError ? '' : 'Not done. '}${messageOf(error)}\n`);
  process.exit(1);
}
