/** The processes of a schedule: each worker and the people's machine is a whole Axle in an incarnation, ended and started again as faults have it. */
import type { Brain } from '../../src/brain/brain.ts';
import type { Axle } from '../../src/facade/axle.ts';
import { createAxle } from '../../src/facade/create-axle.ts';
import { type Agent, agent as declareAgent } from '../../src/run/agent.ts';
import type { Log } from '../../src/run/engine.ts';
import type { History } from './history/history.ts';
import type { Draws } from './machine/draws.ts';
import { Incarnation, type Sabotage } from './machine/incarnation.ts';
import type { Scheduler } from './machine/scheduler.ts';
import type { Change, RunPlan, Scenario } from './scenario/scenario.ts';
import type { FakeDisk } from './store/fake-disk.ts';
import { FakeStore, type NoticeBoard } from './store/fake-store.ts';
import { Deployment } from './world/deployment.ts';
import type { Leases } from './world/leases.ts';
import { modelTimeoutMs, type ScriptedModel } from './world/models.ts';
import type { Services } from './world/services.ts';
import { allToolNames, Toolbox, withStandIns } from './world/tools.ts';

/** One place where a process runs; its incarnation changes with every life. */
export interface Place {
  readonly index: number;
  life: number;
  incarnation: Incarnation;
  /** Undefined while it is down or starting. */
  axle: Axle | undefined;
}

export interface ProcessParts {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  readonly sabotage: Sabotage;
  readonly history: History;
  readonly disk: FakeDisk;
  readonly board: NoticeBoard;
  readonly leases: Leases;
  readonly services: Services;
  readonly models: readonly ScriptedModel[];
  readonly draws: Draws;
  readonly watch: ((line: string) => void) | undefined;
  /** Hears of every end, with the time until the next life. */
  readonly ended: (incarnation: Incarnation, restartAfterMs: number) => void;
}

/** A process that could not open its store comes back after this long. */
const failedStartPauseMs = 700;
/** Questions to people stay open this long. */
const approvalTtlMs = 12_000;

// Contracts are made once for each name of a process, over all schedules, as a real process makes them once.
const toolboxes = new Map<string, Toolbox>();

function toolboxOf(name: string): Toolbox {
  const toolbox = toolboxes.get(name) ?? new Toolbox();
  toolboxes.set(name, toolbox);
  return toolbox;
}

export class Processes {
  readonly workers: readonly Place[];
  /** Where people and callers have their client: it drives nothing. */
  readonly outside: Place;
  readonly #parts: ProcessParts;
  readonly #deployment: Deployment;
  readonly #tools: readonly string[];
  readonly #agents: readonly Played[];
  #ids = 0;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.#tools = toolsFor(parts.scenario);
    this.#agents = agentsOf(parts.scenario, parts.models);
    this.#deployment = new Deployment(this.#tools);
    this.outside = this.#place(-1);
    this.workers = Array.from({ length: parts.scenario.workers }, (_, index) => this.#place(index));
  }

  start(): void {
    for (const place of [this.outside, ...this.workers]) this.#launch(place);
    this.#changeNext(0);
  }

