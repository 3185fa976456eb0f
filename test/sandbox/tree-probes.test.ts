import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import process from 'node:process';
import { expect, test } from 'vitest';
import { processesWith } from '../../src/sandbox/escape/host-world.ts';
import { treeProbes } from '../../src/sandbox/escape/tree-probes.ts';
import type { RunProbe } from '../../src/sandbox/escape/verdict.ts';

const usage = { wallMs: 1, outputBytes: 0 };
const ok = { end: { kind: 'ok' }, stdout: '', stderr: '', usage } as const;

test.runIf(process.platform === 'linux')(
  'a job that is over before the host has seen its process is made again, and then it counts (E4)',
  { timeout: 30_000 },
  async () => {
    const word = `axle-${randomUUID()}`;
    let jobs = 0;
    const run: RunProbe = async ([command = '', ...args]) => {
      jobs += 1;
      // As on a machine that is so busy that the first one is over before anybody looks.
      if (jobs === 1) return ok;
      await once(spawn(command, args), 'exit');
      for (const pid of (await processesWith(`\0${word}-1a\0`)) ?? []) process.kill(pid, 'SIGKILL');
      return ok;
    };

    expect(await treeProbes(run, { word }, false)).toMatchObject([{ property: 'treeKill', verdict: 'contained' }]);
    expect(jobs).toBe(2);
  },
);
