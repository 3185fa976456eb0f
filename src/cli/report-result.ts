/** The result of a run as a command ends with it: the answer, or what is waited for and how to answer. */
import type { RunResult, WaitingRun } from '../facade/run-result.ts';
import type { Store, WaitReason } from '../journal/store.ts';
import { manyLines, oneLine } from '../trace/safe-text.ts';
import { failureText } from '../trace/span-words.ts';
import { traceOf } from '../trace/trace-of.ts';
import { totalsText } from '../trace/waterfall.ts';
import { type ExitName, exitOfRun } from './exit-code.ts';
import { readJournal } from './read-journal.ts';
import type { Terminal } from './terminal.ts';

export interface Report {
  readonly exit: ExitName;
  /** What `--json` prints of it. */
  readonly json: RunResult & { readonly next?: readonly string[] };
}

/** Says how a run ended or what it waits for, and gives what a script needs of it. */
export async function reportResult(result: RunResult, store: Store, terminal: Terminal): Promise<Report> {
  const trace = traceOf(await readJournal(store, result.runId));
  const exit = exitOfRun(result, trace);
  if (result.status === 'waiting') {
    const next = nextCommands(result);
    for (const reason of result.on) terminal.note(`${result.runId} waits: ${waitText(reason)}`);
    for (const command of next) terminal.note(`  ${command}`);
    return { exit, json: { ...result, next } };
  }
  if (result.output !== null) for (const line of outputLines(result.output)) terminal.say(line);
  terminal.note(
    `${result.runId} ${result.status}${result.failure === undefined ? '' : `: ${oneLine(failureText(result.failure))}`}`,
  );
  if (exit === 'denied') terminal.note('A call of it was denied.');
  if (exit === 'in-doubt') terminal.note('A call of it is still in doubt; the model was told.');
  terminal.note(totalsText(trace.totals));
  return { exit, json: result };
}

function outputLines(output: Exclude<RunResult, WaitingRun>['output']): readonly string[] {
  return typeof output === 'string' ? manyLines(output) : manyLines(JSON.stringify(output, undefined, 2));
}

/** What a run waits for, in words. Safe to print. */
export function waitText(reason: WaitReason): string {
  switch (reason.kind) {
    case 'approval':
      return `a person decides about call ${reason.callId} (until ${new Date(reason.expiresAtMs).toISOString()})`;
    case 'doubt':
      return `a person says what happened to call ${reason.callId}, which is in doubt`;
    case 'message':
      return 'a message';
    case 'timer':
      return `until ${new Date(reason.dueAtMs).toISOString()}`;
    case 'held':
      return `held: ${oneLine(reason.reason)}`;
  }
}

/** The exact commands that answer. */
export function nextCommands({ runId, on }: Pick<WaitingRun, 'runId' | 'on'>): readonly string[] {
  return on.flatMap((reason) => {
    switch (reason.kind) {
      case 'approval':
        return [`axle approve ${runId}/${reason.callId}`, `axle deny ${runId}/${reason.callId}`];
      case 'doubt':
        return [
          `axle resolve ${runId}/${reason.callId} --happened`,
          `axle resolve ${runId}/${reason.callId} --not-happened --then retry`,
        ];
      case 'message':
        return [`axle send ${runId} TEXT`];
      case 'held':
        return [`axle cancel ${runId}`];
      case 'timer':
        return [`axle resume ${runId}`];
    }
  });
}
