/**
 * The kill harness: a driver on the real SQLite store and a client beside it are killed again and again while runs are started and answered; then everything is let finish, and
 * judged by the ledger of effects, which is another process.
 *
 *   birth ──► killing (worker lives one after another, a spare loads meanwhile; client lives beside them) ──► finishing (nobody is killed) ──► judged
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openSqliteStore, type Store } from '../../src/axle.ts';
import { Child, startProgram } from './child.ts';
import { type KillReport, report } from './kill-report.ts';
import { KillPlan, type LifePlan } from './kill-plan.ts';
import { readLedgerFile } from './programs/ledger-lines.ts';
import { listPoints } from './list-points.ts';
import type { ProgramOptions, Report } from './programs/messages.ts';
import { oneOf, seededRandom, wholeBetween } from './random.ts';
import { Requests } from './requests.ts';
import { readJournals } from './laws/run-journal.ts';
import { Told } from './laws/told.ts';
import type { Violation } from './laws/verdict.ts';

export interface KillOptions {
  readonly seconds: number;
  readonly seed: number;
  /** Ends the killing early, once every named point was hit and so many kills were made. */
  readonly enough?: { readonly kills: number };
  /** Leaves store and ledger where they are, for a look at what went wrong. @defaultValue false */
  readonly keep?: boolean;
  readonly onProgress: (text: string) => void;
}

/** Runs that are under way at a time. */
const unfinishedRuns = 16;
/** How long everything may take to finish once nobody is killed any more. */
const finishMs = 60_000;

