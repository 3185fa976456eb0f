import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Folder } from './command.ts';

describe('axle run', () => {
  test(
    'prints the answer on standard output, the progress on standard error, and what it waits for with the command that answers',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const first = await folder.axle('run', 'clerk', '--input', 'Refund charge 5');
      expect(first.code).toBe(4);
      expect(first.stdout).toBe('');
      expect(first.stderr).toContain('get_weather 1.0 succeeded');
      const command = /axle (approve run_\w+\/2\.0)/u.exec(first.stderr)?.[1] ?? '';
      expect(folder.ledger()).toEqual([]);

      const approved = await folder.axle(...command.split(' '), '--by', 'ann');
      expect(approved).toMatchObject({ code: 0 });
      expect(approved.stdout).toContain('Recorded; it runs when a driver starts: axle resume run_');
      expect(folder.ledger()).toEqual([]);

      const resumed = await folder.axle('resume');
      expect(resumed).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
      expect(resumed.stderr).not.toContain('get_weather');
      expect(folder.ledger()).toEqual(['refund {"cents":5}']);
      expect(await folder.axle('resume', 'last')).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
      expect(folder.ledger()).toHaveLength(1);
    },
  );

  test(
    'drives on at once when it is approved with --resume, with the arguments that the person wrote',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      expect((await folder.axle('run', 'clerk', '--input', 'x')).code).toBe(4);
      const approved = await folder.axle(
        'approve',
        'last',
        '--edit',
        '{"cents": 7}',
        '--note',
        'only seven',
        '--resume',
      );
      expect(approved).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
      expect(folder.ledger()).toEqual(['refund {"cents":7}']);
      const again = await folder.json('approve', 'last');
      expect(again).toMatchObject({ code: 1, value: { error: { code: 'decision-invalid' } } });
    },
  );

  test(
    'refuses arguments of a person that do not fit while the question is still open, and says so where it cannot tell',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      await folder.axle('run', 'clerk', '--input', 'x');
      for (const [edit, code, reason] of [
        ['{"cents": 700}', 1, 'do not fit'],
        ['{"cent": 7}', 1, 'do not fit'],
        ['"seven"', 2, 'takes a JSON object'],
      ] as const) {
        const refused = await folder.axle('approve', 'last', '--edit', edit);
        expect(refused.code).toBe(code);
        expect(refused.stderr).toContain(reason);
      }
      const unchecked = await folder.axle(
        'approve',
        'last',
        '--edit',
        '{"cents": 700}',
        '--store',
        'axle.db',
        '--by',
        'ann',
      );
      expect(unchecked.code).toBe(0);
      expect(unchecked.stdout).toContain('checked when a driver takes the answer in');
      const late = await folder.axle('deny', 'last');
      expect(late.code).toBe(1);
      expect(late.stderr).toContain('The first answer: approve {"cents":700} by ann');
      // The driver refuses it, and the question is open again.
      expect((await folder.axle('resume')).code).toBe(4);
      expect(await folder.json('approve', 'last', '--edit', '{"cents": 7}')).toMatchObject({
        code: 0,
        value: { edit: { cents: 7 }, checked: true },
      });
      expect(await folder.axle('resume')).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
      expect(folder.ledger()).toEqual(['refund {"cents":7}']);
    },
  );

  test('ends with 6 when a person denies, and the tool was never called', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    await folder.axle('run', 'clerk', '--input', 'x');
    expect(await folder.json('deny', 'last', '--note', 'too much')).toMatchObject({
      code: 0,
      value: { decision: 'deny', callId: '2.0', recorded: true, driver: 'none' },
    });
    expect(await folder.axle('resume', 'last')).toMatchObject({ code: 6, stdout: 'Refunded.\n' });
    expect(folder.ledger()).toEqual([]);
    expect((await folder.axle('show', 'last')).stdout).toContain('denied: too much');
  });

  test(
    'ends with 6 when policy denies, 7 when the steps are used up, 1 when the model fails',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      expect(await folder.axle('run', 'rebel', '--input', 'x')).toMatchObject({ code: 6, stdout: 'I may not.\n' });
      expect(await folder.json('run', 'looper', '--input', 'x')).toMatchObject({
        code: 7,
        value: { status: 'stopped', failure: { code: 'run-steps-exhausted' } },
      });
      expect(await folder.json('run', 'broken', '--input', 'x')).toMatchObject({
        code: 1,
        value: { status: 'failed', failure: { code: 'model-refused' } },
      });
      expect(await folder.json('runs', '--state', 'ended')).toMatchObject({
        code: 0,
        value: [{ subject: 'broken' }, { subject: 'looper' }, { subject: 'rebel' }],
      });
    },
  );

  test(
    'ends with 5 when a call is in doubt, and goes on once a person has said what happened',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const first = await folder.axle('run', 'sender', '--input', 'x');
      expect(first.code).toBe(5);
      expect(first.stderr).toContain('--happened');
      expect(folder.ledger()).toEqual(['transfer']);
      const shown = (await folder.axle('show', 'last')).stdout;
      expect(shown).toContain('IN DOUBT');
      expect(shown).toMatch(/axle resolve run_\w+\/1\.0 --happened/u);
      expect(await folder.axle('resume', 'last')).toMatchObject({ code: 5 });
      expect(
        await folder.axle('resolve', 'last/1.0', '--happened', '--output', '{"transferId": 3}', '--resume'),
      ).toMatchObject({ code: 0, stdout: 'Sent.\n' });
      expect(folder.ledger()).toEqual(['transfer']);
      expect((await folder.axle('show', 'last', '--transcript')).stdout).toContain('{"transferId":3}');
    },
  );

  test('runs a call in doubt again only when a person says that it did not happen', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    await folder.axle('run', 'sender', '--input', 'x');
    expect((await folder.axle('resolve', 'last', '--not-happened', '--then', 'retry', '--resume')).code).toBe(5);
    expect(folder.ledger()).toEqual(['transfer', 'transfer']);
    expect((await folder.axle('resolve', 'last', '--not-happened', '--then', 'fail', '--resume')).code).toBe(0);
    expect(folder.ledger()).toHaveLength(2);
  });

  test(
    'gives the same run for the same key, and refuses the key for another request',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const first = await folder.json('run', 'rebel', '--input', 'x', '--key', 'k1');
      const second = await folder.json('run', 'rebel', '--input', 'x', '--key', 'k1');
      expect(second).toEqual(first);
      const replayed = await folder.axle('run', 'rebel', '--input', 'x', '--key', 'k1');
      expect(replayed).toMatchObject({ code: 6, stdout: 'I may not.\n' });
      expect(replayed.stderr).toMatch(/This key has its run: run_\w+, .* Nothing is done a second time\./u);
      expect(replayed.stderr).not.toContain('is accepted');
      expect(await folder.json('run', 'rebel', '--input', 'y', '--key', 'k1')).toMatchObject({
        code: 1,
        value: { error: { code: 'run-key-reused' } },
      });
    },
  );

  test('reads its input from a file and from standard input', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    folder.write('brief.txt', 'from a file');
    await folder.axle('run', 'rebel', '--input-file', 'brief.txt');
    expect((await folder.axle('show', 'last', '--transcript')).stdout).toContain('from a file');
    const piped = folder.start('run', 'rebel', '--input-file', '-');
    piped.child.stdin?.end('through a pipe');
    expect((await piped.ended).code).toBe(6);
    expect((await folder.axle('show', 'last', '--transcript')).stdout).toContain('through a pipe');
  });

  test('starts nothing from an empty input, or from bytes that are no text', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    writeFileSync(join(folder.path, 'broken.txt'), Buffer.from([0x68, 0xff, 0x69]));
    writeFileSync(join(folder.path, 'empty.txt'), '\n');
    for (const [words, reason] of [
      [['--input', ''], '--input is empty.'],
      [['--input-file', '-'], 'Standard input is empty.'],
      [['--input-file', 'empty.txt'], 'empty.txt is empty.'],
      [['--input-file', 'broken.txt'], 'broken.txt is not UTF-8 text.'],
    ] as const) {
      const ended = await folder.axle('run', 'rebel', ...words);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(`${reason} (usage-invalid)\n      See axle run --help.`);
    }
    expect(await folder.json('runs')).toMatchObject({ code: 3 });
  });

  test(
    'a conversation waits for a message (4), takes it, and ends when it is cancelled',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      expect((await folder.axle('run', 'friend', '--input', 'hello')).code).toBe(4);
      const sent = await folder.axle('send', 'last', 'and more', '--resume');
      expect(sent.code).toBe(4);
      expect((await folder.axle('show', 'last', '--transcript')).stdout).toContain('You said: 2');
      expect(await folder.axle('cancel', 'last', '--reason', 'enough', '--resume')).toMatchObject({ code: 1 });
      expect(await folder.json('send', 'last', 'too late')).toMatchObject({
        code: 1,
        value: { error: { code: 'run-ended' } },
      });
    },
  );
});

