// `npm run kill`: kills real processes on the real SQLite store for a while, and judges by the ledger of effects. Progress goes to standard error.
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runKills } from './harness.ts';
import { heldTo, type KillReport } from './kill-report.ts';

const usage = `usage: npm run -s kill -- [--seconds 60] [--seed N] [--json] [--keep]

  --seconds N  how long processes are killed, 1 to 3600; then everything is let finish (60)
  --seed N     repeats the choices of what is killed where; the machine's own timing is not repeated
  --json       prints one JSON object on standard output
  --keep       leaves store and ledger in their temporary folder and says where it is
  --help

Exits with 0 when nothing was lost or doubled and enough was seen, with 1 when not, with 2 for a wrong argument.
`;

interface Arguments {
  readonly seconds: number;
  readonly seed: number;
  readonly json: boolean;
  readonly keep: boolean;
}

function readArguments(): Arguments | undefined {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string' },
      json: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const seconds = Number(values.seconds);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));
  if (!(seconds >= 1 && seconds <= 3_600)) {
    throw new Error(`--seconds is a number from 1 to 3600, and not ${values.seconds}.`);
  }
  if (!Number.isInteger(seed)) throw new Error(`--seed is a whole number, and not ${values.seed}.`);
  return { seconds, seed, json: values.json, keep: values.keep };
}

async function main(): Promise<number> {
  let wanted: Arguments | undefined;
  try {
    wanted = readArguments();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (wanted === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  const { seconds, seed, json, keep } = wanted;
  process.stderr.write(`kill: seed ${seed}, ${seconds} s\n`);
  const seen = await runKills({ seconds, seed, keep, onProgress: (text) => process.stderr.write(`kill: ${text}\n`) });
  const result = heldTo(
    { kills: Math.floor((100 * seconds) / 60), effects: Math.floor((500 * seconds) / 60), points: 25 },
    seen,
  );
  process.stdout.write(json ? `${JSON.stringify({ ...result, seed })}\n` : inWords(result));
  return result.violations.length === 0 ? 0 : 1;
}

function inWords(result: KillReport): string {
  const { points, violations } = result;
  return [
    `${result.kills} kills of a driver and ${result.clientKills} of a client, at ${points.hit} of ${points.total} named points and at random`,
    `${result.effects} effects of ${result.runs} runs: ${result.lost} lost, ${result.doubled} doubled, ${result.inDoubt} in doubt, of which ${result.inDoubtHappened} had happened`,
    `${result.takeovers} takeovers, ${result.approvals} approvals, ${result.snapshots} runs with a snapshot, ${result.seconds} s`,
    ...violations.map(({ kind, text }) => `${kind}: ${text}`),
    violations.length === 0 ? 'ok' : `${violations.length} violations`,
    '',
  ].join('\n');
}

process.exitCode = await main();
