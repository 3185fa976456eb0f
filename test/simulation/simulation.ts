/**
 * One schedule from beginning to end: workers on one store, callers, people, services and models, and the faults that befall them. Everything runs in this
 * thread, on a clock and in an order of its own; what comes out is the history that the checkers judge.
 */
import process from 'node:process';
import { messageOf } from '../../src/error/axle-error.ts';
import { History } from './history/history.ts';
import { withdrawMachine } from './machine/ambient.ts';
import { Draws } from './machine/draws.ts';
import type { Fault, PointKind } from './machine/fault.ts';
import type { Incarnation, Sabotage } from './machine/incarnation.ts';
import { Scheduler, type Task } from './machine/scheduler.ts';
import { Processes } from './processes.ts';
import type { RunPlan, Scenario } from './scenario/scenario.ts';
import { FakeDisk } from './store/fake-disk.ts';
import { NoticeBoard } from './store/fake-store.ts';
import { JournalWatch } from './store/journal-watch.ts';
import { withSnapshots } from './store/snapshots.ts';
import { Callers } from './world/callers.ts';
import { Leases } from './world/leases.ts';
import { ScriptedModel } from './world/models.ts';
import { People } from './world/people.ts';
import { Services } from './world/services.ts';

/** A place where a fault may strike. */
export interface Point {
  readonly at: number;
  readonly label: string;
  readonly kind: PointKind;
  readonly by: string;
}

export interface SimulationOptions {
  /** Hears the interleaving, line by line. */
  readonly watch?: (line: string) => void;
  /** Hears every point, for sweeps over all of them. */
  readonly onPoint?: (point: Point) => void;
}

export interface Simulated {
  readonly history: History;
  readonly rest: 'quiet' | 'endless';
  readonly traceHash: number;
  /** What is left on the disk, for whoever wants to read it again. */
  readonly disk: FakeDisk;
}

const startMs = 1_800_000_000_000;
/** Tasks of one schedule at most; most come to rest after a hundred. */
const maxTasks = 20_000;

