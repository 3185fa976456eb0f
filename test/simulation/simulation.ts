/**
 * One schedule from beginning to end: workers on one store, callers, people, services and models, and the faults that befall them. Everything runs in this
 * thread, on a clock and in an order of its own; what comes out is the history that the checkers judge.
 */
import { isAxleError, messageOf } from '../../src/error/axle-error.ts';
import { type Axle, createAxle } from '../../src/facade/create-axle.ts';
import { agent as declareAgent } from '../../src/run/agent.ts';
import type { Agent } from '../../src/run/agent.ts';
import type { Log } from '../../src/run/engine.ts';
import { withdrawMachine } from './ambient.ts';
import { Draws } from './draws.ts';
import { FakeDisk } from './fake-disk.ts';
import { FakeStore, NoticeBoard } from './fake-store.ts';
import type { Fault, PointKind } from './fault.ts';
import { type Committed, History } from './history.ts';
import { Incarnation, type Sabotage } from './incarnation.ts';
import { JournalWatch } from './journal-watch.ts';
import { Leases } from './leases.ts';
import { People } from './people.ts';
import type { RunPlan, Scenario } from './scenario.ts';
import { Scheduler, type Task } from './scheduler.ts';
import { withSnapshots } from './snapshots.ts';
import { ScriptedModel, modelTimeoutMs } from './world/models.ts';
import { Services } from './world/services.ts';
import { Toolbox } from './world/tools.ts';

/** A place where a fault may strike. */
export interface Point {
  readonly at: number;
  readonly label: string;
  readonly kind: PointKind;
  readonly by: string;
}

export interface SimulationOptions {
  readonly watch?: (line: string) => void;
  /** Hears every point, for sweeps over all of them. */
  readonly onPoint?: (point: Point) => void;
}

export interface Simulated {
  readonly history: History;
  readonly rest: 'quiet' | 'endless';
  readonly traceHash: number;
  readonly tasksRun: number;
  readonly points: number;
  /** Faults that really struck. */
  readonly struck: readonly Fault[];
  readonly store: FakeStore;
}

const startMs = 1_800_000_000_000;
const maxTasks = 20_000;
/** How long a caller waits for a result. */
const patienceMs = 30_000;
/** Attempts of a caller to start one run. */
const maxStartTries = 40;

