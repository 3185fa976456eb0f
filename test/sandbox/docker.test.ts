import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { docker, sandboxProperties } from '../../src/sandbox.ts';
import { processesWith } from '../../src/sandbox/escape/host-world.ts';
import { openProbes, needed } from './available.ts';
import { commandDriverSuite } from './command-driver-suite.ts';
import { limits, never, shellJob } from './jobs.ts';

const owner = fileURLToPath(new URL('fixtures/owner.ts', import.meta.url));

/** True while a process inside of a container has the word among its arguments; the owner has it too, as its last. */
async function isRunning(word: string): Promise<boolean> {
  return ((await processesWith(`done\0${word}\0`)) ?? []).length > 0;
}

/** The containers of a process, and whether they run; others may be at work on the same engine. */
async function containersOf(
  pid: number | undefined,
): Promise<readonly { readonly id: string; readonly isRunning: boolean }[]> {
  const label = 'dev.axle.sandbox.owner';
  const format = `{{.ID}} {{.State}} {{.Label "${label}"}}`;
  const { stdout } = await promisify(execFile)('docker', [
    'ps',
    '-a',
    '--filter',
    `label=${label}`,
    '--format',
    format,
  ]);
  const lines = stdout.split('\n').map((line) => line.split(' '));
  return lines
    .filter((words) => words.at(-2) === String(pid))
    .map(([id = '', state]) => ({ id, isRunning: state === 'running' }));
}

describe('the sandbox driver docker with containers that wait', () => {
  commandDriverSuite(() => docker({ warm: 2 }));

  test('contains every attempt to break out', async ({ skip }) => {
    const driver = docker({ warm: 2 });
    const proof = await needed(driver, skip, { thorough: true });
    expect(openProbes(proof)).toEqual([]);
    expect(proof.properties).toEqual(sandboxProperties);
    await driver.close();
  }, 120_000);

  test('gives each job one of its own: what a job leaves reaches none after it', async ({ skip }) => {
    const driver = docker({ warm: 2 });
    await needed(driver, skip);
    const look = 'echo $(ls -A . /tmp /dev/shm | wc -l) $(ps | grep -c "[s]leep 60") $(hostname) "$LEFT"';
    const leave = 'echo x > left; echo x > /tmp/left; sleep 60 & (setsid sleep 60 &); exit 0';
    const clean = (await driver.run(shellJob(look), never)).stdout;
    for (let round = 0; round < 3; round += 1) {
      expect((await driver.run(shellJob(leave, { environment: { LEFT: 'x' } }), never)).end).toEqual({ kind: 'ok' });
      expect((await driver.run(shellJob(look), never)).stdout).toBe(clean);
    }
    await driver.close();
  }, 120_000);

  test('hands over whatever a job may be: quotes, line ends, bytes, large files, long arguments', async ({ skip }) => {
    const driver = docker({ warm: 1 });
    await needed(driver, skip);
    const odd = `a'b"c\n$(id)\\ \`x\` * ; ä\n`;
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    const files = { 'in/a.bin': bytes, 'in/b.txt': odd };
    const script = 'printf %s "$1"; printf %s "$ODD"; cat in/b.txt; cat; md5sum < in/a.bin; echo $#';
    const run = (extra: readonly string[]) =>
      driver.run(
        {
          ...shellJob('', { files, environment: { ODD: odd }, stdin: 'on stdin ' }),
          code: { kind: 'command', command: ['sh', '-c', script, 'sh', odd, ...extra] },
        },
        never,
      );
    const warm = await run([]);
    expect(warm.stdout.startsWith(`${odd}${odd}${odd}on stdin `)).toBe(true);
    expect(warm.stdout).toContain(`on stdin ${createHash('md5').update(bytes).digest('hex')}`);
    expect(warm.stdout.endsWith('\n1\n')).toBe(true);
    // Too long for a container that waits.
    const long = await run(['x'.repeat(70_000)]);
    expect(long.stdout).toBe(warm.stdout.replace(/1\n$/, '2\n'));
    await driver.close();
  }, 120_000);

  test('holds no more than it may, and none once it is closed', async ({ skip }) => {
    const driver = docker({ warm: 2 });
    await needed(driver, skip);
    // Those of the suite above wait as well.
    const others = (await containersOf(process.pid)).length;
    const count = async () => (await containersOf(process.pid)).length - others;
    for (const wallMs of [9_001, 9_002, 9_003]) await driver.run(shellJob('true', { wallMs }), never);
    await expect.poll(count, { timeout: 20_000 }).toBe(2);
    await driver.run(shellJob('true', { wallMs: 9_004 }), never);
    // Also those that are being made.
    await driver.close();
    expect(await count()).toBe(0);
  }, 120_000);

  test('leaves none that waits when its process is killed, and none at all once the next one looks', async ({
    skip,
  }) => {
    await needed(docker(), skip);
    const word = `axle-warm-${randomBytes(6).toString('hex')}`;
    const killed = spawn(process.execPath, [owner, word, '2'], { stdio: 'ignore' });
    const running = async () => (await containersOf(killed.pid)).filter(({ isRunning: runs }) => runs).length;
    await expect.poll(running, { timeout: 30_000 }).toBe(3);
    killed.kill('SIGKILL');
    await new Promise((resolve) => killed.once('exit', resolve));
    // The job itself runs on until somebody looks; those that wait have lost the one who would give them a job.
    await expect.poll(running, { timeout: 20_000 }).toBe(1);
    await docker().probe();
    expect(await containersOf(killed.pid)).toEqual([]);
  }, 120_000);

  test.each([-1, 1.5, 33])('is not made with %s of them', (warm) => {
    expect(() => docker({ warm })).toThrow(expect.objectContaining({ code: 'configuration-invalid' }));
  });
});

