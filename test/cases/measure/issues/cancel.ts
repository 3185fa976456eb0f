/** A cancel reaches the processes of a tool, and theirs. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { agent, createAxle, tool } from 'axle';
import { scriptedBrain } from 'axle/testing';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

/** How long processes may take to be gone. */
const graceMs = 2_000;

export async function cancelCases({ input }: Issue): Promise<Verdict> {
  const script = /^sh -c '(.*)'$/.exec(String(input['tool']))?.[1];
  const afterMs = Number(/after (\d+) ms/.exec(String(input['event']))?.[1]);
  if (script === undefined || Number.isNaN(afterMs)) return notCovered('no command and no moment to cancel it');
  // What a process was started with names it, whoever its parent is by now.
  const mark = `case-${Date.now()}-${Math.random()}`;
  const wait = tool({
    name: 'wait',
    description: 'A tool of a case.',
    effect: 'read',
    timeout: '100s',
    input: { type: 'object' },
    run: { command: ['sh', '-c', script], stdout: 'text', environment: { AXLE_CASE: mark } },
    sandbox: 'none',
  });
  const model = scriptedBrain([{ calls: [{ name: 'wait', input: {} }] }, 'end']);
  const subject = agent({ name: 'subject', model, tools: ['wait'], budget: { time: '100s' } });
  await using axle = await createAxle({ store: ':memory:', tools: [wait], agents: [subject], log: () => {} });
  const run = await axle.start('subject', { input: 'Wait.' });
  if (!(await until(() => livingWith(mark) > 0))) return wrong('the command was not started');
  await delay(afterMs);
  await run.cancel('The case says so.');
  const { status } = await run.result({ until: 'ended' });
  if (!(await until(() => livingWith(mark) === 0))) {
    return wrong(`${livingWith(mark)} processes are left`, { unsafe: true });
  }
  return status === 'cancelled' ? right : wrong(`the run ended as ${status}`);
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let waitedMs = 0; waitedMs <= graceMs; waitedMs += 20) {
    if (condition()) return true;
    await delay(20);
  }
  return false;
}

/** Processes whose environment holds the mark; zombies have none. */
function livingWith(mark: string): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  }).length;
}
