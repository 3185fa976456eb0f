import { describe, expect, onTestFinished, test } from 'vitest';
import { agent, createAxle, type Axle } from '../../src/axle.ts';
import type { Brain, BrainRequest } from '../../src/brain/brain.ts';
import { toJson } from '../../src/util/json.ts';
import { scriptedBrain, type ScriptedTurn } from '../../src/testing/scripted-brain.ts';
import type { AgentDeclaration } from '../../src/run/agent.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { manyTools } from '../contract/many-tools.ts';
import { temporaryFolder } from '../journal/temporary-store.ts';

const { contracts } = manyTools();

interface Seen {
  readonly shown: (readonly string[])[];
  readonly say: (request: BrainRequest, turn: number) => ScriptedTurn;
}

function watching(say: Seen['say']): Seen {
  const shown: (readonly string[])[] = [];
  return {
    shown,
    say: (request, turn) => {
      shown.push(request.tools.map((tool) => tool.name));
      return say(request, turn);
    },
  };
}

const open = (
  say: Seen['say'] | Brain,
  options: { readonly store?: string; readonly view?: Pick<AgentDeclaration, 'toolView'> } = {},
): Promise<Axle> =>
  createAxle({
    store: options.store ?? ':memory:',
    tools: contracts,
    agents: [
      agent({
        name: 'clerk',
        tools: ['*'],
        model: typeof say === 'function' ? scriptedBrain(say) : say,
        ...options.view,
      }),
    ],
  });

const searchThenCall: Seen['say'] = (_, turn) =>
  [
    { calls: [{ name: 'find_tools', input: { query: 'approve a vacation request' } }] },
    { calls: [{ name: 'people.approve_vacation_request', input: { number: 7 } }] },
    'Approved.',
  ][turn] ?? 'Over.';

async function entriesOf(axle: Axle, runId: string): Promise<readonly Entry[]> {
  return (await axle.store.read(runId)).flatMap((append) => append.entries);
}

describe('an agent with five hundred tools (T11)', () => {
  test('is shown at most fifteen at a time, finds the others, and calls what it found', async () => {
    const seen = watching(searchThenCall);
    await using axle = await open(seen.say);
    const run = await axle.start('clerk', { input: 'Refund the charge of invoice 9.' });
    expect(await run.result()).toMatchObject({ status: 'completed', output: 'Approved.' });
    expect(seen.shown.map((names) => names.length)).toEqual([15, 15, 15]);
    expect(seen.shown[0]).toContain('billing.get_invoice');
    expect(seen.shown[0]).not.toContain('people.approve_vacation_request');
    expect(seen.shown[1]).toContain('people.approve_vacation_request');
    expect(seen.shown.every((names) => names[0] === 'find_tools' && new Set(names).size === names.length)).toBe(true);
    // What stays keeps its place: the list of the third turn is that of the second.
    expect(seen.shown[2]).toEqual(seen.shown[1]);
    const views = (await entriesOf(axle, run.id)).filter((entry) => entry.type === 'model-started');
    expect(views.map((entry) => entry.tools)).toEqual([seen.shown[0], seen.shown[1], undefined]);
    expect(views.map((entry) => entry.toolsHash !== undefined)).toEqual([true, true, false]);
  });

  test('may call a granted tool that it is not shown at the moment', async () => {
    const seen = watching((_, turn) =>
      turn === 0 ? { calls: [{ name: 'cloud.delete_bucket', input: { number: 1 } }] } : 'Done.',
    );
    await using axle = await open(seen.say);
    const run = await axle.start('clerk', { input: 'Refund the charge of invoice 9.' });
    await run.result();
    expect(seen.shown[0]).not.toContain('cloud.delete_bucket');
    expect(await entriesOf(axle, run.id)).toContainEqual(
      expect.objectContaining({
        type: 'attempt-finished',
        result: { status: 'succeeded', output: { done: 'cloud.delete_bucket 1' } },
      }),
    );
  });

  test('always shows what it declares, keeps to its own limit, and lets the oldest go', async () => {
    const queries = ['approve a payout', 'assign a candidate', 'export a dns record', 'search a meeting'];
    const seen = watching((_, turn) => {
      const query = queries[turn];
      return query === undefined ? 'Done.' : { calls: [{ name: 'find_tools', input: { query, limit: 2 } }] };
    });
    await using axle = await open(seen.say, { view: { toolView: { most: 6, always: ['crm.get_contact'] } } });
    await (await axle.start('clerk', { input: 'Look around.' })).result();
    for (const names of seen.shown) {
      expect(names.slice(0, 2)).toEqual(['find_tools', 'crm.get_contact']);
      expect(names.length).toBeLessThanOrEqual(6);
    }
    expect(seen.shown[1]).toContain('billing.approve_payout');
    expect(seen.shown[4]).toContain('calendar.search_meeting');
    expect(seen.shown[4]).not.toContain('billing.approve_payout');
  });

  test('is shown the same tools when its process goes in the middle of a turn and another goes on', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const before = watching(searchThenCall);
    const script = scriptedBrain(before.say);
    const isAsked = Promise.withResolvers<void>();
    const hanging: Brain = {
      id: script.id,
      generate: async (request) => {
        const answer = await script.generate(request);
        if (before.shown.length < 2) return answer;
        isAsked.resolve();
        return new Promise((_, reject) =>
          request.signal.addEventListener('abort', () => reject(new Error('Cut off.'))),
        );
      },
    };
    let runId = '';
    {
      await using axle = await open(hanging, { store: folder.path });
      runId = (await axle.start('clerk', { input: 'Refund the charge of invoice 9.' })).id;
      await isAsked.promise;
    }
    const after = watching(searchThenCall);
    await using axle = await open(after.say, { store: folder.path });
    expect(await axle.run(runId).result()).toMatchObject({ status: 'completed', output: 'Approved.' });
    expect(after.shown[0]).toEqual(before.shown[1]);
  });

  test('is shown all of them on demand', async () => {
    const seen = watching(() => 'Done.');
    await using axle = await open(seen.say, { view: { toolView: 'all' } });
    await (await axle.start('clerk', { input: 'Look around.' })).result();
    expect(seen.shown[0]).toHaveLength(500);
    expect(seen.shown[0]).not.toContain('find_tools');
  });

  test('costs the model a fraction of what all definitions would', async () => {
    let searched = 0;
    let whole = 0;
    {
      await using axle = await open((request) => {
        searched = JSON.stringify(toJson(request.tools)).length;
        return 'Done.';
      });
      await (await axle.start('clerk', { input: 'Refund the charge of invoice 9.' })).result();
    }
    {
      await using axle = await open(
        (request) => {
          whole = JSON.stringify(toJson(request.tools)).length;
          return 'Done.';
        },
        { view: { toolView: 'all' } },
      );
      await (await axle.start('clerk', { input: 'Refund the charge of invoice 9.' })).result();
    }
    expect(searched).toBeGreaterThan(0);
    expect(searched * 20).toBeLessThan(whole);
  });

  test('refuses a view that cannot be', async () => {
    await expect(open(() => 'x', { view: { toolView: { always: ['crm.fly'] } } })).rejects.toMatchObject({
      code: 'tool-not-granted',
    });
    expect(() => open(() => 'x', { view: { toolView: { most: 2 } } })).toThrow(
      'most must be a whole number from 3 to 128',
    );
  });
});