describe('the sandbox driver docker', () => {
  commandDriverSuite(docker);

  test('contains every attempt to break out', async ({ skip }) => {
    const driver = docker();
    const proof = await needed(driver, skip, { thorough: true });
    expect(openProbes(proof)).toEqual([]);
    expect(proof.properties).toEqual(sandboxProperties);
    expect(proof.probes.filter(({ verdict }) => verdict === 'contained').length).toBeGreaterThan(35);
    await driver.close();
  }, 120_000);

  test('clears away the container of an owner that was killed, and none of an owner that lives', async ({ skip }) => {
    const driver = docker();
    await needed(driver, skip);
    const words = ['dead', 'alive'].map((name) => `axle-${name}-${randomBytes(6).toString('hex')}`);
    const owners = words.map((word) => spawn(process.execPath, [owner, word], { stdio: 'ignore' }));
    const [dead = '', alive = ''] = words;
    await expect.poll(() => Promise.all(words.map(isRunning)), { timeout: 30_000 }).toEqual([true, true]);
    owners[0]?.kill('SIGKILL');
    await new Promise((resolve) => owners[0]?.once('exit', resolve));
    expect(await isRunning(dead)).toBe(true);
    await docker().probe();
    await expect.poll(() => isRunning(dead), { timeout: 5_000 }).toBe(false);
    expect(await isRunning(alive)).toBe(true);
    owners[1]?.kill('SIGKILL');
    await new Promise((resolve) => owners[1]?.once('exit', resolve));
    await docker().probe();
    await expect.poll(() => isRunning(alive), { timeout: 5_000 }).toBe(false);
    await driver.close();
  }, 120_000);

  test('says that a job took too much memory, counted for all of its processes together', async ({ skip }) => {
    const driver = docker();
    await needed(driver, skip);
    const script =
      'head -c 60000000 /dev/zero | tail | wc -c & head -c 60000000 /dev/zero | tail | wc -c & wait; exec tail /dev/zero';
    const { end } = await driver.run(shellJob(script, { limits: { ...limits, memoryBytes: 64 * 1024 * 1024 } }), never);
    expect(end).toEqual({ kind: 'memory' });
    await driver.close();
  }, 120_000);
});
