/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import { cases, type CaseName, isCaseName } from './round-plan.ts';

export interface Options {
  readonly rounds: number;
  readonly quick: boolean;
  readonly json: boolean;
  readonly peers: boolean;
  /** Cases to take; all when empty. */
  readonly only: readonly CaseName[];
  /** Milliseconds that samples taken again, because others were busy, may take in all. */
  readonly patienceMs: number;
  /** Folder of the disk to measure. */
  readonly disk: string | undefined;
}

export const usage = `npm run bench -- [options]

Measures what a turn costs beside a bare floor and beside other agent loops, and judges it by the bars in bench/README.md.

  --rounds N      rounds to take, 1 to 50 (5; with --quick 1)
  --quick         small sizes and one round: shows that everything runs; only counts are judged
  --only CASE     one case, may be repeated: ${cases.join(', ')}
  --no-peers      do not install or run the other loops; what is compared with them is not judged
  --disk FOLDER   measure the disk that this folder is on (.scratch of this checkout)
  --patience S    seconds that may go into taking noisy samples again, in all (300)
  --json          one object on standard output: {figures, rounds, machine, ...}; with npm, use "npm run -s bench -- --json"
  --help          this text

Progress goes to standard error. Exit code: 0 no judged figure misses its bar, 1 one does, 2 wrong usage.
`;

/** The options, or what is wrong with them; undefined when help was asked for. */
export function readOptions(words: readonly string[]): Options | string | undefined {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...words],
      options: {
        rounds: { type: 'string' },
        patience: { type: 'string', default: '300' },
        quick: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h' },
        'no-peers': { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        disk: { type: 'string' },
      },
    }));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (values.help === true) return undefined;
  const rounds = Number(values.rounds ?? (values.quick ? 1 : 5));
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 50) {
    return `--rounds takes a whole number from 1 to 50, not ${values.rounds ?? ''}.`;
  }
  const patienceMs = Number(values.patience) * 1_000;
  if (!(patienceMs >= 0 && patienceMs <= 86_400_000)) {
    return `--patience takes seconds from 0 to 86,400, not ${values.patience}.`;
  }
  const only = values.only.filter(isCaseName);
  const unknown = values.only.find((name) => !isCaseName(name));
  if (unknown !== undefined) return `There is no case ${unknown}; there are ${cases.join(', ')}.`;
  return {
    rounds,
    quick: values.quick,
    json: values.json,
    peers: !values['no-peers'],
    only,
    patienceMs,
    disk: values.disk,
  };
}