export async function simulate(scenario: Scenario, options: SimulationOptions = {}): Promise<Simulated> {
  const simulation = new Simulation(scenario, options);
  const giveBack = withdrawMachine();
  const unhandled: string[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(`Nobody caught: ${messageOf(reason)}`);
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

class Simulation implements Sabotage {
  readonly #options: SimulationOptions;
  readonly #history = new History();
  readonly #scheduler: Scheduler;
  readonly #disk: FakeDisk;
  readonly #board = new NoticeBoard();
  readonly #journals: JournalWatch;
  readonly #leases: Leases;
  readonly #people: People;
  readonly #callers: Callers;
  readonly #processes: Processes;
  readonly #faults: ReadonlyMap<number, Fault>;
  /** Processes that were told to close. */
  readonly #closing = new Set<Incarnation>();
  #points = 0;

  constructor(scenario: Scenario, options: SimulationOptions) {
    this.#options = options;
    this.#faults = new Map(scenario.faults.map((fault) => [fault.at, fault]));
    const history = this.#history;
    const scheduler = new Scheduler({
      tape: scenario.tape,
      startMs,
      maxTasks,
      watch: this.#taskWatch(),
      onHurry: () => {
        this.#disturbed();
        this.#history.freezes.push({ at: this.#history.tick(), by: 'the machine' });
      },
    });
    this.#scheduler = scheduler;
    this.#journals = this.#watchJournals();
    this.#disk = withSnapshots(new FakeDisk(this.#journals), { every: scenario.snapshotEvery, watch: this.#journals });
    this.#leases = new Leases(scheduler, scenario.sharing, () =>
      this.#processes.workers.map((place) => place.incarnation),
    );
    const callers = new Callers({
      plans: scenario.runs,
      scheduler,
      history,
      workers: () => this.#processes.workers,
      outside: () => this.#processes.outside,
    });
    this.#callers = callers;
    const planOf = (runId: string): RunPlan => callers.planOf(runId);
    const services = new Services(scheduler, history, planOf);
    const models = scenario.runs.map(
      (plan, index) =>
        new ScriptedModel(plan, () => callers.runOf(index), {
          scheduler,
          history,
          hear: (asked) => callers.modelAsked(index, asked),
        }),
    );
    this.#people = new People({ scheduler, history, services, planOf, axle: () => this.#processes.outside.axle });
    this.#processes = new Processes({
      scenario,
      scheduler,
      history,
      services,
      models,
      sabotage: this,
      disk: this.#disk,
      board: this.#board,
      leases: this.#leases,
      draws: new Draws(scenario.seed),
      watch: options.watch,
      ended: (incarnation, restartAfterMs) => callers.ended(incarnation, restartAfterMs),
    });
  }

  async run(): Promise<Simulated> {
    this.#processes.start();
    this.#callers.begin();
    const rest = await this.#scheduler.run();
    for (const { name, state } of this.#closing) {
      if (state !== 'dead') this.#history.breakages.push(`${name} was told to close, and did not.`);
    }
    return { history: this.#history, rest, traceHash: this.#scheduler.traceHash, disk: this.#disk };
  }

  #taskWatch(): ((task: Task, nowMs: number) => void) | undefined {
    const { watch } = this.#options;
    if (watch === undefined) return undefined;
    return (task, nowMs) =>
      watch(`${String(nowMs - startMs).padStart(9)} ms  ${(task.owner?.name ?? 'world').padEnd(8)} ${task.label}`);
  }

  #watchJournals(): JournalWatch {
    const { watch } = this.#options;
    return new JournalWatch(
      this.#history,
      {
        created: (runId, key) => this.#callers.created(runId, key),
        claimed: (runId, by) => this.#leases.claimed(runId, by),
        committed: (committed) => {
          watch?.(
            `              #${committed.append.firstSeq} ${committed.by}: ${committed.append.entries.map((entry) => entry.type).join(', ')}`,
          );
          this.#leases.committed(committed, this.#scheduler.nowMs);
          this.#people.see(committed);
          this.#callers.glance(committed);
        },
      },
      (runId) => this.#disk.summary(runId)?.epoch ?? 0,
    );
  }

  // ---- faults

  meet(incarnation: Incarnation, label: string, kind: PointKind): Fault | undefined {
    this.#points += 1;
    const at = this.#points;
    this.#options.onPoint?.({ at, label, kind, by: incarnation.name });
    const fault = this.#faults.get(at);
    if (fault === undefined) return undefined;
    // People's own machine fails only when the power does.
    const isOutside = incarnation === this.#processes.outside.incarnation;
    if (isOutside && (fault.kind === 'crash' || fault.kind === 'freeze' || fault.kind === 'shut-down')) {
      return undefined;
    }
    this.#options.watch?.(`         !!! ${JSON.stringify(fault)} at ${label} of ${incarnation.name}`);
    return fault;
  }

  strike(fault: Fault, incarnation: Incarnation): void {
    switch (fault.kind) {
      case 'crash':
        this.#history.crashes.push({ at: this.#history.tick(), by: incarnation.name });
        this.#end(incarnation, fault.restartAfterMs);
        return;
      case 'power-cut':
        this.#cutPower(fault.kept, fault.restartAfterMs);
        return;
      case 'freeze':
        this.#disturbed();
        this.#history.freezes.push({ at: this.#history.tick(), by: incarnation.name });
        this.#leases.announceAfterLease(() => this.#board.announce());
        return;
      case 'unavailable':
        this.#history.outages.push(this.#history.tick());
        this.#disk.writesFailUntilMs = this.#scheduler.nowMs + fault.forMs;
        if (fault.reads) this.#disk.readsFailUntilMs = this.#disk.writesFailUntilMs;
        return;
      case 'steal':
        this.#disturbed();
        this.#leases.release();
        this.#board.announce();
        return;
      case 'jump':
        this.#disturbed();
        this.#history.jumps.push({ at: this.#history.tick(), by: incarnation.name });
        incarnation.skewMs += fault.byMs;
        return;
      case 'cancel':
      case 'message':
        this.#callers.post({ run: fault.run, what: fault.kind, text: `message at ${fault.at}` });
        return;
      case 'shut-down':
        this.#shutDown(incarnation, fault.restartAfterMs);
        return;
      case 'slow':
        this.#disturbed();
        break;
      case 'lost':
      case 'unacknowledged':
        break;
    }
  }

  #end(incarnation: Incarnation, restartAfterMs: number): void {
    const place = this.#processes.placeOf(incarnation);
    if (place !== undefined) this.#processes.end(place, restartAfterMs);
  }

  #shutDown(incarnation: Incarnation, restartAfterMs: number): void {
    const axle = this.#processes.placeOf(incarnation)?.axle;
    if (axle === undefined) return;
    this.#closing.add(incarnation);
    const end = (): void => this.#end(incarnation, restartAfterMs);
    axle.close().then(end, end);
  }

  #cutPower(kept: number, restartAfterMs: number): void {
    this.#history.crashes.push({ at: this.#history.tick(), by: 'the machine' });
    for (const place of [...this.#processes.workers, this.#processes.outside]) {
      this.#processes.end(place, restartAfterMs);
    }
    this.#disk.powerCut(kept);
    this.#people.forget();
    this.#scheduler.after(restartAfterMs + 500, {
      label: 'people look again',
      run: () => this.#journals.tips().forEach((tip) => this.#people.see(tip)),
    });
  }

  /** From now on a late effect may outrun a truthful answer. */
  #disturbed(): void {
    this.#history.disturbances.push(this.#history.tick());
  }
}
