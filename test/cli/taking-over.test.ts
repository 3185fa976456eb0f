import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Folder } from './command.ts';

describe('a command that watches its run while another process drives', () => {
  test('takes over when that process has done its own work and ends', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const first = folder.start('run', 'waiter', '--input', 'first');
    await first.says('patient 1.0');
    const second = folder.start('run', 'waiter', '--input', 'second');
    await second.says('Another process drives this store');
    await second.says('patient 1.0');
    // The first process ends with its run open, as at a question to a person.
    first.child.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    writeFileSync(join(folder.path, 'go'), '');
    const ended = await second.ended;
    expect(ended).toMatchObject({ code: 0, stdout: 'Done waiting.\n' });
    expect(ended.stderr).toContain('The process that drove this store has ended; this one goes on with the work.');
    // What was shown before is not shown again.
    expect(ended.stderr.match(/is accepted/gu)).toHaveLength(1);
    // The first run may still have been on its way, or between two attempts, when this command was done: whoever resumes it sees it end.
    const [, { runId }] = (await folder.json('runs')).value as [unknown, { readonly runId: string }];
    expect(await folder.axle('resume', runId)).toMatchObject({ code: 0, stdout: 'Done waiting.\n' });
    expect((await folder.json('runs', '--state', 'ended')).value).toMatchObject([{}, {}]);
  });

  test('takes over when that process is killed; of several, one does', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const driver = folder.start('run', 'waiter', '--input', 'first');
    await driver.says('patient 1.0');
    const others = ['b', 'c'].map((input) => folder.start('run', 'waiter', '--input', input, '--json'));
    for (const other of others) await other.says('patient 1.0');
    driver.child.kill('SIGKILL');
    await Promise.any(others.map((other) => other.says('this one goes on with the work')));
    writeFileSync(join(folder.path, 'go'), '');
    const ended = await Promise.all(others.map((other) => other.ended));
    for (const { code, stdout } of ended) {
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'completed', output: 'Done waiting.' });
    }
  });

  test("a killed driver leaves its run marked as nobody's, and the list says so", { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const driver = folder.start('run', 'waiter', '--input', 'x');
    await driver.says('patient 1.0');
    for (let tries = 0; tries < 400 && !existsSync(join(folder.path, 'ledger.txt')); tries += 1) await sleep(25);
    expect((await folder.axle('show', 'last')).stdout).toMatch(/It is at work: process \d+ drives this store\./u);
    driver.child.kill('SIGKILL');
    await driver.ended;
    expect((await folder.axle('runs')).stdout).toContain('nobody drives it');
    expect((await folder.axle('show', 'last')).stdout).toMatch(
      /Nobody drives this store. It goes on with: axle resume run_/u,
    );
  });
});
