import { beforeAll, describe, expect, test } from 'vitest';
import { createMemoryStore, type Store } from '../../src/axle.ts';
import { type AtifTrajectory, type ChatExample, endedRuns, exportRun } from '../../src/export.ts';
import { runId as seededId } from '../trace/journal-writer.ts';
import { seededRun } from '../trace/seeded-run.ts';
import { atifFaults } from './atif-check.ts';
import { storeWithRuns, textOf } from './runs.ts';

let store: Store;
let runId: string;
let callId: string;
beforeAll(async () => {
  ({ store, runId, callId } = await storeWithRuns());
});

async function seeded(seed: number, isUnfinished: boolean): Promise<Store> {
  const made = createMemoryStore();
  const appends = seededRun({ seed, spans: 200, isHostile: true, isUnfinished, crashes: 0.1 });
  await made.keepCopy?.({
    runId: seededId,
    kind: 'agent',
    subject: 'travel',
    epoch: appends.at(-1)?.epoch ?? 1,
    steps: 1,
    appends,
    ...(isUnfinished ? {} : { ending: 'completed' }),
  });
  return made;
}

async function atif(from: Store, id: string): Promise<AtifTrajectory> {
  return JSON.parse(await textOf(exportRun(from, id, 'atif'))) as AtifTrajectory;
}

describe('a trajectory (ATIF v1.7)', () => {
  test('is valid, and says what was said, asked for and answered', async () => {
    const trajectory = await atif(store, runId);
    expect(atifFaults(trajectory)).toEqual([]);
    expect(trajectory).toMatchObject({
      schema_version: 'ATIF-v1.7',
      session_id: 'chat-1',
      trajectory_id: runId,
      agent: { name: 'clerk', model_name: 'script/one' },
      final_metrics: { total_prompt_tokens: 40, total_completion_tokens: 20, total_steps: 6 },
      extra: { axle: { ending: 'completed' } },
    });
    expect(trajectory.agent.tool_definitions?.map((each) => each.function.name)).toHaveLength(2);
    expect(trajectory.steps.map(({ source }) => source)).toEqual([
      'system',
      'user',
      'agent',
      'agent',
      'agent',
      'agent',
    ]);
    const [, , looked, refused] = trajectory.steps;
    expect(looked).toMatchObject({
      message: 'Let me look.',
      // As it was run, after the repair.
      tool_calls: [{ tool_call_id: 'call_1_1', function_name: 'get_weather', arguments: { city: 'Oslo', days: 3 } }],
      observation: { results: [{ source_call_id: 'call_1_1' }] },
      metrics: { prompt_tokens: 10, completion_tokens: 5 },
    });
    expect(refused?.observation?.results.map(({ source_call_id: id }) => id)).toEqual(['call_2_1', 'call_2_2']);
    expect(refused?.observation?.results[0]?.content).toContain('There is no such room.');
    expect(refused?.extra).toMatchObject({
      outcomes: [{ status: 'failed', code: 'no-room' }, { status: 'failed' }],
    });
  });

  test.each([1, 2, 3, 4, 5, 6])(
    'of a run with crashes, doubts and hostile texts is valid too (seed %i)',
    async (seed) => {
      expect(atifFaults(await atif(await seeded(seed, seed % 2 === 0), seededId))).toEqual([]);
    },
  );

  test('of a single call has no model', async () => {
    const trajectory = await atif(store, callId);
    expect(atifFaults(trajectory)).toEqual([]);
    expect(trajectory.steps).toHaveLength(1);
    expect(trajectory.steps[0]).toMatchObject({ source: 'agent', llm_call_count: 0, message: '' });
  });

  test('is found faulty when a number is skipped, a link dangles, or a field is not known', async () => {
    const trajectory = await atif(store, runId);
    const [first, ...rest] = trajectory.steps;
    expect(atifFaults({ ...trajectory, steps: rest })).toContain('steps[0].step_id is not 1');
    expect(atifFaults({ ...trajectory, surprise: 1 })).toEqual(['trajectory.surprise is not known']);
    expect(atifFaults({ ...trajectory, steps: [{ ...first, metrics: {} }, ...rest] })).toContain(
      'steps[0].metrics is for agents only',
    );
    const dangling = trajectory.steps.map((step) =>
      step.tool_calls === undefined ? step : { ...step, tool_calls: [] },
    );
    expect(atifFaults({ ...trajectory, steps: dangling })).toContain('steps[2]: call_1_1 is no call of the step');
  });
});

describe('an example for training (chat)', () => {
  test('is the conversation that the model saw, with the tools that it had', async () => {
    const text = await textOf(exportRun(store, runId, 'chat'));
    expect(text.trimEnd().split('\n')).toHaveLength(1);
    const { messages, tools } = JSON.parse(text) as ChatExample;
    expect(messages.map(({ role }) => role).join(' ')).toBe(
      'system user assistant tool assistant tool tool assistant tool assistant',
    );
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'Booked. 🧥' });
    expect(tools?.[0]).toEqual({
      type: 'function',
      function: {
        name: 'get_weather',
        description: 'The weather of a city.\nWhen to use: Before a trip.\nExample arguments: {"city":"Oslo"}',
        parameters: {
          type: 'object',
          properties: { city: { type: 'string' }, days: { type: 'integer' } },
          required: ['city'],
        },
      },
    });
    // Names stand as providers take them, in tools and calls alike.
    const names = new Set(tools?.map((each) => each.function.name));
    const called = messages.flatMap((message) => ('tool_calls' in message ? (message.tool_calls ?? []) : []));
    expect(called).toHaveLength(4);
    for (const call of called) {
      expect(names).toContain(call.function.name);
      expect(() => JSON.parse(call.function.arguments)).not.toThrow();
    }
    const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
    expect(answered).toEqual(called.map(({ id }) => id));
  });

  test('is not made of a single call', async () => {
    expect(await textOf(exportRun(store, callId, 'chat'))).toBe('');
  });

  test('is chosen by how its run ended', async () => {
    const all = async (options: Parameters<typeof endedRuns>[1]): Promise<readonly string[]> => {
      const ids: string[] = [];
      for await (const id of endedRuns(store, options)) ids.push(id);
      return ids;
    };
    expect(await all({})).toEqual([callId, runId]);
    expect(await all({ limit: 1 })).toEqual([callId]);
    expect(await all({ only: ['completed'], subject: 'clerk' })).toEqual([runId]);
    expect(await all({ only: ['failed', 'stopped'] })).toEqual([]);
  });
});