describe('axle call', () => {
  test(
    'makes one governed call: its output, a refusal, a repair, a denial, an approval',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const made = await folder.axle('call', 'get_weather', '--input', '{"city": "Oslo", "days": "2"}');
      expect(made.code).toBe(0);
      expect(JSON.parse(made.stdout)).toEqual({ city: 'Oslo', celsius: -4 });
      expect(await folder.json('call', 'get_weather', '--input', '{"town": 1}')).toMatchObject({
        code: 1,
        value: { status: 'failed', failure: { code: 'arguments-invalid' } },
      });
      expect((await folder.axle('call', 'forbidden')).code).toBe(6);
      expect((await folder.axle('call', 'refund', '--input', '{"cents": 9}')).code).toBe(4);
      expect((await folder.axle('approve', 'last', '--resume')).code).toBe(0);
      expect(folder.ledger()).toEqual(['refund {"cents":9}']);
    },
  );
});

describe('two processes on one store', () => {
  test(
    'while one drives, another reads, starts, answers and cancels; the driver does the work',
    { timeout: 90_000 },
    async () => {
      const folder = new Folder();
      const driver = folder.start('run', 'waiter', '--input', 'x', '--follow');
      await driver.says('patient 1.0');
      expect(await folder.json('runs', '--state', 'active')).toMatchObject({ code: 0, value: [{ subject: 'waiter' }] });

      const started = await folder.axle('run', 'clerk', '--input', 'x');
      expect(started.code).toBe(4);
      expect(started.stderr).toContain('Another process drives this store; it does the work.');
      const clerk = /run_\w+/u.exec(started.stderr)?.[0] ?? '';
      const approved = await folder.axle('approve', clerk);
      expect(approved.stdout).toMatch(/Recorded; the running driver \(process \d+\) goes on with it\./u);
      expect(await folder.axle('resume', clerk, '--json')).toMatchObject({ code: 0 });
      expect(folder.ledger()).toContain('refund {"cents":5}');

      const detached = (await folder.axle('run', 'friend', '--input', 'x', '--detach')).stdout.trim();
      expect(detached).toMatch(/^run_\w+$/u);
      expect(await folder.axle('cancel', detached, '--resume')).toMatchObject({ code: 1 });

      writeFileSync(join(folder.path, 'go'), '');
      expect(await driver.ended).toMatchObject({ code: 0, stdout: 'Done waiting.\n' });
    },
  );

  test(
    'a command that follows its run says how to answer, and goes on when another process has',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const driver = folder.start('run', 'clerk', '--input', 'x', '--follow');
      await driver.says('(axle approve run_');
      const approved = await folder.axle('approve', 'last', '--resume');
      expect(approved).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
      expect(await driver.ended).toMatchObject({ code: 0, stdout: 'Refunded.\n' });
      expect(folder.ledger()).toEqual(['refund {"cents":5}']);
    },
  );

  test('a run that is only recorded is driven by the next driver', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    await folder.axle('run', 'rebel', '--input', 'x');
    const detached = (await folder.axle('run', 'clerk', '--input', 'x', '--detach')).stdout.trim();
    expect((await folder.axle('resume')).code).toBe(4);
    expect((await folder.axle('show', detached)).stdout).toContain('no driver yet');
    expect((await folder.axle('resume')).stderr).toContain('Nothing is due.');
  });

  test(
    'several runs that are resumed together are told apart, each failure in full on the way and at the end',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const broken = (await folder.axle('run', 'broken', '--input', 'x', '--detach')).stdout.trim();
      const rebel = (await folder.axle('run', 'rebel', '--input', 'x', '--detach')).stdout.trim();
      const { stderr } = await folder.axle('resume');
      expect(stderr).toContain(`  broken ${broken}: model failed`);
      expect(stderr).toContain(`  rebel ${rebel}: forbidden 1.0 denied`);
      expect(stderr.match(/No such model\./gu)).toHaveLength(2);
      expect(stderr).toContain(`${broken} failed: model-refused: No such model.`);
    },
  );

  test(
    'a driver that is killed leaves a gap that is shown, and the next one goes on',
    { timeout: 60_000 },
    async () => {
      const folder = new Folder();
      const driver = folder.start('run', 'waiter', '--input', 'x');
      await driver.says('patient 1.0');
      for (let tries = 0; tries < 400 && folder.ledger().length === 0; tries += 1) await sleep(25);
      driver.child.kill('SIGKILL');
      await driver.ended;
      writeFileSync(join(folder.path, 'go'), '');
      expect(await folder.axle('resume')).toMatchObject({ code: 0, stdout: 'Done waiting.\n' });
      const shown = (await folder.axle('show', 'last')).stdout;
      expect(shown).toContain('KILL GAP: no driver');
      expect(shown).toContain('1 kill');
      expect(shown).toContain('cut off by the end of its driver');
    },
  );
});

