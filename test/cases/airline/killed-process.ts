/**
 * The same recordings with nothing simulated: a process of its own on a SQLite file, SIGKILL, and a second process that goes on.
 * It ties the deaths in memory (`in-process.ts`) to real ones.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '../../../src/axle.ts';
import { AirlineDesk } from './desk.ts';
import { heldLine, type Hold } from './holding-store.ts';
import { ledgerInFile } from './ledger.ts';
import type { Recording } from './recording.ts';
import { judge, type Verdict } from './verdict.ts';

/** What a process of `airline-process.ts` is told. */
export interface Job {
  readonly recordingId: string;
  readonly storePath: string;
  readonly ledgerPath: string;
  readonly hold?: Hold;
}

/** Where a process is killed, at the first write of its recording that succeeds. */
const killPoints = {
  'the intent is recorded and nothing was sent': { side: 'after', entry: 'attempt-started' },
  'the effect happened and is not recorded': { side: 'before', entry: 'attempt-finished' },
  'the outcome is recorded and nobody was told': { side: 'after', entry: 'attempt-finished' },
} as const;

export type KillPoint = keyof typeof killPoints;

// The keys of an object whose type is known.
export const killPointNames = Object.keys(killPoints) as readonly KillPoint[];

/** The recordings whose processes are killed: their first writes are a booking, a cancellation, two changes paid by gift card, a certificate. */
export const processSample: ReadonlySet<string> = new Set(['T01', 'T02', 'T04', 'T11', 'T33']);

const program = fileURLToPath(new URL('../airline-process.ts', import.meta.url));
/** A process that has not come to its point or its end by then is killed, and the run is not equal. */
const processTimeoutMs = 30_000;

/** Runs a recording in a process, kills it, lets another one finish, and judges what both left on the disk. */
export async function runKilledProcess(recording: Recording, point: KillPoint): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'axle-airline-'));
  const job: Job = {
    recordingId: recording.id,
    storePath: join(folder, 'axle.db'),
    ledgerPath: join(folder, 'ledger.jsonl'),
  };
  try {
    const [writeId] = recording.expected.successfulWrites;
    const write = recording.calls.find(({ id }) => id === writeId);
    if (write === undefined) throw new Error(`${recording.id} has no write.`);
    // A call is named by its step and its place in it.
    const killed = await runProcess({ ...job, hold: { ...killPoints[point], callId: `${write.turn}.0` } });
    const finished = await runProcess(job);
    const problems = [
      ...(killed.signal === 'SIGKILL' && killed.wasHeld
        ? []
        : [`the first process was not killed at its point: ${describe(killed)}`]),
      ...(finished.code === 0 ? [] : [`the second process did not finish: ${describe(finished)}`]),
    ];
    const verdict = await judgeFiles(recording, job);
    return { ...verdict, problems: [...problems, ...verdict.problems] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function judgeFiles(recording: Recording, { storePath, ledgerPath }: Job): Promise<Verdict> {
  const store = openSqliteStore(storePath, { role: 'client' });
  try {
    return await judge(store, new AirlineDesk(recording, ledgerInFile(ledgerPath)));
  } finally {
    await store.close();
  }
}

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly wasHeld: boolean;
  readonly errorText: string;
}

/** Runs one process to its end; one that stands still is killed. */
async function runProcess(job: Job): Promise<Ended> {
  const child = spawn(process.execPath, [program, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: processTimeoutMs,
    killSignal: 'SIGKILL',
  });
  let said = '';
  let errorText = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
    if (said.includes(`${heldLine}\n`)) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    errorText = `${errorText}${chunk}`.slice(-4_000);
  });
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode, wasHeld: said.includes(heldLine), errorText };
}

function describe({ code, signal, errorText }: Ended): string {
  return `exit ${code}, signal ${signal}, ${errorText}`;
}
