import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/diagnose/diagnose.ts';
import { unstableResults } from '../../src/diagnose/unstable-results.ts';
import type { ScriptedTurn } from '../../src/testing.ts';
import { asks, faulty, healthy, recordingOf } from './recordings.ts';

const away = { code: 'model-unavailable', class: 'retryable', message: 'Overloaded.', evidence: 'none' } as const;

describe('a diagnosis', () => {
  it.each(faulty.map((recording) => [recording.fault ?? '', recording.name, recording] as const))(
    'finds %s first: %s (A11)',
    async (fault, _, recording) => {
      const appends = await recording.record();
      const { faults } = diagnose(appends);
      expect(faults[0]?.code).toBe(fault);
      const seqs = new Set(
        appends.flatMap(({ firstSeq, entries }) => entries.map((_entry, index) => firstSeq + index)),
      );
      for (const { evidence, remedy } of faults) {
        expect(evidence.length).toBeGreaterThan(0);
        expect(evidence.every(({ seq }) => seqs.has(seq))).toBe(true);
        expect(remedy).not.toBe('');
      }
    },
  );

  it.each(healthy.map((recording) => [recording.name, recording] as const))(
    'finds nothing in a healthy run: %s (A11)',
    async (_, recording) => {
      expect(diagnose(await recording.record()).faults).toEqual([]);
    },
  );

  it('counts a single attempt as one', async () => {
    const appends = await recordingOf({
      input: 'Read a page.',
      turns: [asks('crawl', { page: 1 }), 'It did not answer.'],
      tools: { crawl: { effect: 'write', takesMs: 30_000, timeout: '2s' } },
      agent: { onDoubt: 'tell' },
    });
    const slow = diagnose(appends).faults.find(({ code }) => code === 'slow-tool');
    expect(slow?.summary).toMatch(/^The only attempt of crawl took .+, to its time limit\.$/u);
  });

  it.each([
    ['the provider', { status: 'failed', failure: away } as const, 'The provider was overloaded or away'],
    ['the model object', undefined, 'The model object itself threw, not its provider'],
  ])('says that it was %s', async (_, answer, remedy) => {
    const turns = (): ScriptedTurn => {
      if (answer !== undefined) return answer;
      throw new TypeError('x is undefined');
    };
    const [fault] = diagnose(await recordingOf({ input: 'Say hello.', turns, tools: {} })).faults;
    expect(fault).toMatchObject({ code: 'model-failing', confidence: 0.95 });
    expect(fault?.remedy).toContain(remedy);
  });

  it('has twenty of each', () => {
    expect([faulty.length, healthy.length]).toEqual([20, 20]);
  });
});

describe('runs of one input', () => {
  const mails = (to: string) =>
    recordingOf({
      input: 'Mail them.',
      turns: [asks('send_mail', { to }), 'Sent.'],
      tools: { send_mail: { effect: 'write' } },
    });

  it('that had other effects are unstable, and the odd ones are counted', async () => {
    const runs = await Promise.all(['Ann', 'Ann', 'Bob', 'Ann'].map(mails));
    const [fault] = unstableResults(runs);
    expect(fault?.code).toBe('unstable-results');
    expect(fault?.summary).toContain('Of 4 runs of this input, 1 had other effects');
    expect(fault?.evidence.map(({ runId }) => runId)).toHaveLength(4);
  });

  it('that did the same are not, and two say nothing', async () => {
    expect(unstableResults(await Promise.all(['Ann', 'Ann', 'Ann'].map(mails)))).toEqual([]);
    expect(unstableResults(await Promise.all(['Ann', 'Bob'].map(mails)))).toEqual([]);
  });
});