  /** People do one thing after the other, however the tasks of a schedule are mixed. */
  #changeNext(index: number): void {
    const { changes = [] } = this.#parts.scenario;
    const change = changes[index];
    if (change === undefined) return;
    this.#parts.scheduler.after(change.afterMs - (changes[index - 1]?.afterMs ?? 0), {
      label: `people ${change.what} ${change.tool}`,
      run: () => {
        this.#change(change);
        this.#changeNext(index + 1);
      },
    });
  }

  #change(change: Change): void {
    for (const place of this.workers) {
      if (change.worker !== 'all' && change.worker !== place.index) continue;
      this.#deployment.change(place.index, change);
      if (place.axle !== undefined) this.#deployment.bring(place.axle, toolboxOf(place.incarnation.name), place.index);
    }
  }

  /** The place where an incarnation lives now. */
  placeOf(incarnation: Incarnation): Place | undefined {
    return [this.outside, ...this.workers].find((place) => place.incarnation === incarnation);
  }

  /** Ends a process, and starts its next life after a while. */
  end(place: Place, restartAfterMs: number): void {
    const { scheduler, leases, board, ended } = this.#parts;
    const { incarnation } = place;
    if (incarnation.state === 'dead') return;
    incarnation.die();
    place.axle = undefined;
    ended(incarnation, restartAfterMs);
    place.life += 1;
    const next = this.#incarnation(place.index, place.life);
    place.incarnation = next;
    // A power cut may end it before it has begun.
    scheduler.after(restartAfterMs, {
      label: `start ${next.name}`,
      run: () => (next.state === 'dead' ? undefined : this.#launch(place)),
    });
    leases.announceAfterLease(() => board.announce());
  }

  #place(index: number): Place {
    return { index, life: 0, incarnation: this.#incarnation(index, 0), axle: undefined };
  }

  #incarnation(index: number, life: number): Incarnation {
    return new Incarnation(
      index < 0 ? `people.${life}` : `w${index}.${life}`,
      this.#parts.scheduler,
      this.#parts.sabotage,
    );
  }

  #launch(place: Place): void {
    const { scheduler, services, scenario, draws } = this.#parts;
    const { incarnation } = place;
    const toolbox = toolboxOf(incarnation.name);
    toolbox.executor = {
      perform: (contract, input, context) => services.perform({ contract, input, context, from: incarnation }),
      verify: (contract, context) => services.verify({ contract, context, from: incarnation }),
    };
    const opened = createAxle({
      store: this.#store(place),
      tools: this.#tools.flatMap((name) =>
        this.#deployment.formsOf(place.index, name).map((form) => toolbox.contract(name, form)),
      ),
      agents: this.#agents.map(({ declared, model }) => ({ ...declared, model: model.brainFor(incarnation) })),
      // None of the tools is a program.
      sandboxes: [],
      durability: scenario.durability,
      log: this.#log(incarnation.name),
      ports: {
        clock: { nowMs: () => scheduler.nowMs + incarnation.skewMs },
        timers: { after: (delayMs, task) => incarnation.after(delayMs, task), soon: (task) => incarnation.soon(task) },
        random: { next: () => draws.next() },
        ids: { create: (prefix) => `${prefix}-${(this.#ids += 1)}` },
      },
    });
    opened.then(
      (axle) => {
        place.axle = axle;
        // What people changed while it started.
        if (scenario.changes !== undefined) this.#deployment.bring(axle, toolbox, place.index);
      },
      () => this.end(place, failedStartPauseMs),
    );
  }

  #store({ index, incarnation }: Place): FakeStore {
    const { scheduler, disk, board, leases } = this.#parts;
    const { name } = incarnation;
    const gate = {
      name,
      nowMs: () => scheduler.nowMs,
      call: incarnation.call.bind(incarnation),
      notify: (task: () => void) => scheduler.post({ owner: incarnation, label: 'notice', run: task }),
    };
    return new FakeStore(disk, { gate, board, canDrive: index >= 0, mayTake: (runId) => leases.mayTake(runId, name) });
  }

  #log(name: string): Log {
    return (level, message, fields) => {
      this.#parts.watch?.(`              ${name} ${level}: ${message} ${JSON.stringify(fields)}`);
      const { reason } = fields;
      const isOutage = typeof reason === 'string' && /does not answer|connection to the store was lost/u.test(reason);
      if (level === 'error' && !isOutage) {
        this.#parts.history.breakages.push(`${name}: ${message} ${JSON.stringify(fields)}`);
      }
    };
  }
}

/** An agent as every process declares it, and the model that each reaches in its own way. */
interface Played {
  readonly declared: Agent;
  readonly model: ScriptedModel;
}

function agentsOf({ runs, changes }: Scenario, models: readonly ScriptedModel[]): readonly Played[] {
  return runs.flatMap((plan, index) => {
    const model = models[index];
    if (plan.kind !== 'agent' || model === undefined) return [];
    const declared = declareAgent({
      name: `agent-${index}`,
      model: nobody,
      instructions: 'Do it.',
      // A tool that is not here now must not keep a process from starting.
      tools: changes === undefined ? toolsOf(plan) : ['*'],
      onDoubt: plan.onDoubt,
      approvalTtl: approvalTtlMs,
      modelTimeout: modelTimeoutMs,
      modelAttempts: 4,
      budget: { steps: 40, time: 3_600_000 },
    });
    return [{ declared, model }];
  });
}

/** Stands in a declaration until a process puts its own in. */
const nobody: Brain = {
  id: 'nobody',
  generate: () => {
    throw new Error('This model is behind no process.');
  },
};

/** What the processes of a scenario have: what its plans call. */
function toolsFor({ seed, runs, changes }: Scenario): readonly string[] {
  // Where people change tools, something is left of them; and where there are many, a model is shown a part.
  if (changes !== undefined && seed % 8 === 0) return allToolNames;
  return withStandIns([...runs.flatMap(toolsOf), ...(changes === undefined ? [] : neverBothGone)]);
}

/** Themes change one of these at most. */
const neverBothGone: readonly string[] = ['look', 'put'];

/** What an agent is granted: what its plan needs. */
function toolsOf(plan: RunPlan): readonly string[] {
  const needed = new Set(plan.turns.flatMap((turn) => turn.calls.map((call) => call.tool)));
  return needed.size === 0 ? ['look'] : [...needed];
}
