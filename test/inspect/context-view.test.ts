import { array, assert, integer, property, shuffledSubarray, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBlocks } from '../../src/inspect/context/block-changes.ts';
import { contextBlockText, contextView, type ContextView } from '../../src/inspect/context/context-view.ts';
import type { Entry } from '../../src/journal/entry.ts';
import type { Store } from '../../src/journal/store.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { entriesOf, Ledger, ledgerTool, openWorld } from '../run/world.ts';

const long = 'й'.repeat(4_000);

/** A run that looks, asks wrongly, asks rightly, and answers. */
async function sampleRun(): Promise<{
  readonly store: Store;
  readonly runId: string;
  readonly seqs: readonly number[];
  readonly entries: readonly Entry[];
}> {
  const input = {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  };
  const look = ledgerTool(new Ledger(), 'look', { effect: 'read', input, run: () => ({ text: long }) });
  const { axle, store } = await openWorld({
    tools: [look],
    turns: [
      { text: 'I look.', calls: [{ name: 'look', input: { city: 'Oslo' } }] },
      { calls: [{ name: 'look', input: { country: 7 } }] },
      { calls: [{ name: 'look', input: { city: 'Rome' } }] },
      'It rains.',
    ],
    agent: { instructions: 'Be brief.' },
  });
  const run = await axle.start('worker', { input: 'How is the weather?' });
  await run.result();
  const entries = await entriesOf(store, run.id);
  const seqs = entries.flatMap((entry, index) => (entry.type === 'model-started' ? [index + 1] : []));
  return { store, runId: run.id, seqs, entries };
}

function summaryOf(view: ContextView): readonly string[] {
  return view.blocks.map((block) => `${block.change} ${block.kind} ${block.id}`);
}

describe('the context view of a model call', () => {
  test('has every block in order, with where it comes from and how old it is', async () => {
    const { store, runId, seqs, entries } = await sampleRun();
    const view = await contextView(store, runId, { seq: seqs[1] ?? 0 });
    expect(view).toMatchObject({ step: 2, attempt: 1, against: seqs[0], verified: true, hasTools: true });
    expect(summaryOf(view)).toEqual([
      'same instructions instructions',
      'same tools tool.look',
      'same goal item.0',
      'added answer item.1.0',
      'added call item.1.1',
      'added result item.2.0',
    ]);
    expect(view.changes).toEqual({ same: 3, added: 3, removed: 0, moved: 0, changed: 0 });
    const origins = view.blocks.map(({ provenance }) => `${entries[provenance.seq - 1]?.type} by ${provenance.by}`);
    expect(origins).toEqual([
      'run-accepted by agent',
      'run-accepted by agent',
      'run-accepted by caller',
      'model-finished by model',
      'model-finished by model',
      'call-settled by tool',
    ]);
    expect(view.blocks.map((block) => block.ageSteps)).toEqual([2, 2, 2, 1, 1, 1]);
    expect(view.blocks[5]?.provenance).toMatchObject({ callId: '1.0', tool: 'look' });
  });

  test('shows the beginning of what is long, and has the whole of it by its block and by its body', async () => {
    const { store, runId, seqs } = await sampleRun();
    const seq = seqs[1] ?? 0;
    const block = (await contextView(store, runId, { seq })).blocks.at(-1);
    expect(block?.text.length).toBeLessThanOrEqual(2_048);
    expect(block?.sizeBytes).toBe(Buffer.byteLength(JSON.stringify({ text: long })));
    expect(await contextBlockText(store, runId, { seq, id: block?.id ?? '' })).toBe(JSON.stringify({ text: long }));
    expect(await store.body(block?.body ?? '')).toBe(JSON.stringify({ text: long }));
    expect(await contextBlockText(store, runId, { seq, id: 'item.99' })).toBeUndefined();
  });

  test('names a result that another one has taken the place of as changed', async () => {
    const { store, runId, seqs } = await sampleRun();
    const view = await contextView(store, runId, { seq: seqs[3] ?? 0 });
    const changed = view.blocks.filter((block) => block.change === 'changed');
    expect(changed.map((block) => block.id)).toEqual(['item.4.0']);
    expect(changed[0]?.text).toContain('was called again later');
  });

  test('is compared with any other call, and the first with nothing', async () => {
    const { store, runId, seqs } = await sampleRun();
    const [first = 0, second = 0] = seqs;
    expect((await contextView(store, runId, { seq: first })).changes).toMatchObject({ added: 3, same: 0 });
    const back = await contextView(store, runId, { seq: first, against: second });
    expect(summaryOf(back).slice(3)).toEqual([
      'removed answer item.1.0',
      'removed call item.1.1',
      'removed result item.2.0',
    ]);
    expect(back.sizeBytes).toBe((await contextView(store, runId, { seq: first })).sizeBytes);
    for (const wrong of [{ seq: 1 }, { seq: first, against: first + 1 }, { seq: 9_999 }]) {
      await expect(contextView(store, runId, wrong)).rejects.toMatchObject({ code: 'usage-invalid' });
    }
  });

  test('says how its tokens are known: by the provider, or from their length', async () => {
    const { store, runId, seqs } = await sampleRun();
    const seq = seqs[0] ?? 0;
    const view = await contextView(store, runId, { seq });
    expect(view.tokens).toEqual({ count: 10, kind: 'exact' });
    expect(view.blocks[0]?.tokens).toEqual({ count: 3, kind: 'estimated' });
  });

  test('is not verified when a word of the journal is another one than the model was shown', async () => {
    const { store, runId, seqs } = await sampleRun();
    const planted = wrapStore(store, {
      read: async (id, options) =>
        JSON.parse(JSON.stringify(await store.read(id, options)).replace('I look.', 'I look!')) as Awaited<
          ReturnType<Store['read']>
        >,
    });
    expect((await contextView(planted, runId, { seq: seqs[0] ?? 0 })).verified).toBe(true);
    expect((await contextView(planted, runId, { seq: seqs[1] ?? 0 })).verified).toBe(false);
    expect((await contextView(planted, runId, { seq: seqs[2] ?? 0 })).verified).toBe(false);
  });

  test('says so when the list of tools was not kept', async () => {
    const { store, runId, seqs } = await sampleRun();
    const without = wrapStore(store, { body: async () => undefined });
    const view = await contextView(without, runId, { seq: seqs[0] ?? 0 });
    expect(view.hasTools).toBe(false);
    expect(view.blocks.map((block) => block.kind)).toEqual(['instructions', 'goal']);
  });
});

