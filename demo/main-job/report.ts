/** What the demo says at the end: the verdict, the figures, and how to look at the run. */
import { relative } from 'node:path';
import process from 'node:process';
import { renderWaterfall } from '../../src/trace/waterfall.ts';
import { traceOf } from '../../src/trace/trace-of.ts';
import { countFigures, type Figures } from './figures.ts';
import type { Story } from './supervisor.ts';
import type { Verdict } from './verdict.ts';
import type { WorkFolder } from './work-folder.ts';

export interface Report extends Verdict {
  readonly runId: string;
  readonly model: string;
  readonly folder: string;
  readonly store: string;
  readonly tookMs: number;
  /** Times that the demo killed the worker with SIGKILL. */
  readonly kills: number;
  readonly figures: Figures;
  /** The command that shows the run. */
  readonly show: string;
}

/** A command of `axle` for the store of the demo, as it is typed in a clone. */
export function axleCommand(name: string, folder: WorkFolder): string {
  const near = relative(process.cwd(), folder.store);
  const path = near.startsWith('..') ? folder.store : near;
  return `npm run -s axle -- ${name} --store ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`;
}

export interface Circumstances {
  readonly folder: WorkFolder;
  readonly model: string;
  readonly tookMs: number;
}

export function toReport(story: Story, verdict: Verdict, { folder, model, tookMs }: Circumstances): Report {
  return {
    ...verdict,
    runId: story.runId,
    model,
    folder: folder.path,
    store: folder.store,
    tookMs,
    kills: story.kills,
    figures: countFigures(story.events),
    show: axleCommand('show last', folder),
  };
}

/** Where the end of the story is printed; a file has neither. */
export interface Terminal {
  readonly columns?: number;
  readonly isTTY?: boolean;
}

/** The end of the story, line by line. */
export function describeStory(story: Story, report: Report, out: Terminal): readonly string[] {
  const { figures } = report;
  const waterfall = renderWaterfall(traceOf(story.appends), {
    width: Math.min(140, out.columns ?? 100),
    brief: true,
    colours: out.isTTY === true,
  });
  return [
    '',
    ...waterfall.trimEnd().split('\n'),
    '',
    'What happened, from the journal and from the ledgers of the other processes:',
    `  attempts   ${figures.attempts} for ${figures.calls} calls: ${figures.timeouts} timed out, ${figures.cutOff} cut off by a kill; the weather service saw ${report.weatherRequests} requests`,
    `  repairs    ${figures.repairs} of the model's arguments, without asking it again`,
    `  waits      ${figures.waits} between attempts, ${figures.retryAfterWaits} of them as long as the service asked`,
    `  told       failures that no retry can help, for the model to act on: ${figures.failuresTold} (changed format: ${figures.changedFormats})`,
    `  approvals  ${figures.approvalsAsked} asked, ${figures.approvalsUsed} used`,
    `  kills      ${report.kills} (kill -9); the run was taken up from its journal ${figures.resumptions} times, waits outside of memory included`,
    `  doubts     ${figures.doubts}, ${figures.doubtsSettledByVerify} settled by asking the mail service what it had got`,
    `  model      ${figures.modelCalls} calls, ${figures.inputTokens} tokens in, ${figures.outputTokens} out (${report.model})`,
    `  memo       ${report.memos.length === 0 ? 'none' : report.memos.join(', ')} in ${report.folder}/memos`,
    `  e-mail     ${report.mails.length === 0 ? 'none arrived' : `${report.mails.length} arrived: ${report.mails.join(', ')}`}`,
    '',
    report.ok
      ? `Done in ${(report.tookMs / 1000).toFixed(1)} s: one memo, one e-mail, nothing twice.`
      : `Not done: ${report.problems.join(' ')}`,
    `Look at it again: ${report.show}`,
  ];
}
