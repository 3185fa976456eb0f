/**
 * The parent of the demo: starts the services and a worker, watches the worker's journal from outside, kills the worker twice at the worst
 * moments, starts the next one, and has a person (or, unattended, itself) approve the e-mail.
 *
 *   working ──weather is slow──► killed in a read ──► next worker ──► working ──mail has arrived──► killed in a write ──► next worker
 *                                                                                              the run has ended ◄──────────┘
 *                                                                                                      └──► conclude, with everything still there
 *
 * V1 It knows of the run what any other process can know: the committed entries, and the ledgers.
 * V2 Nothing that it started is left when it returns or throws. (crew.ts, C1)
 */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { type Append, type Axle, createAxle, isAxleError, type RunEvent } from '../../src/axle.ts';
import { isRecord } from '../../src/util/json.ts';
import { readLedger } from '../ledger.ts';
import type { WorkerSettings } from '../worker.ts';
import { askPerson, describeMail } from './ask-person.ts';
import type { DemoProcess } from './child-process.ts';
import { Crew } from './crew.ts';
import { Narrator } from './narrator.ts';
import type { ServedPage } from './page.ts';
import { startServices } from './services.ts';
import type { WorkFolder } from './work-folder.ts';

/** What a person types in another terminal. */
export interface Commands {
  readonly approve: string;
  readonly resolve: string;
}

export interface Setup {
  readonly folder: WorkFolder;
  readonly task: string;
  readonly isModelScripted: boolean;
  readonly kills: boolean;
  /** Approve without asking anybody. */
  readonly unattended: boolean;
  /** The whole demo may take this long, waits for a person included. */
  readonly limitMs: number;
  readonly commands: Commands;
  /** Tells a line of the story. */
  readonly say: (line: string, atMs?: number) => void;
  readonly signal: AbortSignal;
  /** The last worker drives on when the run has ended, for what a person starts on the page. */
  readonly stays: boolean;
  /** Shows the run while it goes on. Resolves with undefined when it is shown here alone. */
  readonly show: ((axle: Axle, runId: string) => Promise<ServedPage | undefined>) | undefined;
}

export interface Story {
  readonly runId: string;
  readonly events: readonly RunEvent[];
  readonly appends: readonly Append[];
  /** Workers that were killed. */
  readonly kills: number;
  /** Where the run is shown, as long as the demo is there. */
  readonly page: string | undefined;
}

/** The mail service keeps its answer back this long: enough to see the mail in its ledger and kill the worker. */
const mailReplyDelayMs = 3_000;
const lookEveryMs = 20;
const maxComplaints = 20;
/** A request reaches a service within this time, or it is not waited for. */
const arrivesWithinMs = 1_000;

/**
 * Does the main job once, to the end of the run, and resolves with what `conclude` makes of it: services, page and, with `stays`, the worker are there until then.
 * `conclude` also gets what aborts when they no longer are.
 * @throws the reason of `signal`, or an Error that says what went wrong.
 */
export async function superviseMainJob<T>(
  setup: Setup,
  conclude: (story: Story, over: AbortSignal) => Promise<T>,
): Promise<T> {
  const told = new Set<string>();
  const crew = new Crew((name, words) => {
    // A process that waits for the disk says so each time it looks; once is enough.
    if (told.has(words) || told.size >= maxComplaints) return;
    told.add(words);
    setup.say(`${name} says: ${words}`);
  });
  const startedAtMs = Date.now();
  try {
    const services = await startServices(crew, setup.folder, {
      isModelScripted: setup.isModelScripted,
      mailReplyDelayMs: setup.kills ? mailReplyDelayMs : 0,
    });
    setup.signal.throwIfAborted();
    setup.say(
      `Started, each as a process of its own: a weather service, a mail service${setup.isModelScripted ? ', a scripted model behind HTTP' : ''}.`,
    );
    const { folder, task, stays } = setup;
    const settings: WorkerSettings = { store: folder.store, task, memos: folder.memos, stays, ...services };
    const supervisor = new Supervisor(setup, { crew, settings, startedAtMs });
    return await supervisor.run(conclude);
  } finally {
    await crew.endAll();
  }
}

