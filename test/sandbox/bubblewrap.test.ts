import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { bubblewrap, sandboxProperties } from '../../src/sandbox.ts';
import { seccompFilter } from '../../src/sandbox/bubblewrap/seccomp-filter.ts';
import { openProbes, needed } from './available.ts';
import { commandDriverSuite } from './command-driver-suite.ts';
import { limits, never, shellJob } from './jobs.ts';

describe('the sandbox driver bubblewrap', () => {
  commandDriverSuite(bubblewrap);

  test('contains every attempt to break out', async ({ skip }) => {
    const driver = bubblewrap();
    const proof = await needed(driver, skip, { thorough: true });
    expect(openProbes(proof)).toEqual([]);
    expect(proof.properties).toEqual(sandboxProperties);
    expect(proof.probes.filter(({ verdict }) => verdict === 'contained').length).toBeGreaterThan(35);
    await driver.close();
  }, 60_000);

  test('counts the memory of all processes of a job, and what they share once', async ({ skip }) => {
    const driver = bubblewrap();
    await needed(driver, skip);
    const mebibyte = 1024 * 1024;
    const run = (script: string, memoryBytes: number) =>
      driver.run(shellJob(script, { limits: { ...limits, memoryBytes } }), never);
    // A shell whose copies share what it holds: seven times 30 MB, if each counted whole.
    const shared = `held=$(head -c ${30 * mebibyte} /dev/zero | tr "\\0" a); for n in 1 2 3 4 5 6; do (sleep 0.5; :) & done; wait; echo through`;
    expect(await run(shared, 200 * mebibyte)).toMatchObject({ end: { kind: 'ok' }, stdout: 'through\n' });
    const own = `for n in 1 2 3 4 5 6; do (held=$(head -c ${30 * mebibyte} /dev/zero | tr "\\0" a); sleep 5; :) & done; wait; echo through`;
    expect(await run(own, 150 * mebibyte)).toMatchObject({ end: { kind: 'memory' }, stdout: '' });
    // One that left its parent, its group and its session is still counted.
    const hidden = `for n in 1 2 3 4 5 6; do (setsid sh -c 'held=$(head -c ${30 * mebibyte} /dev/zero | tr "\\0" a); sleep 5; :' &) & done; sleep 4; echo through`;
    expect(await run(hidden, 150 * mebibyte)).toMatchObject({ end: { kind: 'memory' }, stdout: '' });
    await driver.close();
  }, 60_000);

  test('has no memory that no process holds: neither shared memory of System V nor files without a name', async ({
    skip,
  }) => {
    const driver = bubblewrap();
    await needed(driver, skip);
    const numbers = process.arch === 'arm64' ? [194, 186, 279] : [29, 68, 319];
    // Refused is EPERM, 1; what is let through gives an identifier or a descriptor.
    const script = numbers.map(
      (number) => `perl -e '$n = ""; print syscall(${number}, 0, 4096, 01600), " ", $!+0, "\\n"'`,
    );
    const { stdout, stderr } = await driver.run(shellJob(script.join('; ')), never);
    if (/not found/.test(stderr)) console.log('SKIPPED: there is no perl to make system calls with');
    else expect(stdout).toBe('-1 1\n-1 1\n-1 1\n');
    await driver.close();
  }, 60_000);

  test('is not root inside, keeps values out of the arguments, and leaves nothing of its filter to be read', async ({
    skip,
  }) => {
    const driver = bubblewrap();
    await needed(driver, skip);
    const script =
      'id -u; cat /proc/1/environ | wc -c; grep -c "hus[h]" /proc/1/cmdline; ls /proc/self/fd | wc -l; ls / | tr "\\n" " "';
    const { stdout } = await driver.run(shellJob(script, { environment: { SECRET: 'hush' } }), never);
    const [user, environment, named, descriptors, root] = stdout.split('\n');
    expect([user, environment, named]).toEqual(['65534', '0', '0']);
    // Standard input, output and error, and the one by which they are listed.
    expect(Number(descriptors)).toBeLessThanOrEqual(5);
    for (const hidden of ['root', 'home', 'var', 'srv', 'run', 'sys', 'mnt']) {
      expect(root?.split(' ')).not.toContain(hidden);
    }
    await driver.close();
  }, 60_000);

  test.runIf(process.platform === 'linux')(
    'gives numbers of users back, so that jobs can go on for ever',
    async ({ skip }) => {
      const driver = bubblewrap();
      await needed(driver, skip);
      for (let round = 0; round < 3; round += 1) {
        const results = await Promise.all(Array.from({ length: 50 }, () => driver.run(shellJob('id -u'), never)));
        expect(results.map(({ end, stdout }) => [end.kind, stdout])).toEqual(
          Array.from({ length: 50 }, () => ['ok', '65534\n']),
        );
      }
      await driver.close();
    },
    60_000,
  );
});

describe('the filter of system calls', () => {
  test('is a whole number of instructions whose jumps stay inside, and ends with a verdict', () => {
    for (const architecture of ['x64', 'arm64']) {
      const bytes = Buffer.from(seccompFilter(architecture) ?? []);
      expect(bytes.length % 8).toBe(0);
      const count = bytes.length / 8;
      expect(count).toBeGreaterThan(80);
      for (let index = 0; index < count; index += 1) {
        const isJump = (bytes.readUInt16LE(index * 8) & 0x07) === 0x05;
        const furthest = index + 1 + Math.max(bytes.readUInt8(index * 8 + 2), bytes.readUInt8(index * 8 + 3));
        expect(isJump ? furthest : index).toBeLessThan(count);
      }
      expect(bytes.readUInt16LE((count - 1) * 8)).toBe(0x06);
    }
    expect(seccompFilter('riscv64')).toBeUndefined();
  });
});