export async function runKills(options: KillOptions): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'axle-kill-'));
  const harness = new Harness(options, folder);
  try {
    return await harness.run();
  } finally {
    await harness.close();
    if (options.keep === true) options.onProgress(`store and ledger are kept in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
}

type Program = 'worker' | 'client';

interface Life {
  readonly child: Child;
  readonly plan: LifePlan;
}

class Harness {
  readonly #options: KillOptions;
  readonly #folder: string;
  readonly #random: () => number;
  readonly #plan: KillPlan;
  readonly #told = new Told();
  readonly #requests: Requests;
  readonly #children = new Set<Child>();
  readonly #violations: Violation[] = [];
  readonly #kills = { worker: 0, client: 0 };
  /** The harness looks on as a client of its own. */
  #store: Store | undefined;
  #births = 0;
  /** Lines of the file of hits that were taken in. */
  #hitsRead = 0;
  #isKilling = true;
  #deadlineMs = 0;

  constructor(options: KillOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.#random = seededRandom(options.seed);
    this.#plan = new KillPlan(
      listPoints(fileURLToPath(new URL('../../src', import.meta.url))),
      this.#random,
      options.enough === undefined ? 0.75 : 0.95,
    );
    this.#requests = new Requests(this.#told, this.#random);
  }

  async run(): Promise<KillReport> {
    const startedMs = performance.now();
    await this.#startLedger();
    await this.#warmUp();
    this.#deadlineMs = performance.now() + this.#options.seconds * 1_000;
    const feeding = this.#feed();
    await Promise.all([this.#workerLives(), this.#clientLives(), this.#tellProgress()]);
    await this.#finish();
    await feeding;
    return this.#judge(performance.now() - startedMs);
  }

  async close(): Promise<void> {
    this.#isKilling = false;
    await Promise.all([...this.#children].map((child) => child.kill()));
    await this.#store?.close();
  }

  // ---- processes

  async #startLedger(): Promise<void> {
    const ledger = new Child({ program: 'ledger', words: [this.#socketPath, this.#ledgerPath], onReport: () => {} });
    this.#keep(ledger);
    if (!(await ledger.heard('listening'))) throw new Error(`The ledger did not start: ${ledger.errorText}`);
  }

  /** One process that ends in order leaves the code cache behind that makes all later ones start fast. */
  async #warmUp(): Promise<void> {
    const child = this.#start('worker', { storePath: join(this.#folder, 'warm.db') });
    await child.heard('loaded');
    child.order({ kind: 'open' });
    await child.heard('opened');
    child.order({ kind: 'close' });
    const { code } = await child.ended;
    if (code !== 0) throw new Error(`A worker cannot be started: ${child.errorText}`);
  }

  #start(program: Program, setting: { readonly storePath?: string; readonly plan?: LifePlan } = {}): Child {
    const random = this.#random;
    const armed = setting.plan?.armed;
    const options: ProgramOptions = {
      storePath: setting.storePath ?? this.#storePath,
      socketPath: this.#socketPath,
      seed: wholeBetween(random, 1, 2 ** 31),
      upstream: 'rough',
      durability: random() < 0.25 ? 'strict' : 'effects',
      checkpointBytes: oneOf(random, [64, 256, 16_384]) * 1_024,
    };
    const environment = {
      NODE_COMPILE_CACHE: join(this.#folder, 'code-cache'),
      AXLE_KILL_HITS: this.#hitsPath,
      ...(armed === undefined ? {} : { AXLE_KILL_POINTS: armed.points.join(','), AXLE_KILL_PASS: String(armed.pass) }),
    };
    const child = startProgram(program, options, { environment, onReport: (said) => this.#hear(program, said) });
    this.#keep(child);
    return child;
  }

  #keep(child: Child): void {
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
  }

  #hear(program: Program, said: Report): void {
    this.#told.note(said);
    if (said.kind === 'opened') this.#requests.repeat(program);
  }

  // ---- killing

  async #workerLives(): Promise<void> {
    let next = this.#nextLife('worker');
    while (this.#goesOn()) {
      const life = next;
      await life.child.heard('loaded');
      next = this.#nextLife('worker');
      this.#requests.use('worker', life.child);
      await this.#live('worker', life);
      await this.#bear();
    }
    await next.child.kill();
    this.#isKilling = false;
  }

  async #clientLives(): Promise<void> {
    while (!existsSync(this.#storePath)) await sleep(20);
    while (this.#goesOn()) {
      const life = this.#nextLife('client');
      this.#requests.use('client', life.child);
      await life.child.heard('loaded');
      await this.#live('client', life);
    }
  }

  #nextLife(program: Program): Life {
    const plan = this.#plan.next(program);
    return { plan, child: this.#start(program, { plan }) };
  }

  #goesOn(): boolean {
    const { enough } = this.#options;
    const isEnough = enough !== undefined && this.#plan.unhit.length === 0 && this.#kills.worker >= enough.kills;
    return this.#isKilling && !isEnough && performance.now() < this.#deadlineMs;
  }

  /** From the order to open to the death of the process. */
  async #live(program: Program, { child, plan }: Life): Promise<void> {
    child.order({ kind: 'open' });
    if (plan.from === 'open') await child.heard('opened');
    await Promise.race([child.ended, sleep(plan.lifeMs)]);
    if (plan.end === 'close' && child.order({ kind: 'close' })) await Promise.race([child.ended, sleep(2_000)]);
    const { signal, code } = await child.kill();
    if (signal === 'SIGKILL') this.#kills[program] += 1;
    else if (code !== 0) {
      this.#violations.push({ kind: 'process', text: `A ${program} ended with code ${code}: ${child.errorText}` });
    }
    this.#noteErrors(program, child);
    this.#noteHits();
  }

  /** A store is made once, so the points of its making are passed in a life of their own; what is left there must open and work. */
  async #bear(): Promise<void> {
    const name = this.#plan.nextBirth();
    if (name === undefined) return;
    this.#births += 1;
    const storePath = join(this.#folder, `birth-${this.#births}.db`);
    const plan: LifePlan = { armed: { points: [name], pass: 1 }, lifeMs: 300, from: 'open', end: 'close' };
    const child = this.#start('worker', { storePath, plan });
    await child.heard('loaded');
    await this.#live('worker', { child, plan });
    const heir = this.#start('worker', { storePath });
    await heir.heard('loaded');
    heir.order({ kind: 'open' });
    if (!(await heir.heard('opened'))) {
      this.#violations.push({
        kind: 'lost',
        text: `After a kill at ${name} the new store does not open: ${heir.errorText}`,
      });
    }
    heir.order({ kind: 'close' });
    await heir.ended;
  }

  #noteHits(): void {
    const text = existsSync(this.#hitsPath) ? readFileSync(this.#hitsPath, 'utf8') : '';
    const names = text.split('\n').slice(0, -1);
    for (const name of names.slice(this.#hitsRead)) this.#plan.hit(name);
    this.#hitsRead = names.length;
  }

  /** Axle logs an error when it is itself at fault, and a killed process gives it no reason to. */
  #noteErrors(program: Program, child: Child): void {
    for (const line of child.errorText.split('\n')) {
      if (line.includes('"level":"error"')) {
        this.#violations.push({ kind: 'process', text: `A ${program} logged: ${line}` });
      }
    }
  }

  /** Keeps runs under way. */
  async #feed(): Promise<void> {
    while (this.#isKilling) {
      const unfinished = existsSync(this.#storePath) ? await this.#unfinished() : [];
      this.#requests.fill(unfinished, unfinishedRuns);
      await sleep(30);
    }
  }

  async #tellProgress(): Promise<void> {
    while (this.#goesOn()) {
      await Promise.race([sleep(5_000), this.#untilOver()]);
      const { worker, client } = this.#kills;
      this.#options.onProgress(
        `${worker} driver kills, ${client} client kills, ${this.#told.accepted.size} runs, ${this.#plan.hitCount} points hit`,
      );
    }
  }

  async #untilOver(): Promise<void> {
    while (this.#goesOn()) await sleep(100);
  }

  // ---- finishing

  async #finish(): Promise<void> {
    this.#options.onProgress('letting everything finish');
    const worker = this.#start('worker');
    const client = this.#start('client');
    for (const [program, child] of [
      ['worker', worker],
      ['client', client],
    ] as const) {
      this.#requests.use(program, child);
      await child.heard('loaded');
      child.order({ kind: 'open' });
      if (!(await child.heard('opened'))) {
        this.#violations.push({
          kind: 'process',
          text: `The last ${program} does not open the store: ${child.errorText}`,
        });
      }
    }
    const limitMs = performance.now() + finishMs;
    while (!this.#requests.areDone((await this.#unfinished()).length) && performance.now() < limitMs) await sleep(50);
    for (const [program, child] of [
      ['client', client],
      ['worker', worker],
    ] as const) {
      child.order({ kind: 'close' });
      await Promise.race([child.ended, sleep(10_000)]);
      const { code } = await child.kill();
      if (code !== 0) {
        this.#violations.push({
          kind: 'process',
          text: `The last ${program} does not end in order (code ${code}): ${child.errorText}`,
        });
      }
      this.#noteErrors(program, child);
    }
  }

  async #unfinished(): Promise<readonly string[]> {
    this.#store ??= openSqliteStore(this.#storePath, { role: 'client' });
    return (await this.#store.runs({ states: ['active', 'waiting', 'held'], limit: 1_000 })).map((run) => run.runId);
  }

  async #judge(tookMs: number): Promise<KillReport> {
    // Opened anew, so that nothing is judged by what an earlier look has kept.
    await this.#store?.close();
    this.#store = openSqliteStore(this.#storePath, { role: 'client' });
    return report({
      journals: await readJournals(this.#store),
      told: this.#told,
      ledger: readLedgerFile(this.#ledgerPath),
      violations: this.#violations,
      kills: this.#kills,
      points: { hit: this.#plan.hitCount, unhit: this.#plan.unhit },
      missing: this.#requests.missing(),
      tookMs,
    });
  }

  get #storePath(): string {
    return join(this.#folder, 'axle.db');
  }

  get #ledgerPath(): string {
    return join(this.#folder, 'ledger.jsonl');
  }

  get #socketPath(): string {
    return join(this.#folder, 'ledger.sock');
  }

  get #hitsPath(): string {
    return join(this.#folder, 'hits');
  }
}
