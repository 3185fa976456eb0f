/**
 * The sandboxes of one Axle: its drivers, what each has proven, and the way from a contract to a driver.
 *
 * B3 A driver is probed once, when the first program asks for it; the answer is kept as long as the Axle lives.
 * B4 What runs a program is a driver whose proof covers all that its contract needs, or nothing.
 * B5 At most `maxJobs` jobs run at a time; the others wait in the order in which they came, and hear their abort. No more than `maxWaiting` wait.
 */
import { failureOf } from '../../call/failure.ts';
import type { Failure } from '../../call/outcome.ts';
import { isSourceProgram, type Program, type SandboxTerms } from '../../contract/program.ts';
import { messageOf } from '../../error/axle-error.ts';
import { type Choice, chooseDriver } from './choose-driver.ts';
import { notStarted } from './not-started.ts';
import type { Proof, SandboxDriver, SandboxJob, SandboxResult } from './sandbox-driver.ts';

/** A place for one program, found before its attempt begins. */
export type SandboxPlace =
  | { readonly kind: 'place'; readonly driver: string; readonly run: SandboxDriver['run'] }
  | { readonly kind: 'unavailable'; readonly failure: Failure };

/** The port that a driver of runs is handed. */
export interface SandboxPort {
  /** Where a program runs, or why nowhere. Never throws. */
  place(body: {
    readonly name: string;
    readonly program: Program;
    readonly sandbox: SandboxTerms;
  }): Promise<SandboxPlace>;
}

export interface Sandboxes extends SandboxPort {
  close(): Promise<void>;
}

/** @param maxJobs Jobs that run at a time. @defaultValue 64 */
export function createSandboxes(drivers: readonly SandboxDriver[], maxJobs = 64): Sandboxes {
  const proofs = new Map<SandboxDriver, Promise<Proof>>();
  const proofOf = (driver: SandboxDriver): Promise<Proof> => {
    const known = proofs.get(driver) ?? proved(driver);
    proofs.set(driver, known);
    return known;
  };
  const places = new Places(maxJobs);
  const choices = new Map<string, Promise<Choice>>();
  return {
    place: async ({ name, program, sandbox: { properties, network } }) => {
      const runs = isSourceProgram(program) ? 'source' : 'command';
      const reaches = network.length > 0;
      const key = [runs, reaches, ...properties].join(' ');
      const choice = choices.get(key) ?? chooseDriver(drivers, { runs, properties, reaches }, proofOf);
      choices.set(key, choice);
      const chosen = await choice;
      if (chosen.kind === 'none') {
        const needs = properties.length === 0 ? 'any sandbox' : `a sandbox that holds back ${properties.join(', ')}`;
        const message = `${name} needs ${needs}, and here there is none: ${chosen.reason}.`;
        return { kind: 'unavailable', failure: failureOf('sandbox-unavailable', message, { evidence: 'none' }) };
      }
      const { driver } = chosen;
      return { kind: 'place', driver: driver.id, run: (job, signal) => places.run(driver, job, signal) };
    },
    close: async () => {
      await Promise.allSettled(drivers.map((driver) => driver.close()));
    },
  };
}

async function proved(driver: SandboxDriver): Promise<Proof> {
  try {
    return await driver.probe();
  } catch (error) {
    return { kind: 'unusable', reason: `its proof broke: ${messageOf(error)}` };
  }
}

const maxWaiting = 10_000;

/** A bounded number of places, given in order. */
class Places {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async run(driver: SandboxDriver, job: SandboxJob, signal: AbortSignal): Promise<SandboxResult> {
    if (this.#waiting.length >= maxWaiting) return notStarted(`more than ${maxWaiting} programs wait for their turn`);
    if (!(await this.#take(signal))) return notStarted('it was given up before its turn came');
    try {
      return await driver.run(job, signal);
    } finally {
      this.#giveBack();
    }
  }

  /** False when the job was given up before its turn came. */
  #take(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(true);
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        resolve(false);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.#waiting.push(go);
    });
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
