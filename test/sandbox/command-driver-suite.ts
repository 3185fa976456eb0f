/** What every sandbox driver for commands must do, whatever else it holds back. Run against each of them. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxDriver } from '../../src/execute/sandbox/sandbox-driver.ts';
import { processesWith } from '../../src/sandbox/escape/host-world.ts';
import { commandJob, limits, never, shellJob } from './jobs.ts';
import { cannotRun, proofOf } from './available.ts';

/** Kills of the last test; `AXLE_SANDBOX_KILLS=200` for the figure that is published. */
const kills = Number(process.env['AXLE_SANDBOX_KILLS'] ?? 12);

/** Sandboxes that have ended and that nobody has collected, as `number (name) state parent`. */
function zombies(): readonly string[] {
  const names = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return names.flatMap((name) => {
    try {
      const [zombie] =
        /^\d+ \((?:bwrap|prlimit|docker-init)\) Z \d+/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
      return zombie ?? [];
    } catch {
      return [];
    }
  });
}

/** Aborts a job whose process can be seen, or that has had the time to begin where none can. */
async function abortOnceRunning(mark: string, ended: AbortController): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    const found = await processesWith(`; :\0${mark}\0`);
    if (found === undefined ? tries > 20 : found.length > 0) break;
    await delay(25);
  }
  ended.abort();
}

export function commandDriverSuite(makeDriver: () => SandboxDriver): void {
  let driver: SandboxDriver;
  let isUsable = false;
  let killsTree = false;

  beforeAll(async () => {
    driver = makeDriver();
    const proof = await proofOf(driver, false);
    isUsable = proof !== undefined;
    killsTree = proof?.properties.includes('treeKill') ?? false;
  }, 60_000);

  afterAll(() => driver.close());

  /** A test of a driver that this machine may lack, which was said then. */
  const usable = (title: string, body: () => Promise<void>, timeoutMs = 30_000): void => {
    test(
      // oxlint-disable-next-line vitest/valid-title -- each use below gives a sentence
      title,
      async ({ skip }) => {
        skip(!isUsable, cannotRun(driver));
        await body();
      },
      timeoutMs,
    );
  };

  usable('hands over input, files and environment, and nothing of the host', async () => {
    const result = await driver.run(
      shellJob('cat; cat lib/a.txt; echo "$GREETING"; pwd | grep -q / && env | cut -d= -f1 | sort | tr "\\n" " "', {
        stdin: 'from stdin\n',
        files: { 'lib/a.txt': 'from a file\n' },
        environment: { GREETING: 'from the environment' },
      }),
      never,
    );
    expect(result.end).toEqual({ kind: 'ok' });
    const lines = result.stdout.split('\n');
    expect(lines.slice(0, 3)).toEqual(['from stdin', 'from a file', 'from the environment']);
    const names = lines[3]
      ?.trim()
      .split(' ')
      .filter((name) => !['_', 'HOSTNAME', 'SHLVL', 'OLDPWD'].includes(name));
    expect(names).toEqual(['GREETING', 'HOME', 'LANG', 'PATH', 'PWD', 'TMPDIR']);
  });

  usable('takes a value of a variable by its name, when the job starts', async () => {
    const environment = { TOKEN: { variable: 'AXLE_TEST_SANDBOX_TOKEN' } };
    const missing = await driver.run(shellJob('echo "$TOKEN"', { environment }), never);
    expect(missing.end).toMatchObject({
      kind: 'not-started',
      reason: expect.stringContaining('AXLE_TEST_SANDBOX_TOKEN'),
    });
    process.env['AXLE_TEST_SANDBOX_TOKEN'] = 'a value';
    try {
      expect((await driver.run(shellJob('echo "$TOKEN"', { environment }), never)).stdout).toBe('a value\n');
    } finally {
      delete process.env['AXLE_TEST_SANDBOX_TOKEN'];
    }
  });

  usable('tells how a job ended: well, by its own code, by time, by output, by its caller', async () => {
    const ended = new AbortController();
    const mark = `axle-abort-${randomBytes(6).toString('hex')}`;
    const results = await Promise.all([
      driver.run(shellJob('exit 0'), never),
      driver.run(shellJob('echo why >&2; exit 3'), never),
      driver.run(shellJob("trap '' TERM; while :; do sleep 1; done", { wallMs: 700 }), never),
      driver.run(commandJob(['cat', '/dev/zero'], { limits: { ...limits, outputBytes: 1_000 } }), never),
      driver.run(commandJob(['sh', '-c', 'sleep 30; :', mark]), ended.signal),
      abortOnceRunning(mark, ended),
    ]);
    expect(results.slice(0, 5).map((result) => result?.end)).toEqual([
      { kind: 'ok' },
      { kind: 'exit', code: 3 },
      { kind: 'timeout' },
      { kind: 'output-limit' },
      { kind: 'killed', signal: 'SIGKILL' },
    ]);
    expect(results[1].stderr).toBe('why\n');
    expect(results[3].stdout).toHaveLength(1_000);
  });

  usable('begins nothing after an abort', async () => {
    expect((await driver.run(shellJob('echo began'), AbortSignal.abort())).end.kind).toBe('not-started');
  });

  usable('ends a job that uses up its processor time', async () => {
    const { end } = await driver.run(shellJob('while :; do :; done', { limits: { ...limits, cpuMs: 1_000 } }), never);
    expect(end.kind === 'cpu' || end.kind === 'killed').toBe(true);
  });

  usable(
    `leaves no process behind after ${kills} jobs that were killed or timed out at any moment`,
    async () => {
      const mark = `axle-kill-${randomBytes(6).toString('hex')}`;
      // Children in the job's group, and, where the driver has proven that it finds them, daemons that left group, session and parent.
      const daemon = `( env -i setsid sh -c 'while :; do sleep 1; done' ${mark} > /dev/null 2>&1 < /dev/null & )`;
      const script = `${killsTree ? daemon : ':'}; sh -c 'while :; do sleep 1; done' ${mark} & sh -c 'while :; do sleep 1; done' ${mark}; wait`;
      let counted = 0;
      for (let done = 0; done < kills; done += 10) {
        const batch = Array.from({ length: Math.min(10, kills - done) }, async (_, index) => {
          const byCaller = index % 2 === 0;
          const afterMs = ((done + index) * 37) % 400;
          const ended = new AbortController();
          const timer = byCaller ? setTimeout(() => ended.abort(), afterMs) : undefined;
          const { end } = await driver.run(shellJob(script, { wallMs: byCaller ? 20_000 : afterMs + 1 }), ended.signal);
          clearTimeout(timer);
          if (end.kind === 'timeout' || end.kind === 'killed' || end.kind === 'not-started') counted += 1;
        });
        await Promise.all(batch);
      }
      expect(counted).toBe(kills);
      await expect.poll(() => processesWith(mark), { timeout: 3_000 }).toEqual([]);
      // Those of other tests come and go meanwhile.
      const left = new Set(zombies());
      await expect.poll(() => zombies().filter((each) => left.has(each)), { timeout: 3_000 }).toEqual([]);
    },
    Math.max(60_000, kills * 3_000),
  );
}
