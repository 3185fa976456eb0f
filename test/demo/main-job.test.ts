/** The demo as a stranger starts it: as a process, judged by what is on the disk when it has ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readLedger } from '../../demo/ledger.ts';
import type { Report } from '../../demo/main-job/report.ts';
import { openSqliteStore } from '../../src/axle.ts';
import { processesOf, startDemo } from './demo-process.ts';
import { testFolder, until } from './support.ts';

const command = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
/** Several processes start one after another, and a doubt waits for its time limit. */
const timeout = 120_000;

function filesOf(folder: string): readonly string[] {
  return readdirSync(join(folder, 'memos'));
}

function recipientsOf(folder: string): readonly unknown[] {
  return readLedger(join(folder, 'mail.jsonl')).map((row) => (row as { to: string }).to);
}

describe('the main job', () => {
  test('writes one memo and sends one mail, whatever stumbles and is killed on the way', { timeout }, async () => {
    const folder = join(testFolder(), 'demo');
    const { code, out, story } = await startDemo('--once', '--json', '--folder', folder).ended;
    expect({ code, story }).toMatchObject({ code: 0 });

    // The world's own words.
    expect(filesOf(folder)).toEqual(['beijing-memo.md']);
    expect(readFileSync(join(folder, 'memos/beijing-memo.md'), 'utf8')).toContain('Between -6 and 3 degrees');
    expect(recipientsOf(folder)).toEqual(['traveller@example.com']);
    const reactions = readLedger(join(folder, 'weather.jsonl')).map((row) => (row as { reaction: string }).reaction);
    expect(reactions).toEqual(['unavailable', 'silent', 'changed-format', 'slow', 'right']);

    // What the demo says of it.
    const report = JSON.parse(out) as Report;
    expect(report).toMatchObject({ ok: true, problems: [], model: 'scripted', kills: 2 });
    expect(report.figures).toMatchObject({
      repairs: 1,
      timeouts: 1,
      retryAfterWaits: 1,
      waits: 2,
      changedFormats: 1,
      cutOff: 2,
      approvalsAsked: 1,
      approvalsUsed: 1,
      doubts: 1,
      doubtsSettledByVerify: 1,
    });
    expect(story).toContain('(kill -9 ');
    expect(story).toContain('Unattended (--once)');

    // And the journal, read by somebody else.
    const store = openSqliteStore(join(folder, 'axle.db'), { role: 'client' });
    onTestFinished(() => store.close());
    const entries = (await store.read(report.runId)).flatMap((append) => append.entries);
    expect(entries.at(-1)).toMatchObject({ type: 'run-finished', ending: 'completed' });
    expect(entries.filter(({ type }) => type === 'call-resolved')).toMatchObject([
      { by: 'verify', verdict: { kind: 'happened' } },
    ]);
    expect(processesOf(folder)).toEqual([]);
  });

  test('asks the person, who may say no; then no mail is sent, and the verdict says so', { timeout }, async () => {
    const folder = join(testFolder(), 'demo');
    const demo = startDemo('--no-kill', '--json', '--port', '0', '--folder', folder);
    demo.type('maybe\nn\n');
    const { code, out, story } = await demo.ended;
    expect({ code, story }).toMatchObject({ code: 1 });
    expect(filesOf(folder)).toEqual(['beijing-memo.md']);
    expect(recipientsOf(folder)).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      kills: 0,
      problems: ['One e-mail to traveller@example.com should have arrived, and 0 have.'],
    });
  });

  test('is told of an answer that came from another terminal', { timeout }, async () => {
    const folder = join(testFolder(), 'demo');
    const demo = startDemo('--no-kill', '--json', '--port', '0', '--folder', folder);
    await until(() => demo.story().includes('May this e-mail be sent?'), 'the demo asks');
    const words = [command, 'approve', 'last', '--by', 'ann', '--store', join(folder, 'axle.db')];
    expect(await once(spawn(process.execPath, words, { stdio: 'ignore' }), 'close')).toEqual([0, null]);
    const { code, out, story } = await demo.ended;
    expect({ code, story }).toMatchObject({ code: 0 });
    expect(JSON.parse(out)).toMatchObject({ ok: true, mails: ['traveller@example.com'] });
    expect(story).toContain('Answered: approve send_email, by ann.');
  });

  test('interrupted, leaves nothing behind but the folder, and goes on from there', { timeout }, async () => {
    const folder = join(testFolder(), 'demo');
    const first = startDemo('--once', '--json', '--folder', folder);
    await until(() => first.story().includes('attempt 2'), 'the weather is asked for again');
    first.interrupt('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(processesOf(folder)).toEqual([]);

    const second = await startDemo('--once', '--json', '--resume', '--folder', folder).ended;
    expect(second).toMatchObject({ code: 0 });
    expect(filesOf(folder)).toEqual(['beijing-memo.md']);
    expect(recipientsOf(folder)).toEqual(['traveller@example.com']);
  });

  test('killed itself, takes its services and its worker with it', { timeout }, async () => {
    const folder = join(testFolder(), 'demo');
    const demo = startDemo('--once', '--json', '--folder', folder);
    await until(() => demo.story().includes('attempt 2'), 'the weather is asked for again');
    demo.interrupt('SIGKILL');
    await demo.ended;
    await until(() => processesOf(folder).length === 0, 'all processes are gone');
  });

  test('leaves a folder alone that is not its own', { timeout }, async () => {
    const folder = testFolder();
    mkdirSync(join(folder, 'memos'));
    writeFileSync(join(folder, 'memos/mine.md'), 'mine');
    const { code, story } = await startDemo('--once', '--folder', folder).ended;
    expect(code).toBe(1);
    expect(story).toContain('Choose another with --folder.');
    expect(readFileSync(join(folder, 'memos/mine.md'), 'utf8')).toBe('mine');
  });

  test('does not disturb a demo that is at work in its folder', { timeout }, async () => {
    const folder = join(testFolder(), 'demo');
    const first = startDemo('--once', '--json', '--folder', folder);
    await until(() => existsSync(join(folder, 'axle.db')), 'the first demo is at work');
    const second = await startDemo('--once', '--json', '--folder', folder).ended;
    expect(second.code).toBe(1);
    expect(JSON.parse(second.out)).toEqual({
      ok: false,
      problems: [expect.stringContaining('Another demo is at work')],
    });
    expect(second.story).toContain('Another demo is at work');
    first.interrupt('SIGTERM');
    await first.ended;
  });

  test('names an option that it does not know', { timeout }, async () => {
    const { code, story } = await startDemo('--twice').ended;
    expect(code).toBe(2);
    expect(story).toContain("'--twice'");
  });
});
