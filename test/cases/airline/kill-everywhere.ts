/** A recording killed at every one of its appends, before and after it. */
import { runKilled, runUnkilled } from './in-process.ts';
import type { Recording } from './recording.ts';
import type { Verdict } from './verdict.ts';

/** Several runs of one recording, added up. */
export interface Tally extends Verdict {
  /** Runs of which something differed from the recording. */
  readonly unequal: number;
  readonly kills: number;
}

export const nothingYet: Tally = {
  problems: [],
  unequal: 0,
  kills: 0,
  duplicates: 0,
  repeatedReads: 0,
  doubts: { byVerify: 0, byPerson: 0, happened: 0 },
};

/** Kills a process at each append of the recording's undisturbed run, on both sides, and lets another one finish each time. */
export async function killEverywhere(recording: Recording): Promise<Tally> {
  const { appends } = await runUnkilled(recording);
  let tally = nothingYet;
  for (let at = 1; at <= appends; at += 1) {
    for (const side of ['before', 'after'] as const) {
      const verdict = await runKilled(recording, { at, side });
      tally = withRun(tally, verdict, `${recording.id}, killed ${side} append ${at}`);
    }
  }
  return tally;
}

/** One killed run more. */
export function withRun(tally: Tally, verdict: Verdict, name: string): Tally {
  const { problems } = verdict;
  const one = {
    ...verdict,
    problems: problems.map((problem) => `${name}: ${problem}`),
    unequal: problems.length > 0 ? 1 : 0,
    kills: 1,
  };
  return together(tally, one);
}

export function together(first: Tally, second: Tally): Tally {
  return {
    problems: [...first.problems, ...second.problems],
    unequal: first.unequal + second.unequal,
    kills: first.kills + second.kills,
    duplicates: first.duplicates + second.duplicates,
    repeatedReads: first.repeatedReads + second.repeatedReads,
    doubts: {
      byVerify: first.doubts.byVerify + second.doubts.byVerify,
      byPerson: first.doubts.byPerson + second.doubts.byPerson,
      happened: first.doubts.happened + second.doubts.happened,
    },
  };
}