describe('an interruption', () => {
  test('ends with 130 and leaves the run resumable; what was in hand may end first', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const driver = folder.start('run', 'waiter', '--input', 'x');
    await driver.says('patient 1.0');
    driver.child.kill('SIGINT');
    await driver.says('Stopping (SIGINT)');
    writeFileSync(join(folder.path, 'go'), '');
    const ended = await driver.ended;
    expect(ended.code).toBe(130);
    expect(ended.stderr).toMatch(/axle resume run_\w+/u);
    expect(folder.ledger()).toEqual(['patient begins', 'patient ends']);
    expect(await folder.axle('resume')).toMatchObject({ code: 0, stdout: 'Done waiting.\n' });
    expect(folder.ledger()).toHaveLength(2);
  });

  test('by SIGTERM ends with 143', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const driver = folder.start('run', 'waiter', '--input', 'x');
    await driver.says('patient 1.0');
    driver.child.kill('SIGTERM');
    await driver.says('Stopping (SIGTERM)');
    writeFileSync(join(folder.path, 'go'), '');
    expect((await driver.ended).code).toBe(143);
  });

  test('once more ends at once', { timeout: 60_000 }, async () => {
    const folder = new Folder();
    const driver = folder.start('run', 'waiter', '--input', 'x');
    await driver.says('patient 1.0');
    driver.child.kill('SIGINT');
    await driver.says('Stopping (SIGINT)');
    driver.child.kill('SIGINT');
    expect((await driver.ended).code).toBe(130);
    expect(folder.ledger()).not.toContain('patient ends');
  });
});
