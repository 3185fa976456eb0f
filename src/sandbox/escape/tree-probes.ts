/**
 * Attempts to outlive the job: a process that leaves its group, its session and its parent, with an environment that carries no mark.
 *
 * E4 It counts only when the host saw that process while the job ran: what cannot be seen cannot be said to be gone.
 */
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProbeResult } from '../../execute/sandbox/sandbox-driver.ts';
import { type HostWorld, processesWith } from './host-world.ts';
import type { RunProbe } from './verdict.ts';

export async function treeProbes(
  run: RunProbe,
  world: Pick<HostWorld, 'word'>,
  thorough: boolean,
): Promise<readonly ProbeResult[]> {
  const orderly = orderlyProbe(run, world);
  if (!thorough) return [await orderly];
  const cut = {
    probe: 'outlive a job that is killed',
    word: `${world.word}-2`,
    then: 'while :; do sleep 1; done',
    wallMs: 1_500,
  };
  return Promise.all([orderly, treeProbe(run, cut)]);
}

/** On a machine that is busy the host may need longer to see the process: a job that ended before is made again, and stays longer. (E4) */
async function orderlyProbe(run: RunProbe, world: Pick<HostWorld, 'word'>): Promise<ProbeResult> {
  const probe = 'outlive a job that ends';
  for (const [index, seconds] of stays.entries()) {
    const word = `${world.word}-1${'a'.repeat(index)}`;
    const result = await treeProbe(run, { probe, word, then: `sleep ${seconds}`, wallMs: 10_000 });
    const isHostBlind = (await processesWith(word)) === undefined;
    if (result.verdict !== 'void' || isHostBlind) return result;
  }
  return { probe, property: 'treeKill', verdict: 'void' };
}

/** Seconds. */
const stays = [0.3, 1.5, 4] as const;

interface TreeProbe {
  readonly probe: string;
  /** Stands in the arguments of the process that hides. */
  readonly word: string;
  /** What the job does after it has started that process. */
  readonly then: string;
  readonly wallMs: number;
}

async function treeProbe(run: RunProbe, { probe, word, then, wallMs }: TreeProbe): Promise<ProbeResult> {
  const hide = `( env -i setsid sh -c 'trap "" TERM HUP INT; n=0; while [ $n -lt 60 ]; do sleep 1; n=$((n + 1)); done' ${word} > /dev/null 2>&1 < /dev/null & )`;
  const ended = new AbortController();
  const seen = watch(word, ended.signal);
  const result = await run(['sh', '-c', `command -v setsid > /dev/null || exit 9; ${hide}; ${then}`], { wallMs });
  ended.abort();
  const wasSeen = await seen;
  const left = await leftOf(word);
  for (const pid of left) killQuietly(pid);
  const isVoid = !wasSeen || result.end.kind === 'not-started';
  return { probe, property: 'treeKill', verdict: left.length > 0 ? 'open' : isVoid ? 'void' : 'contained' };
}

/** True when a process with the word, and none that merely quotes it, was there before the signal came. */
async function watch(word: string, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    const found = await hidden(word);
    if (found.length > 0) return true;
    if (signal.aborted) return false;
    await delay(10);
  }
}

async function leftOf(word: string): Promise<readonly number[]> {
  let left: readonly number[] = [];
  // What is killed needs a moment until it is gone.
  for (let round = 0; round < 20; round += 1) {
    left = await hidden(word);
    if (left.length === 0) break;
    await delay(25);
  }
  return left;
}

/** The process that hides has the word as its last argument; the shell of the job has it within a script. */
async function hidden(word: string): Promise<readonly number[]> {
  return (await processesWith(`\0${word}\0`)) ?? [];
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
