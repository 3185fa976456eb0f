/** What the answering commands share: find the run, post, say what becomes of it, and drive it with `--resume`. */
import type { ErrorCode } from '../error/catalogue.ts';
import { AxleError } from '../error/axle-error.ts';
import type { Answers } from '../facade/answers.ts';
import type { RunHandle } from '../facade/run-handle.ts';
import type { RunSummary, Store } from '../journal/store.ts';
import { systemTimers } from '../util/system-clock.ts';
import type { Invocation, OptionDeclaration } from './command.ts';
import { driveRun } from './drive.ts';
import type { ExitName } from './exit-code.ts';
import { findRun } from './find-run.ts';
import { type ContractLookup, contractLookup } from './known-contracts.ts';
import { type DriverState, withClientStore } from './store-place.ts';

export const answerOptions: Readonly<Record<string, OptionDeclaration>> = {
  resume: { about: 'then drive the run until it rests (needs the configuration)' },
};

export interface AnswerTools {
  readonly store: Store;
  readonly answers: Answers;
  readonly summary: RunSummary;
  readonly handle: RunHandle;
  /** What the configuration declares, where the command looks at one. */
  readonly contract: ContractLookup;
}

/** Posts with `post`, which gives what `--json` prints of it. */
export async function answerRun(
  invocation: Invocation,
  runName: string,
  post: (tools: AnswerTools) => Promise<{ readonly done: string; readonly json: Readonly<Record<string, unknown>> }>,
): Promise<ExitName> {
  const { terminal, place, commandText } = invocation;
  const resumes = invocation.has('resume');
  const { Answers } = await import('../facade/answers.ts');
  const { RunHandle } = await import('../facade/run-handle.ts');
  const { LiveRuns } = await import('../live/live-runs.ts');
  if (resumes) await place.config();
  const { before, driver, json } = await withClientStore(place, async (store, found) => {
    const summary = await findRun(store, runName);
    const handle = new RunHandle(summary.runId, {
      store,
      live: new LiveRuns({ store, timers: systemTimers }),
      timers: systemTimers,
      nowMs: Date.now,
      dispatcher: undefined,
    });
    const contract = contractLookup(await place.knownConfig());
    const answers = new Answers(store, Date.now, contract);
    const posted = await post({ store, answers, summary, handle, contract });
    const say = resumes ? terminal.note : terminal.say;
    say(`${posted.done} ${resumes ? '' : whatNext(found, commandText('resume', summary.runId))}`.trimEnd());
    return { before: summary, driver: found, json: posted.json };
  });
  if (resumes) {
    return driveRun(invocation, async (axle) => ({
      run: axle.run(before.runId),
      options: { after: before, isPosted: true },
    }));
  }
  if (terminal.isJson) terminal.json({ runId: before.runId, ...json, recorded: true, driver: driver.kind });
  return 'ok';
}

function whatNext(driver: DriverState, resume: string): string {
  switch (driver.kind) {
    case 'running':
      return `Recorded; the running driver (process ${driver.pid}) goes on with it.`;
    case 'none':
      return `Recorded; it runs when a driver starts: ${resume}`;
    case 'unknown':
      return 'Recorded.';
  }
}

/** The one open question that is meant: by its call, or the only one there is. */
export function pickOne<T extends { readonly callId: string }>(
  open: readonly T[],
  wanted: {
    readonly runId: string;
    readonly callId: string | undefined;
    readonly what: string;
    /** The whole command line that answers a call, and the one that shows the run. */
    readonly command: (target: string) => string;
    readonly show: string;
  },
): T {
  const { runId, callId, what, command, show } = wanted;
  const fault = (code: ErrorCode, message: string, remedy: string): AxleError =>
    new AxleError(code, message, { remedy });
  const candidates = callId === undefined ? open : open.filter((each) => each.callId === callId);
  const [first, second] = candidates;
  if (first === undefined) {
    const which =
      callId === undefined ? `Run ${runId} has no ${what}` : `The call ${callId} of run ${runId} is no ${what}`;
    const others = open.length === 0 ? '' : ` Open are: ${open.map((each) => each.callId).join(', ')}.`;
    throw fault('decision-invalid', `${which}.${others}`, `${show} says where it stands.`);
  }
  if (second !== undefined) {
    throw fault(
      'usage-invalid',
      `Run ${runId} has ${open.length} of them: ${open.map((each) => each.callId).join(', ')}.`,
      `Name one: ${open.map((each) => command(`${runId}/${each.callId}`)).join(' or ')}`,
    );
  }
  return first;
}