interface Means {
  readonly crew: Crew;
  readonly settings: WorkerSettings;
  readonly startedAtMs: number;
}

class Supervisor {
  readonly #setup: Setup;
  readonly #means: Means;
  readonly #narrator = new Narrator();
  readonly #events: RunEvent[] = [];
  readonly #toolsOfCalls = new Map<string, string>();
  #worker: DemoProcess | undefined;
  #workers = 0;
  #weatherAttempts = 0;
  #isOnPage = false;
  readonly #killed = { inRead: false, inWrite: false };
  /** The open question at the terminal. */
  #question: { readonly withdraw: AbortController; readonly done: Promise<void> } | undefined;

  constructor(setup: Setup, means: Means) {
    this.#setup = setup;
    this.#means = means;
  }

  async run<T>(conclude: (story: Story, over: AbortSignal) => Promise<T>): Promise<T> {
    const { folder, show, signal } = this.#setup;
    const runId = await this.#startWorker();
    // A client: it reads and answers, and drives nothing.
    await using axle = await createAxle({ store: folder.store, role: 'client' });
    const page = await show?.(axle, runId);
    this.#isOnPage = page !== undefined;
    try {
      await this.#watch(axle, runId);
      const appends = await axle.store.read(runId);
      const kills = Object.values(this.#killed).filter(Boolean).length;
      const story = { runId, events: this.#events, appends, kills, page: page?.address };
      return await conclude(story, AbortSignal.any([signal, this.#means.crew.trouble]));
    } finally {
      await page?.close();
    }
  }

  /** Follows the run to its end. */
  async #watch(axle: Axle, runId: string): Promise<void> {
    const { signal, limitMs } = this.#setup;
    const limit = AbortSignal.timeout(limitMs);
    const stop = AbortSignal.any([signal, limit, this.#means.crew.trouble]);
    try {
      for await (const event of axle.run(runId).events({ signal: stop })) {
        if (stop.aborted) break;
        await this.#follow(event, axle, stop);
      }
      if (limit.aborted) throw new Error(await outOfTime(axle, runId, limitMs));
      stop.throwIfAborted();
    } finally {
      this.#question?.withdraw.abort();
      await this.#question?.done;
    }
  }

  async #startWorker(): Promise<string> {
    const { crew, settings } = this.#means;
    this.#workers += 1;
    const name = `Worker ${this.#workers}`;
    const { process: worker, ready } = await crew.start('worker', [JSON.stringify(settings)], name);
    this.#worker = worker;
    const runId = ready.text('runId');
    this.#setup.say(`Started worker ${this.#workers} (process ${worker.pid}), which drives ${runId}.`);
    return runId;
  }

  async #follow(event: RunEvent, axle: Axle, stop: AbortSignal): Promise<void> {
    const { entry } = event;
    this.#events.push(event);
    const lines = this.#narrator.tell(event);
    // What an earlier demo left in the journal is not told again.
    const isNew = event.atMs >= this.#means.startedAtMs;
    if (isNew) for (const line of lines) this.#setup.say(line, event.atMs);
    if (entry.type === 'call-bound') {
      this.#toolsOfCalls.set(entry.call.callId, entry.call.tool);
    } else if (entry.type === 'call-decided') {
      if (entry.approval !== undefined) await this.#haveAnswered(entry.approval.approvalId, axle);
    } else if (entry.type === 'approval-answered' || entry.type === 'approval-expired') {
      this.#question?.withdraw.abort();
    } else if (entry.type === 'attempt-started') {
      const tool = this.#toolsOfCalls.get(entry.callId);
      if (tool === 'get_weather') await this.#killInRead(isNew, stop);
      if (tool === 'send_email') await this.#killInWrite(isNew, stop);
    } else if (entry.type === 'verify-finished') {
      if (entry.verdict.kind === 'unknown' && entry.retryAtMs === undefined) {
        const { resolve } = this.#setup.commands;
        throw new Error(
          `Its verify cannot tell whether call ${entry.callId} happened, so a person has to: ${resolve}\nAfter that, go on with: npm start -- --resume`,
        );
      }
    } else if (entry.type === 'run-held') {
      throw new Error(`The run is held: ${entry.reason} ${entry.remedy}`);
    }
  }

  /** Kills the worker while it waits for the one answer of the weather service that comes late. */
  async #killInRead(isNew: boolean, stop: AbortSignal): Promise<void> {
    this.#weatherAttempts += 1;
    if (!this.#setup.kills || this.#killed.inRead || !isNew) return;
    const { weatherLedger } = this.#setup.folder;
    await arrived(weatherLedger, this.#weatherAttempts, stop);
    const request = readLedger(weatherLedger)[this.#weatherAttempts - 1];
    if (!isRecord(request) || request['reaction'] !== 'slow') return;
    this.#killed.inRead = true;
    await this.#replaceWorker('while it waits for the weather. A read that was cut off is simply made again.');
  }

  /** Kills the worker when its mail has arrived and it has not been told so. */
  async #killInWrite(isNew: boolean, stop: AbortSignal): Promise<void> {
    if (!this.#setup.kills || this.#killed.inWrite || !isNew) return;
    if (!(await arrived(this.#setup.folder.mailLedger, 1, stop))) return;
    this.#killed.inWrite = true;
    await this.#replaceWorker('after the mail service has taken the e-mail, and before it says so.');
  }

  async #replaceWorker(moment: string): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await this.#means.crew.kill(worker);
    this.#setup.say(`KILLED worker ${this.#workers} (kill -9 ${worker.pid}) ${moment}`);
    await this.#startWorker();
  }

  async #haveAnswered(approvalId: string, axle: Axle): Promise<void> {
    const { say, unattended, commands } = this.#setup;
    const open = (await axle.approvals.list()).find((each) => each.approvalId === approvalId);
    // It was answered before we came.
    if (open === undefined) return;
    if (unattended) {
      say('Unattended (--once): the demo itself approves it, from this process, as anybody else would.');
      await answer(axle, approvalId, { decision: 'approve', by: 'npm start -- --once' });
      return;
    }
    for (const line of describeMail(open)) say(line);
    say(`Answer here, ${this.#isOnPage ? 'on the page, ' : ''}or in another terminal: ${commands.approve}`);
    if (!process.stdin.isTTY) say('Where nobody answers, as in CI, `npm start -- --once` approves by itself.');
    const withdraw = new AbortController();
    const asked = askPerson('May this e-mail be sent? (y/n) ', withdraw.signal).then(async (decision) => {
      if (decision !== undefined) await answer(axle, approvalId, { decision, by: 'the person at the terminal' });
      else if (!withdraw.signal.aborted) {
        say(
          'Nobody is at this terminal, so the demo waits for an answer from elsewhere; `npm start -- --once` approves by itself.',
        );
      }
    });
    this.#question = { withdraw, done: asked };
  }
}

/** True when a ledger has got `count` rows; false when that takes too long. */
async function arrived(ledger: string, count: number, stop: AbortSignal): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < arrivesWithinMs && !stop.aborted; waitedMs += lookEveryMs) {
    if (readLedger(ledger).length >= count) return true;
    await delay(lookEveryMs);
  }
  return false;
}

async function answer(
  axle: Axle,
  approvalId: string,
  decided: { readonly decision: 'approve' | 'deny'; readonly by: string },
): Promise<void> {
  try {
    await axle.approvals.resolve(approvalId, decided);
  } catch (error) {
    // Somebody else was faster: their answer is in the journal, and is told from there.
    if (!isAxleError(error, 'decision-already-made') && !isAxleError(error, 'decision-invalid')) throw error;
  }
}

async function outOfTime(axle: Axle, runId: string, limitMs: number): Promise<string> {
  const { status } = await axle.run(runId).summary();
  const waits = status.waitingOn.map((reason) => reason.kind).join(', ');
  return `After ${Math.round(limitMs / 1000)} s the run is ${status.state}${waits === '' ? '' : `, waiting for: ${waits}`}. \`npm start -- --resume\` goes on with it.`;
}
