/**
 * The recorded airline from the command line: `node test/cases/airline-main.ts`, with `--json` for one object on standard output.
 * Exit code 0 when every trajectory came out as it was recorded, each time it ran; 1 when not; 2 for words that it does not know.
 */
import process from 'node:process';
import { readRecordings } from './airline/recording.ts';
import { type AirlineReport, isAsRecorded, reportOn } from './airline/report.ts';

const words = process.argv.slice(2);
if (words.some((word) => word !== '--json')) {
  process.stderr.write('Usage: node test/cases/airline-main.ts [--json]\n');
  process.exit(2);
}

const startedAtMs = performance.now();
const report = await reportOn(readRecordings(), (line) => process.stderr.write(`${line}\n`));
const tookMs = Math.round(performance.now() - startedAtMs);
const ok = isAsRecorded(report);
process.stdout.write(
  words.includes('--json') ? `${JSON.stringify({ ...report, tookMs, ok })}\n` : inWords(report, tookMs),
);
process.exitCode = ok ? 0 : 1;

function inWords(result: AirlineReport, ms: number): string {
  const { trajectories, equal, kills, processKills, duplicateWrites, doubts } = result;
  return [
    `${equal} of ${trajectories} recorded trajectories equal, undisturbed and after each of ${kills} kills (${processKills} of real processes), in ${(ms / 1_000).toFixed(1)} s.`,
    `${result.toolCalls} calls, ${result.writes} writes, ${duplicateWrites} done twice; ${result.repeatedReads} reads ran again.`,
    `${doubts.byVerify + doubts.byPerson} writes were in doubt: ${doubts.byVerify} settled by verify, ${doubts.byPerson} by a person; ${doubts.happened} had happened.`,
    ...result.problems,
    '',
  ].join('\n');
}