export async function simulate(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulated> {
  const simulation = new Simulation(scenario, options);
  const giveBack = withdrawMachine();
  const unhandled: string[] = [];
  const onUnhandled = (reason: unknown): void => {
    unhandled.push(`Nobody caught: ${messageOf(reason)}`);
  };
  process.on('unhandledRejection', onUnhandled);
  try {
    const simulated = await simulation.run();
    simulated.history.breakages.push(...unhandled);
    return simulated;
  } finally {
    giveBack();
    process.off('unhandledRejection', onUnhandled);
  }
}

/** What an agent is granted: what its plan needs. */
function toolsOf(plan: RunPlan): readonly string[] {
  const needed = new Set(plan.turns.flatMap((turn) => turn.calls.map((call) => call.tool)));
  return needed.size === 0 ? ['look'] : [...needed];
}

/** True for an error with this code, or one that it caused. */
function hasCode(error: unknown, code: string): boolean {
  return isAxleError(error) && (error.code === code || hasCode(error.cause, code));
}

interface Worker {
  readonly index: number;
  life: number;
  incarnation: Incarnation;
  axle: Axle | undefined;
}

const toolboxes = new Map<string, Toolbox>();

function toolboxOf(name: string): Toolbox {
  const toolbox = toolboxes.get(name) ?? new Toolbox();
  toolboxes.set(name, toolbox);
  return toolbox;
}

class Simulation implements Sabotage {
  readonly #scenario: Scenario;
  readonly #options: SimulationOptions;
  readonly #history = new History();
  readonly #scheduler: Scheduler;
  readonly #disk: FakeDisk;
  readonly #board = new NoticeBoard();
  readonly #watch: JournalWatch;
  readonly #leases: Leases;
  readonly #services: Services;
  readonly #people: People;
  readonly #models: readonly ScriptedModel[];
  readonly #workers: Worker[] = [];
  readonly #outside: Worker;
  readonly #draws: Draws;
  readonly #faults: ReadonlyMap<number, Fault>;
  readonly #struck: Fault[] = [];
  /** Which plan a run follows; a request may have become more than one run when a power cut took the first. */
  readonly #planOfRun = new Map<string, number>();
  readonly #runOfPlan = new Map<number, string>();
  readonly #accepted = new Set<number>();
  readonly #starting = new Map<number, Incarnation>();
  /** Processes that were told to close. */
  readonly #closing = new Set<Incarnation>();
  #points = 0;
  #ids = 0;

  constructor(scenario: Scenario, options: SimulationOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#draws = new Draws(scenario.seed);
    this.#faults = new Map(scenario.faults.map((fault) => [fault.at, fault]));
    const { watch } = options;
    const watchTask = watch === undefined ? undefined : (task: Task, nowMs: number) => watch(`${String(nowMs - startMs).padStart(9)} ms  ${(task.owner?.name ?? 'world').padEnd(8)} ${task.label}`);
    this.#scheduler = new Scheduler({ tape: scenario.tape, startMs, maxTasks, watch: watchTask, onHurry: () => this.#disturbed() });
    this.#watch = new JournalWatch(this.#history, {
      created: (runId, key) => this.#created(runId, key),
      claimed: (runId, by) => this.#leases.claimed(runId, by),
      committed: (committed) => {
        watch?.(`              #${committed.append.firstSeq} ${committed.by}: ${committed.append.entries.map((entry) => entry.type).join(', ')}`);
        this.#leases.committed(committed, this.#scheduler.nowMs);
        this.#people.see(committed);
        this.#glance(committed);
      },
    }, (runId) => this.#disk.summary(runId)?.epoch ?? 0);
    this.#disk = withSnapshots(new FakeDisk(this.#watch), { every: scenario.snapshotEvery, watch: this.#watch });
    this.#leases = new Leases(this.#scheduler, scenario.sharing, () => this.#workers.map((worker) => worker.incarnation));
    const planOf = (runId: string): RunPlan => this.#planOf(runId);
    this.#services = new Services(this.#scheduler, this.#history, planOf);
    this.#models = scenario.runs.map((plan, index) => new ScriptedModel(plan, () => this.#runOfPlan.get(index) ?? '', { scheduler: this.#scheduler, history: this.#history, hear: (asked) => this.#speak(index, asked) }));
    this.#outside = this.#newWorker(-1);
    this.#people = new People({ scheduler: this.#scheduler, history: this.#history, services: this.#services, planOf, axle: () => this.#outside.axle });
  }

  async run(): Promise<Simulated> {
    for (let index = 0; index < this.#scenario.workers; index += 1) this.#workers.push(this.#newWorker(index));
    for (const worker of [this.#outside, ...this.#workers]) this.#launch(worker);
    for (const [index, plan] of this.#scenario.runs.entries()) this.#startLater(index, plan.startAfterMs, 0);
    const rest = await this.#scheduler.run();
    for (const { name, state } of this.#closing) if (state !== 'dead') this.#history.breakages.push(`${name} was told to close, and did not.`);
    const { traceHash, tasksRun } = this.#scheduler;
    return { history: this.#history, rest, traceHash, tasksRun, points: this.#points, struck: this.#struck, store: new FakeStore(this.#disk) };
  }

  // ---- processes

  #newWorker(index: number): Worker {
    return { index, life: 0, incarnation: this.#incarnation(index, 0), axle: undefined };
  }

  #incarnation(index: number, life: number): Incarnation {
    return new Incarnation(index < 0 ? `people.${life}` : `w${index}.${life}`, this.#scheduler, this);
  }

  #launch(worker: Worker): void {
    const { incarnation } = worker;
    const { name } = incarnation;
    const toolbox = toolboxOf(name);
    toolbox.executor = {
      perform: (contract, input, context) => this.#services.perform({ contract, input, context, from: incarnation }),
      verify: (contract, context) => this.#services.verify({ contract, context, from: incarnation }),
    };
    const gate = {
      name, nowMs: () => this.#scheduler.nowMs, call: incarnation.call.bind(incarnation),
      notify: (task: () => void) => this.#scheduler.post({ owner: incarnation, label: 'notice', run: task }),
    };
    const store = new FakeStore(this.#disk, { gate, board: this.#board, canDrive: worker.index >= 0, mayTake: (runId) => this.#leases.mayTake(runId, name) });
    const opened = createAxle({
      store, tools: toolbox.contracts, agents: this.#agents(incarnation), durability: this.#scenario.durability, log: this.#log(name),
      ports: {
        clock: { nowMs: () => this.#scheduler.nowMs + incarnation.skewMs },
        timers: { after: (delayMs, task) => incarnation.after(delayMs, task), soon: (task) => incarnation.soon(task) },
        random: { next: () => this.#draws.next() },
        ids: { create: (prefix) => `${prefix}-${(this.#ids += 1)}` },
      },
    });
    opened.then(
      (axle) => {
        worker.axle = axle;
      },
      () => this.#end(worker, 700),
    );
  }

  #agents(incarnation: Incarnation): readonly Agent[] {
    return this.#scenario.runs.flatMap((plan, index) => {
      const model = this.#models[index];
      if (plan.kind !== 'agent' || model === undefined) return [];
      return [declareAgent({
        name: `agent-${index}`, model: model.brainFor(incarnation), instructions: 'Do it.', tools: toolsOf(plan), onDoubt: plan.onDoubt, approvalTtl: 12_000,
        modelTimeout: modelTimeoutMs, modelAttempts: 4, budget: { steps: 40, time: 3_600_000 },
      })];
    });
  }

  #log(name: string): Log {
    return (level, message, fields) => {
      this.#options.watch?.(`              ${name} ${level}: ${message} ${JSON.stringify(fields)}`);
      const { reason } = fields;
      const isOutage = typeof reason === 'string' && /does not answer|connection to the store was lost/u.test(reason);
      if (level === 'error' && !isOutage) this.#history.breakages.push(`${name}: ${message} ${JSON.stringify(fields)}`);
    };
  }

  /** Ends a process, and starts its next life after a while. */
  #end(worker: Worker, restartAfterMs: number): void {
    const { incarnation } = worker;
    if (incarnation.state === 'dead') return;
    incarnation.die();
    worker.axle = undefined;
    for (const [plan, starter] of this.#starting) if (starter === incarnation) this.#startLater(plan, restartAfterMs + 50, 1);
    worker.life += 1;
    const next = this.#incarnation(worker.index, worker.life);
    worker.incarnation = next;
    // A power cut may end it before it has begun.
    this.#scheduler.after(restartAfterMs, { label: `start ${next.name}`, run: () => (next.state === 'dead' ? undefined : this.#launch(worker)) });
    this.#leases.announceAfterLease(() => this.#board.announce());
  }

  // ---- callers

  #planOf(runId: string): RunPlan {
    const plan = this.#scenario.runs[this.#planOfRun.get(runId) ?? -1];
    if (plan === undefined) throw new Error(`The run ${runId} follows no plan.`);
    return plan;
  }

  #created(runId: string, key: string | undefined): void {
    const index = Number(key);
    this.#planOfRun.set(runId, index);
    this.#runOfPlan.set(index, runId);
  }

  #startLater(index: number, afterMs: number, tries: number): void {
    this.#scheduler.after(afterMs, { label: `caller ${index} starts`, run: () => this.#start(index, tries) });
  }

  #start(index: number, tries: number): void {
    const plan = this.#scenario.runs[index];
    const worker = this.#workers[(index + tries) % this.#workers.length];
    if (plan === undefined || worker === undefined || this.#accepted.has(index)) return;
    if (worker.axle === undefined || worker.incarnation.state === 'frozen') {
      if (tries < maxStartTries) this.#startLater(index, 300, tries + 1);
      return;
    }
    this.#starting.set(index, worker.incarnation);
    this.#ask(worker.axle, plan, index).catch((error: unknown) => {
      this.#starting.delete(index);
      if (this.#accepted.has(index)) return;
      const isTemporary = ['store-unavailable', 'closed', 'store-closed'].some((code) => hasCode(error, code));
      if (!isTemporary) this.#history.breakages.push(`A caller was told: ${messageOf(error)}`);
      else if (tries < maxStartTries) this.#startLater(index, 300, tries + 1);
    });
  }

  async #ask(axle: Axle, plan: RunPlan, index: number): Promise<void> {
    const key = String(index);
    const { told } = this.#history;
    if (plan.kind === 'call') {
      const tool = plan.turns[0]?.calls[0]?.tool ?? 'look';
      const result = await axle.call(tool, { item: `call ${index}`, amount: index }, { key });
      this.#acknowledge(index, result.runId);
      if (result.status !== 'waiting') told.push({ kind: 'ended', at: this.#history.tick(), runId: result.runId, output: result.output });
      return;
    }
    const handle = await axle.start(`agent-${index}`, { input: `Do number ${index}.`, key });
    this.#acknowledge(index, handle.id);
    if (!plan.waits) return;
    const patience = new AbortController();
    this.#scheduler.after(patienceMs, { label: 'a caller loses patience', run: () => patience.abort() });
    const result = await handle.result({ signal: patience.signal });
    if (result.status !== 'waiting') told.push({ kind: 'ended', at: this.#history.tick(), runId: result.runId, output: result.output });
  }

  /** Somebody else asks for the result, now and then at the very moment at which it is written. */
  #glance({ runId, status, at }: Committed): void {
    const { axle } = this.#outside;
    if (axle === undefined || status.state !== 'ended' || at % 3 !== 0) return;
    this.#scheduler.post({ owner: this.#outside.incarnation, label: 'an onlooker asks', run: () => void this.#tellOnlooker(axle, runId).catch(() => {}) });
  }

  async #tellOnlooker(axle: Axle, runId: string): Promise<void> {
    const result = await axle.run(runId).result();
    if (result.status !== 'waiting') this.#history.told.push({ kind: 'ended', at: this.#history.tick(), runId, output: result.output });
  }

  #acknowledge(index: number, runId: string): void {
    this.#accepted.add(index);
    this.#starting.delete(index);
    this.#history.told.push({ kind: 'accepted', at: this.#history.tick(), runId, key: String(index) });
  }

  // ---- faults

  meet(incarnation: Incarnation, label: string, kind: PointKind): Fault | undefined {
    this.#points += 1;
    const at = this.#points;
    this.#options.onPoint?.({ at, label, kind, by: incarnation.name });
    const fault = this.#faults.get(at);
    if (fault === undefined) return undefined;
    const isWorkers = !incarnation.name.startsWith('people');
    // People's own machine fails only in a power cut.
    if (!isWorkers && (fault.kind === 'crash' || fault.kind === 'freeze' || fault.kind === 'shut-down')) return undefined;
    this.#struck.push(fault);
    this.#options.watch?.(`         !!! ${JSON.stringify(fault)} at ${label} of ${incarnation.name}`);
    return fault;
  }

  strike(fault: Fault, incarnation: Incarnation): void {
    const { nowMs } = this.#scheduler;
    const worker = this.#workers.find((other) => other.incarnation === incarnation);
    switch (fault.kind) {
      case 'crash':
        this.#history.crashes.push({ at: this.#history.tick(), by: incarnation.name });
        if (worker !== undefined) this.#end(worker, fault.restartAfterMs);
        return;
      case 'power-cut':
        return this.#cutPower(fault.kept, fault.restartAfterMs);
      case 'freeze':
        this.#disturbed();
        return this.#leases.announceAfterLease(() => this.#board.announce());
      case 'unavailable':
        if (fault.reads) this.#disk.readsFailUntilMs = nowMs + fault.forMs;
        this.#disk.writesFailUntilMs = nowMs + fault.forMs;
        return;
      case 'steal':
        this.#disturbed();
        this.#leases.release();
        return this.#board.announce();
      case 'jump':
        this.#disturbed();
        incarnation.skewMs += fault.byMs;
        return;
      case 'cancel':
      case 'message':
        return this.#post({ run: fault.run, what: fault.kind, text: `message at ${fault.at}` }, 0);
      case 'shut-down':
        if (worker?.axle === undefined) return;
        this.#closing.add(incarnation);
        worker.axle.close().then(() => this.#end(worker, fault.restartAfterMs), () => this.#end(worker, fault.restartAfterMs));
        return;
      case 'slow':
        return this.#disturbed();
      case 'lost':
      case 'unacknowledged':
    }
  }

  #disturbed(): void {
    this.#history.disturbances.push(this.#history.tick());
  }

  #cutPower(kept: number, restartAfterMs: number): void {
    this.#history.crashes.push({ at: this.#history.tick(), by: 'the machine' });
    for (const worker of [...this.#workers, this.#outside]) this.#end(worker, restartAfterMs);
    this.#disk.powerCut(kept);
    this.#people.forget();
    this.#scheduler.after(restartAfterMs + 500, { label: 'people look again', run: () => this.#watch.tips().forEach((tip) => this.#people.see(tip)) });
  }

  /** Callers speak up while the model thinks. */
  #speak(run: number, asked: number): void {
    for (const word of this.#scenario.runs[run]?.words ?? []) {
      if (word.ask !== asked) continue;
      const text = `word ${asked} ${word.afterMs}`;
      this.#scheduler.after(word.afterMs, { label: `a caller says ${word.what}`, run: () => this.#post({ run, what: word.what, text }, 0) });
    }
  }

  #post(post: Posting, tries: number): void {
    const { what, text } = post;
    const runId = this.#runOfPlan.get(post.run);
    const { axle } = this.#outside;
    // A single call takes no messages.
    if (runId === undefined || (what === 'message' && this.#planOf(runId).kind === 'call')) return;
    const again = (): void => {
      if (tries < maxStartTries) this.#scheduler.after(400, { label: `post ${what} again`, run: () => this.#post(post, tries + 1) });
    };
    if (axle === undefined) return again();
    const handle = axle.run(runId);
    const posted = what === 'cancel' ? handle.cancel('changed my mind') : handle.send(text, { key: text });
    posted.then(
      () => void this.#history.told.push({ kind: 'posted', at: this.#history.tick(), runId, what, text }),
      (error: unknown) => {
        if (isAxleError(error, 'store-unavailable')) again();
        else if (!isAxleError(error, 'run-ended') && !isAxleError(error, 'run-unknown')) this.#history.breakages.push(`A caller was told: ${messageOf(error)}`);
      },
    );
  }
}

interface Posting {
  readonly run: number;
  readonly what: 'cancel' | 'message';
  readonly text: string;
}
