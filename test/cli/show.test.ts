import { describe, expect, test } from 'vitest';
import { Folder } from './command.ts';

interface Shown {
  readonly summary: { readonly runId: string; readonly seq: number };
  readonly trace: { readonly totals: Readonly<Record<string, number>> };
  readonly entries: readonly { readonly id: string; readonly entry: { readonly type: string } }[];
  readonly transcript?: { readonly items: readonly unknown[] };
}

async function clerkRun(): Promise<Folder> {
  const folder = new Folder();
  await folder.axle('run', 'clerk', '--input', 'Refund charge 5');
  await folder.axle('approve', 'last', '--by', 'ann', '--resume');
  return folder;
}

describe('axle show', () => {
  test(
    'tells what happened and why: the calls, the repair, the decision and who took it',
    { timeout: 60_000 },
    async () => {
      const folder = await clerkRun();
      const { stdout } = await folder.axle('show', 'last');
      for (const text of [
        'Refund charge 5',
        'get_weather 1.0 (read)',
        'repaired /days',
        'a person is asked by test: Money leaves.',
        'approved by ann',
        'succeeded {"refundId":"r1"}',
        'completed',
        '1 repair',
      ]) {
        expect(stdout).toContain(text);
      }
      expect(stdout).not.toContain('\u{1b}');
      const narrow = await folder.axle('show', 'last', '--width', '60', '--ascii');
      expect(narrow.stdout).toContain('#');
      expect((await folder.axle('show', 'last', '--width', '9')).code).toBe(2);
    },
  );

  test(
    'with --filter shows what was found, counts it, and says where a filter cannot be read',
    { timeout: 60_000 },
    async () => {
      const folder = await clerkRun();
      const { stdout } = await folder.axle('show', 'last', '--filter', 'tool:get_weather has:repaired');
      expect(stdout).toContain('get_weather 1.0 (read)');
      expect(stdout).not.toContain('Money leaves.');
      expect(stdout).toMatch(/1 of \d+ spans match tool:get_weather has:repaired/u);
      const { value } = await folder.json('show', 'last', '--filter', 'r1 kind:call');
      expect(value).toMatchObject({ matches: { ids: ['call.2.0'] } });
      const refused = await folder.axle('show', 'last', '--filter', 'kind:call status:sad');
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain('character 18: status: does not know sad.');
    },
  );

  test(
    'with --entries lists every entry, with --json the whole, with --transcript what the model saw',
    { timeout: 60_000 },
    async () => {
      const folder = await clerkRun();
      const { value } = await folder.json('show', 'last', '--transcript');
      const { summary, trace, entries, transcript } = value as Shown;
      expect(entries).toHaveLength(summary.seq);
      expect(trace.totals).toMatchObject({ calls: 2, attempts: 2, approvals: 1, repairs: 1 });
      expect(transcript?.items).toHaveLength(6);

      const listed = (await folder.axle('show', 'last', '--entries')).stdout;
      for (const { id, entry } of entries) {
        expect(listed).toMatch(new RegExp(`^${id.replace('.', '\\.')} +\\+\\S+ \\w+ +${entry.type}$`, 'mu'));
      }

      const conversation = (await folder.axle('show', 'last', '--transcript')).stdout;
      for (const text of [
        '[instructions]',
        '[user]\n  Refund charge 5',
        '[assistant calls get_weather (call_1_1)]\n  {"city":"Beijing","days":1}',
        '[result of get_weather (call_1_1), data]\n  {"city":"Beijing","celsius":-4}',
        '[assistant]\n  I refund.',
      ]) {
        expect(conversation).toContain(text);
      }
      expect((await folder.axle('show', 'last', '--entries', '--transcript')).code).toBe(2);
    },
  );

  test('with --context shows what the model saw in a step, and what was new in it', { timeout: 60_000 }, async () => {
    const folder = await clerkRun();
    const { stdout } = await folder.axle('show', 'last', '--context', '2');
    expect(stdout).toContain('made again from the journal, with the hash that was written then');
    expect(stdout).toMatch(/^ {2}goal {2}about \d+ tokens, entry 1, 2 steps old\n {4}Refund charge 5$/mu);
    expect(stdout).toMatch(/^\+ result get_weather 1\.0 {2}about \d+ tokens, entry \d+, 1 step old$/mu);
    const { value } = await folder.json('show', 'last', '--context', '2');
    expect(value).toMatchObject({ step: 2, verified: true, hasTools: true });
    for (const step of ['99', 'two']) expect((await folder.axle('show', 'last', '--context', step)).code).toBe(2);
    expect((await folder.axle('show', 'last', '--context', '2', '--entries')).code).toBe(2);
  });

  test('does not mind a reader that goes away', { timeout: 60_000 }, async () => {
    const folder = await clerkRun();
    const running = folder.start('show', 'last', '--entries');
    running.child.stdout?.destroy();
    expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  });
});

test('a run goes on when the reader of its output goes away', { timeout: 60_000 }, async () => {
  const folder = new Folder();
  const running = folder.start('run', 'rebel', '--input', 'x');
  running.child.stdout?.destroy();
  running.child.stderr?.destroy();
  expect((await running.ended).code).toBe(6);
  expect((await folder.axle('runs')).stdout).toContain('completed');
});

test('axle runs lists runs newest first, by state, agent and conversation', { timeout: 60_000 }, async () => {
  const folder = new Folder();
  await folder.axle('run', 'rebel', '--input', 'x', '--session', 'one');
  await folder.axle('run', 'clerk', '--input', 'x', '--session', 'two');
  const lines = (await folder.axle('runs')).stdout.trim().split('\n');
  expect(lines.map((line) => line.split(/\s+/u).slice(1, 3))).toEqual([
    ['waiting', 'clerk'],
    ['completed', 'rebel'],
  ]);
  expect(lines[0]).toContain('a person decides about call 2.0');
  expect((await folder.json('runs', '--session', 'one')).value).toMatchObject([{ subject: 'rebel', session: 'one' }]);
  expect((await folder.json('runs', '--agent', 'clerk', '--state', 'ended')).value).toEqual([]);
  expect((await folder.axle('runs', '--state', 'sleeping')).code).toBe(2);
});
