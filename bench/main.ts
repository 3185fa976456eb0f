// `npm run bench`: rounds of samples, then figures held to their bars. See bench/README.md.
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { figuresOf } from './bars.ts';
import { FigureMaker } from './figures.ts';
import { installPeers } from './install-peers.ts';
import { isTmpfs, machine } from './machine.ts';
import { type Options, readOptions, usage } from './options.ts';
import { fullSizes, needsPeers, type Planned, planRound, quickSizes } from './round-plan.ts';
import type { Sample } from './sample-spec.ts';
import { tableOf } from './table.ts';
import { takeSample } from './take-sample.ts';

const tmpfs = '/dev/shm';
const tell = (line: string): void => void process.stderr.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));

async function main(words: readonly string[]): Promise<number> {
  const options = readOptions(words);
  if (options === undefined) {
    process.stdout.write(usage);
    return 0;
  }
  if (typeof options === 'string') {
    tell(`${options}\n\n${usage}`);
    return 2;
  }
  return bench(options);
}

async function bench(options: Options): Promise<number> {
  const sizes = options.quick ? quickSizes : fullSizes;
  const about = { sizes, only: options.only };
  const disk = options.disk ?? fileURLToPath(new URL('../.scratch', import.meta.url));
  mkdirSync(disk, { recursive: true });
  const isAsked = planRound(0, about).some(needsPeers);
  const noPeers = !options.peers ? 'peers were left out (--no-peers)' : isAsked ? await installPeers(tell) : undefined;
  const skipped: string[] = [];
  if (noPeers !== undefined && isAsked) skipped.push(`Other loops: ${noPeers}.`);
  if (!isTmpfs(tmpfs)) skipped.push(`Everything on tmpfs: ${tmpfs} is not a tmpfs here.`);
  if (isTmpfs(disk)) skipped.push(`Nothing is on a disk: ${disk} is a tmpfs. Name another folder with --disk.`);
  const canTake = (planned: Planned): boolean =>
    !(needsPeers(planned) && noPeers !== undefined) && !(planned.place === 'tmpfs' && !isTmpfs(tmpfs));

  const patience = { leftMs: options.quick ? 0 : options.patienceMs };
  const rounds: ReadonlyMap<string, Sample>[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    tell(`Round ${round + 1} of ${options.rounds}`);
    const samples = new Map<string, Sample>();
    for (const planned of planRound(round, about)) {
      if (!canTake(planned)) continue;
      const startedMs = performance.now();
      samples.set(planned.id, await takeSample(planned, { folders: { tmpfs, disk }, patience, tell }));
      tell(`  ${planned.id} (${((performance.now() - startedMs) / 1_000).toFixed(1)} s)`);
    }
    rounds.push(samples);
  }

  const whyNotSized = options.quick ? 'the sizes of --quick are too small' : undefined;
  const figures = figuresOf(new FigureMaker(rounds, { whyNotSized, neededRounds: Math.min(options.rounds, 5) }), about);
  const missed = figures.filter((figure) => figure.ok === false);
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({ figures, ok: missed.length === 0, rounds: options.rounds, quick: options.quick, skipped, machine: machine() })}\n`,
    );
  } else {
    const judged = figures.filter((figure) => figure.ok !== null).length;
    process.stdout.write(
      `${tableOf(figures)}\n\n${skipped.map((line) => `Skipped. ${line}\n`).join('')}${judged} figures were judged, ${missed.length} missed their bar.\n`,
    );
  }
  return missed.length === 0 ? 0 : 1;
}
