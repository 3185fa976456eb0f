/**
 * A recording run on a store in memory: undisturbed, or by a process that dies at one append and another that takes over.
 * Time is driven by hand and passes only when the run waits for it, so a schedule is the same each time.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { createAxle, type RunHandle, type RunResult } from '../../../src/axle.ts';
import type { Store } from '../../../src/journal/store.ts';
import { createHandClock, createMemoryStore, type HandClock } from '../../../src/testing.ts';
import type { Ids } from '../../../src/util/ids.ts';
import { airlineAgent, converse } from './customer.ts';
import { AirlineDesk } from './desk.ts';
import { deskTools, type Witness } from './desk-tools.ts';
import { ledgerInMemory } from './ledger.ts';
import { type Death, Life, mortalStore } from './mortal-store.ts';
import type { Recording } from './recording.ts';
import { judge, type Verdict } from './verdict.ts';

export interface Outcome extends Verdict {
  /** Appends of the first process. */
  readonly appends: number;
}

/** Turns of the event loop after which a run that neither moves nor rests is given up. */
const maxTurns = 10_000;
/** How often time is looked at, in turns. */
const turnsPerLook = 8;

/** Runs a recording to its end without a disturbance. */
export async function runUnkilled(recording: Recording): Promise<Outcome> {
  const world = openWorld(recording);
  const life = new Life();
  await live(world, life);
  return { ...(await judge(world.store, world.desk)), appends: life.appends };
}

/** Runs a recording in a process that dies, and goes on in a new one. `witness` replaces what the ledger says to `verify`. */
export async function runKilled(recording: Recording, death: Death, witness?: Witness): Promise<Outcome> {
  const world = { ...openWorld(recording), ...(witness === undefined ? {} : { witness }) };
  const first = new Life(death);
  const end = await live(world, first);
  if (end === 'dead') await live({ ...world, clock: createHandClock(world.clock.nowMs()) }, new Life());
  const verdict = await judge(world.store, world.desk);
  const survived = end === 'dead' ? [] : [`the process should have died at append ${death.at}`];
  return { ...verdict, problems: [...survived, ...verdict.problems], appends: first.appends };
}

/** What outlives a process. */
interface World {
  readonly desk: AirlineDesk;
  readonly store: Store;
  readonly clock: HandClock;
  readonly witness?: Witness;
}

function openWorld(recording: Recording): World {
  return { desk: new AirlineDesk(recording, ledgerInMemory()), store: createMemoryStore(), clock: createHandClock() };
}

/** One process from its start to its death or the end of the run. */
async function live({ desk, store, clock, witness }: World, life: Life): Promise<'dead' | 'ended'> {
  const axle = createAxle({
    store: mortalStore(store, life),
    tools: deskTools(desk, { reach: life.reach, ...(witness === undefined ? {} : { witness }) }),
    agents: [airlineAgent(desk)],
    ports: { clock, timers: clock, random: { next: () => 0.5 }, ids: countingIds(desk) },
    log: (level, message, fields) =>
      level === 'error' ? desk.note(`${message} ${JSON.stringify(fields)}`) : undefined,
  });
  const rest = (run: RunHandle): Promise<RunResult> => rested(run, { store, clock, life });
  const done = axle.then(async (opened) => converse(opened, desk, rest)).then(() => 'ended' as const);
  return Promise.race([done, life.ended]);
}

/** Waits until a run rests, and lets time pass when that is all it waits for. */
async function rested(
  run: RunHandle,
  { store, clock, life }: Pick<World, 'store' | 'clock'> & { readonly life: Life },
): Promise<RunResult> {
  const result = run.result();
  const moving = Promise.resolve(undefined);
  for (let turns = 1; !life.isDead; turns += 1) {
    await turn();
    const now = await Promise.race([result, moving]);
    if (now !== undefined) return now;
    if (turns > maxTurns) throw new Error(`Run ${run.id} neither moves nor rests.`);
    if (turns % turnsPerLook !== 0) continue;
    const status = (await store.run(run.id))?.status;
    if (status?.state === 'waiting' && status.wakeAtMs !== undefined) {
      await clock.advance(Math.max(0, status.wakeAtMs - clock.nowMs()));
    }
  }
  return new Promise(() => {});
}

let lastId = 0;

/** Ids that need no randomness; unique in this process, over all lives. */
function countingIds({ recording }: AirlineDesk): Ids {
  return {
    create: (prefix) => {
      lastId += 1;
      return `${prefix}_${recording.id.toLowerCase()}x${lastId}`;
    },
  };
}