describe('two lists of blocks', () => {
  test('are told apart block by block: what is new, gone, moved and changed, each once', () => {
    const ids = uniqueArray(integer({ min: 0, max: 40 }), { maxLength: 20 });
    assert(
      property(
        ids.chain((before) => shuffledSubarray(before).map((kept) => ({ before, kept }))),
        array(integer({ min: 100, max: 130 })),
        ({ before, kept }, fresh) => {
          const block = (id: number, text = 'a'): { readonly id: string; readonly text: string } => ({
            id: String(id),
            text,
          });
          const now = [...new Set([...fresh, ...kept])].map((id) => block(id, id % 5 === 0 ? 'b' : 'a'));
          const compared = compareBlocks(
            before.map((id) => block(id)),
            now,
          );
          const shown = compared.filter(({ change }) => change !== 'removed').map((each) => each.block);
          expect(shown).toEqual(now);
          const gone = compared.filter(({ change }) => change === 'removed').map((each) => Number(each.block.id));
          expect(new Set(gone)).toEqual(new Set(before.filter((id) => !kept.includes(id))));
          // Whatever did not move stands in its old order.
          const stayed = compared
            .filter(({ change }) => change === 'same' || change === 'changed')
            .map((each) => Number(each.block.id));
          expect(stayed).toEqual(before.filter((id) => stayed.includes(id)));
          expect(compared.filter(({ change }) => change === 'added').length).toBe(now.length - kept.length);
        },
      ),
    );
  });

  test('moves as few as possible', () => {
    const list = (text: string) => text.split('').map((id) => ({ id, text: id }));
    const moved = compareBlocks(list('abcdef'), list('fabcde')).filter(({ change }) => change === 'moved');
    expect(moved.map(({ block }) => block.id)).toEqual(['f']);
  });
});
