import { describe, expect, test } from 'vitest';
import { decisionsOf } from '../../../src/trace/story/decisions.ts';
import { transcriptOf } from '../../../src/trace/story/transcript.ts';
import { traceOf } from '../../../src/trace/trace-of.ts';
import { seededRun } from '../seeded-run.ts';
import { travelJournal } from '../travel-journal.ts';

const travel = traceOf(travelJournal());

describe('the decisions of a run', () => {
  test('say for each call what the model gave as its reason, what policy and people said, and what came of it', () => {
    expect(decisionsOf(travel)).toMatchObject([
      { chose: 'call', tool: 'get_weather', step: 1, policy: { kind: 'allow' }, repairs: 1, outcome: 'succeeded' },
      {
        chose: 'call',
        tool: 'send_mail',
        step: 2,
        policy: { kind: 'ask' },
        approval: { verdict: 'approve' },
        doubt: { by: 'verify' },
        outcome: 'succeeded',
      },
      { chose: 'answer', step: 3 },
    ]);
  });

  test('have a row for every call and every answer, in order, also of a run that is not over', () => {
    const trace = traceOf(seededRun({ seed: 3, spans: 400, isUnfinished: true }));
    const rows = decisionsOf(trace);
    const calls = trace.parts.filter((part) => part.kind === 'call');
    expect(rows.filter((row) => row.chose === 'call').map((row) => row.callId)).toEqual(
      calls.map((call) => call.callId),
    );
    expect(rows.map((row) => row.seq)).toEqual(rows.map((row) => row.seq).toSorted((left, right) => left - right));
    expect(rows.at(-1)).toMatchObject({ tool: 'send_mail', approval: { verdict: 'open' }, beside: ['get_weather'] });
    expect(rows.at(-1)?.statedReason).toContain('The weather decides');
  });
});

describe('the transcript of a run', () => {
  test('begins with the goal, ends with the end, and has every call between as one line', () => {
    const lines = transcriptOf(travel);
    expect(lines[0]).toMatchObject({ kind: 'goal', seq: 1 });
    expect(lines.at(-1)).toMatchObject({ kind: 'end', ending: 'completed' });
    expect(lines.filter((line) => line.kind === 'call')).toMatchObject([
      { tool: 'get_weather', attempts: 2, outcome: { status: 'succeeded' } },
      { tool: 'send_mail', attempts: 1, outcome: { status: 'succeeded' } },
    ]);
    expect(lines.filter((line) => line.kind === 'usage')).toHaveLength(3);
  });

  test('has what was thought before what was asked for, messages where they came in, and faults of the model', () => {
    const lines = transcriptOf(traceOf(seededRun({ seed: 11, spans: 1_500 })));
    const kinds = new Set(lines.map((line) => line.kind));
    for (const kind of ['reasoning', 'message', 'fault', 'answer'] as const) expect(kinds).toContain(kind);
    expect(lines.findIndex((line) => line.kind === 'reasoning')).toBeLessThan(
      lines.findIndex((line) => line.kind === 'call'),
    );
  });
});
