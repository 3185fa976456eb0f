/** The command line of the simulation. */
import os from 'node:os';
import { parseArgs } from 'node:util';

export interface Options {
  readonly seconds: number;
  readonly seed: number;
  readonly json: boolean;
  readonly workers: number;
  readonly replay: string | undefined;
  readonly help: boolean;
}

export const usage = `npm run sim -- [options]

Runs whole Axles on a clock and in an order of the simulation's own, lets processes crash, stores fail and people dawdle, and holds what comes out to the laws
in test/simulation/checkers. Bugs planted on purpose must be found.

  --seconds N      how long to explore, after the planted bugs were hunted (default 60)
  --seed N         where the seeds begin (default: drawn from the time)
  --workers N      threads (default: one for each processor)
  --json           one JSON object on standard output; what happens meanwhile goes to standard error
  --replay WHAT    a file that a failure was written to, or a seed: prints the interleaving and what it breaks
  --help           this text

Exit codes: 0 all laws held and every planted bug was found; 1 not so, or too little was seen; 2 wrong usage.
`;

/** @throws Error with words for the user */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    strict: true,
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string' },
      workers: { type: 'string' },
      json: { type: 'boolean' },
      replay: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  return {
    seconds: whole('seconds', values.seconds, { fallback: 60, min: 1, max: 86_400 }),
    seed: whole('seed', values.seed, {
      fallback: Math.floor(Date.now() / 1_000),
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
    workers: whole('workers', values.workers, { fallback: os.availableParallelism(), min: 1, max: 64 }),
    json: values.json ?? false,
    replay: values.replay,
    help: values.help ?? false,
  };
}

function whole(
  name: string,
  text: string | undefined,
  { fallback, min, max }: { readonly fallback: number; readonly min: number; readonly max: number },
): number {
  const value = text === undefined ? fallback : Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new Error(`--${name} is a whole number from ${min} to ${max}, and not ${text}.`);
  }
  return value;
}
