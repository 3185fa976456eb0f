import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from 'vitest';

// Runs around every test file: one that leaves a child process behind fails, since what leaks in a test leaks at a user's too.
afterAll(async () => {
  if (process.platform !== 'linux') return;
  // A process that was just killed needs a moment until it is gone.
  for (let round = 0; round < 40 && children().length > 0; round += 1) await sleep(50);
  const left = children();
  if (left.length > 0) throw new Error(`Child processes are left behind: ${left.join('; ')}`);
});

/** The children of this process that still run, as `pid command`. */
function children(): readonly string[] {
  return read(`/proc/${process.pid}/task/${process.pid}/children`)
    .split(' ')
    .filter((pid) => pid.trim() !== '')
    .filter((pid) => !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)))
    .map((pid) => `${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').trim()}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
