/** The result of a run as a command ends with it: the answer, or what is waited for and how to answer. */
import type { Failure } from '../call/outcome.ts';
import type { RunResult, WaitingRun } from '../facade/run-result.ts';
import type { Store, WaitReason } from '../journal/store.ts';
import { manyLines, oneLine } from '../trace/safe-text.ts';
import { failureText } from '../trace/span-words.ts';
import { traceOf } from '../trace/trace-of.ts';
import { totalsText } from '../trace/waterfall.ts';
import type { CommandText } from './command-text.ts';
import { type ExitName, exitOfRun } from './exit-code.ts';
import { wholeJournal } from '../journal/read-appends.ts';
import type { Terminal } from './terminal.ts';

export interface Report {
  readonly exit: ExitName;
  /** What `--json` prints of it. */
  readonly json: RunResult & { readonly next?: readonly string[] };
}

export interface ReportOptions {
  readonly terminal: Terminal;
  readonly commandText: CommandText;
}

/** Says how a run ended or what it waits for, and gives what a script needs of it. */
export async function reportResult(result: RunResult, store: Store, options: ReportOptions): Promise<Report> {
  const { terminal, commandText } = options;
  const trace = traceOf(await wholeJournal(store, result.runId));
  const exit = exitOfRun(result, trace);
  if (result.status === 'waiting') {
    const next = nextCommands(result, commandText);
    for (const reason of result.on) terminal.note(`${result.runId} waits: ${waitText(reason, Date.now())}`);
    for (const command of next) terminal.note(`  ${command}`);
    return { exit, json: { ...result, next } };
  }
  if (result.output !== null) for (const line of outputLines(result.output)) terminal.say(line);
  terminal.note(`${result.runId} ${result.status}${causeText(result.failure)}`);
  if (exit === 'denied') terminal.note('A call of it was denied.');
  if (exit === 'in-doubt') terminal.note('A call of it is still in doubt; the model was told.');
  const next = await undoCommands(result, store, commandText);
  for (const command of next) terminal.note(`  ${command}`);
  terminal.note(totalsText(trace.totals));
  return { exit, json: next.length === 0 ? result : { ...result, next } };
}

/** How an undo that stopped is gone on with, once what stood in its way is mended, or past it. */
async function undoCommands(
  { runId, failure }: Exclude<RunResult, WaitingRun>,
  store: Store,
  commandText: CommandText,
): Promise<readonly string[]> {
  if (failure?.code !== 'undo-incomplete') return [];
  // What an undo is listed under is the run that it takes back.
  const of = (await store.run(runId))?.subject;
  return of === undefined ? [] : [commandText('undo', of, '--again'), commandText('undo', of, '--again', '--skip')];
}

/** In full, also where it was told on the way: who looks at the last line alone must know why. */
function causeText(failure: Failure | undefined): string {
  return failure === undefined ? '' : `: ${oneLine(failureText(failure))}`;
}

function outputLines(output: Exclude<RunResult, WaitingRun>['output']): readonly string[] {
  return typeof output === 'string' ? manyLines(output) : manyLines(JSON.stringify(output, undefined, 2));
}

/** What a run waits for, in words. Safe to print. */
export function waitText(reason: WaitReason, nowMs: number): string {
  switch (reason.kind) {
    case 'approval':
      return `a person decides about call ${oneLine(reason.callId)} (until ${new Date(reason.expiresAtMs).toISOString()})`;
    case 'authorization': {
      const where = reason.url === undefined ? '' : ` at ${oneLine(reason.url)}`;
      const until = new Date(reason.expiresAtMs).toISOString();
      return `a person authorises ${oneLine(reason.upstream)}${where} for call ${oneLine(reason.callId)} (until ${until}): ${oneLine(reason.message)}`;
    }
    case 'doubt':
      return `a person says what happened to call ${oneLine(reason.callId)}, which is in doubt`;
    case 'message':
      return 'a message';
    case 'timer':
      return reason.dueAtMs > nowMs
        ? `until ${new Date(reason.dueAtMs).toISOString()}`
        : `for a driver, since ${new Date(reason.dueAtMs).toISOString()}`;
    case 'held':
      return `held: ${oneLine(reason.reason)}`;
  }
}

/** The exact commands that answer. */
export function nextCommands(
  { runId, on }: Pick<WaitingRun, 'runId' | 'on'>,
  commandText: CommandText,
): readonly string[] {
  // Calls that wait for one authorisation are freed by one answer.
  const questions = on.filter(
    (reason, index) =>
      reason.kind !== 'authorization' ||
      on.findIndex((other) => 'authorizationId' in other && other.authorizationId === reason.authorizationId) === index,
  );
  return questions.flatMap((reason) => {
    switch (reason.kind) {
      case 'approval':
        return [
          commandText('approve', `${runId}/${oneLine(reason.callId)}`),
          commandText('deny', `${runId}/${oneLine(reason.callId)}`),
        ];
      case 'authorization': {
        const target = `${runId}/${oneLine(reason.callId)}`;
        return [commandText('authorize', target), commandText('authorize', target, '--deny')];
      }
      case 'doubt': {
        const target = `${runId}/${oneLine(reason.callId)}`;
        return [
          commandText('resolve', target, '--happened'),
          commandText('resolve', target, '--not-happened', '--then', 'retry'),
          commandText('resolve', target, '--not-happened', '--then', 'fail'),
        ];
      }
      case 'message':
        return [commandText('send', runId, 'TEXT')];
      case 'held':
        // It goes on when what the reason names is back; where that will never be, it can only be given up.
        return [commandText('resume', runId), commandText('cancel', runId)];
      case 'timer':
        return [commandText('resume', runId)];
    }
  });
}
