/** Everything about the recorded airline in one object: each recording undisturbed, killed at every append, and some of them killed as real processes. */
import { type Outcome, runUnkilled } from './in-process.ts';
import { killEverywhere, nothingYet, type Tally, together, withRun } from './kill-everywhere.ts';
import { killPointNames, processSample, runKilledProcess } from './killed-process.ts';
import type { Recording } from './recording.ts';
import type { Doubts } from './verdict.ts';

export interface AirlineReport {
  readonly trajectories: number;
  /** Trajectories that came out as recorded each time they ran, undisturbed and killed. */
  readonly equal: number;
  readonly toolCalls: number;
  readonly writes: number;
  /** Appends of all undisturbed runs. */
  readonly appends: number;
  /** Deaths in memory (two at each append) and real ones. */
  readonly kills: number;
  /** Of these: processes on SQLite, ended by SIGKILL. */
  readonly processKills: number;
  readonly unequalAfterKill: number;
  readonly duplicateWrites: number;
  /** Reads that were cut off and ran again, which they may. */
  readonly repeatedReads: number;
  readonly doubts: Doubts;
  /** What differed, in words; at most 50. */
  readonly problems: readonly string[];
}

const maxProblems = 50;

/** What became of one recording. */
interface Examined {
  readonly undisturbed: Outcome;
  readonly inMemory: Tally;
  readonly onDisk: Tally;
}

/** Runs it all. `tell` hears of each recording. */
export async function reportOn(recordings: readonly Recording[], tell: (line: string) => void): Promise<AirlineReport> {
  // The processes are killed beside the deaths in memory: each side has a processor of its own where there are two.
  const [inMemory, onDisk] = await Promise.all([killInMemory(recordings, tell), killProcesses(recordings, tell)]);
  const examined = inMemory.map((one, place): Examined => ({ ...one, onDisk: onDisk[place] ?? nothingYet }));
  const killed = examined.map((one) => together(one.inMemory, one.onDisk));
  const sum = killed.reduce(together, nothingYet);
  const problems = [...examined.flatMap(({ undisturbed }) => undisturbed.problems), ...sum.problems];
  return {
    trajectories: recordings.length,
    equal: examined.filter(
      ({ undisturbed }, place) => undisturbed.problems.length === 0 && killed[place]?.unequal === 0,
    ).length,
    toolCalls: recordings.reduce((count, { calls }) => count + calls.length, 0),
    writes: recordings.reduce((count, { expected }) => count + expected.successfulWrites.length, 0),
    appends: examined.reduce((count, { undisturbed }) => count + undisturbed.appends, 0),
    kills: sum.kills,
    processKills: onDisk.reduce((count, { kills }) => count + kills, 0),
    unequalAfterKill: sum.unequal,
    duplicateWrites: sum.duplicates + examined.reduce((count, { undisturbed }) => count + undisturbed.duplicates, 0),
    repeatedReads: sum.repeatedReads,
    doubts: sum.doubts,
    problems: problems.slice(0, maxProblems),
  };
}

/** True only when nothing differed, nothing was done twice, and every append and a real kill were seen. */
export function isAsRecorded(report: AirlineReport): boolean {
  const { trajectories, equal, kills, processKills, appends, duplicateWrites, unequalAfterKill } = report;
  const sawEnough = trajectories > 0 && appends > 0 && processKills > 0 && kills === 2 * appends + processKills;
  return sawEnough && equal === trajectories && duplicateWrites === 0 && unequalAfterKill === 0;
}

async function killInMemory(
  recordings: readonly Recording[],
  tell: (line: string) => void,
): Promise<Omit<Examined, 'onDisk'>[]> {
  const examined: Omit<Examined, 'onDisk'>[] = [];
  for (const recording of recordings) {
    const undisturbed = await runUnkilled(recording);
    const inMemory = await killEverywhere(recording);
    tell(
      `${recording.id}: ${undisturbed.appends} appends, ${inMemory.kills} deaths, ${undisturbed.problems.length + inMemory.unequal} unequal`,
    );
    examined.push({ undisturbed, inMemory });
  }
  return examined;
}

/** One tally for each recording; empty for those that no process is killed for. */
async function killProcesses(
  recordings: readonly Recording[],
  tell: (line: string) => void,
): Promise<readonly Tally[]> {
  const tallies: Tally[] = [];
  for (const recording of recordings) {
    let tally = nothingYet;
    for (const point of processSample.has(recording.id) ? killPointNames : []) {
      tally = withRun(tally, await runKilledProcess(recording, point), `${recording.id}, killed where ${point}`);
    }
    if (tally.kills > 0) tell(`${recording.id}: ${tally.kills} processes killed, ${tally.unequal} unequal`);
    tallies.push(tally);
  }
  return tallies;
}
