import * as fc from 'fast-check';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import type { Append, Contract } from '../../src/axle.ts';
import { declaredContract } from '../../src/contract/declared-contract.ts';
import { assertEntry } from '../../src/journal/entry-guard.ts';
import { openSqliteStore } from '../../src/journal/sqlite/sqlite-store.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { defaultPolicy } from '../../src/policy/default-policy.ts';
import { replayRun } from '../../src/replay/replay-run.ts';
import type { ReplayReport } from '../../src/replay/replay-report.ts';
import { temporaryFolder } from '../journal/temporary-store.ts';
import { Ledger, ledgerTool, openWorld } from '../run/world.ts';
import { plantedChanges } from './planted-change.ts';
import { appendsOf, readRecordings, record, type Recording, storeOf } from './recording.ts';
import { portsOf } from './replayed-store.ts';

const recordings = readRecordings();

describe('a recording that is replayed', () => {
  it.each(recordings)('is byte-equal: $name (format $format)', async (recording) => {
    const report = await replayed(recording, appendsOf(recording));
    expect(report.difference).toBeUndefined();
    expect(report.uncheckedCount).toBe(recording.unchecked);
  });

  it('is one of 45, of three formats, with all kinds of entries', () => {
    const types = recordings.flatMap((recording) => appendsOf(recording).flatMap(typesIn));
    expect(new Set(types).size).toBeGreaterThanOrEqual(34);
    expect(new Set(recordings.map(({ format }) => format))).toEqual(new Set([1, 2, 3]));
    expect(recordings.length).toBe(45);
  });
});

/** Facts from outside that nothing recomputable depends on: that they are what was written is for the checksum of the store to say. */
const onlyTold: Readonly<Record<string, readonly RegExp[]>> = {
  'run-accepted': [
    /^fork\/(?:of|seq)$/u,
    /^fork\/recorded\/\*\/tool$/u,
    /^traceId$/u,
    /^task\/approvalTtlMs$/u,
    /^task\/contracts\/\*\/hash$/u,
  ],
  'run-claimed': [/^worker$/u],
  'run-held': [/./u],
  'contract-rebound': [/^contract\/hash$/u],
  'contract-migrated': [/^contract\/hash$/u],
  'model-finished': [/^usage\//u, /^tookMs$/u, /^parts\/\*\/text$/u],
  'model-failed': [/^tookMs$/u],
  'call-cached': [/^from\//u, /^ageMs$/u],
  'call-admitted': [/^waitedMs$/u],
  'admission-refused': [/^waitedMs$/u, /^failure\//u],
  'breaker-changed': [/^reason$/u, /^untilMs$/u],
  'attempt-finished': [/^tookMs$/u, /^result\/failure\/(?:code|message|advice)$/u, /^result\/drift\//u],
  'verify-finished': [/^tookMs$/u],
  'evidence-received': [/^attempt$/u, /^result\/failure\//u],
  'post-refused': [/./u],
  'cancel-requested': [/^reason$/u],
  'message-received': [/^text$/u],
};

describe('a planted change of one character', { timeout: 120_000 }, () => {
  it('is pointed at, at the entry itself for whatever our functions decide, wherever it is made', async () => {
    let planted = 0;
    const missed: string[] = [];
    const late: string[] = [];
    for (const recording of recordings.filter(({ unchecked, format }) => unchecked === 0 && format >= 2)) {
      const appends = appendsOf(recording);
      for (const change of plantedChanges(appends, (length) => Math.floor(length / 2))) {
        planted += 1;
        // What has no entry's form any more, no store gives back.
        if (!isStorable(change.appends, change.seq)) continue;
        const { difference } = await replayed(recording, change.appends);
        const label = `${recording.name}: ${change.seq} ${change.type} ${change.place}`;
        if (difference === undefined) {
          if (onlyTold[change.type]?.some((place) => place.test(change.place)) !== true) missed.push(label);
        } else if (difference.seq !== change.seq && isDecided(change.type)) {
          late.push(`${label}, found at ${difference.seq}`);
        }
      }
    }
    expect(missed).toEqual([]);
    expect(late).toEqual([]);
    expect(planted).toBeGreaterThan(2_000);
  });

  it('in the file of the store is found by its checksum, in whichever entry or body it is', async () => {
    const { path, runId } = await storedRun();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA synchronous = OFF');
    const store = openSqliteStore(path, { role: 'client' });
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.nat(), async (row, place) => {
        const putBack = plantInFile(database, row, place);
        const { difference } = await replayRun(runId, {}, portsOf(store, {}));
        putBack();
        expect(difference).toMatchObject({ law: 'checksum' });
      }),
      { numRuns: 100 },
    );
    expect(await replayRun(runId, {}, portsOf(store, {}))).toMatchObject({ isSame: true });
    await store.close();
    database.close();
  });
});

describe('a replay', () => {
  it('calls no tool and no model, also of a run that is under way', async () => {
    const ledger = new Ledger();
    let asked = 0;
    const { axle } = await openWorld({
      tools: [ledgerTool(ledger, 'pay', { risk: 'high' })],
      turns: (_, turn) => {
        asked += 1;
        return turn === 0 ? { calls: [{ name: 'pay', input: { cents: 5 } }] } : 'paid';
      },
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    expect(await axle.replay(run.id)).toMatchObject({ isSame: true, steps: 1, uncheckedCount: 0 });
    await axle.approvals.resolve(`${run.id}/1.0`, { decision: 'approve' });
    await run.result();
    expect(await axle.replay(run.id)).toMatchObject({ isSame: true, steps: 2, uncheckedCount: 0 });
    expect([asked, ledger.effects.length]).toEqual([2, 1]);
  });

  it('points at what another policy would have decided', async () => {
    const { axle, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'pay')],
      turns: [{ calls: [{ name: 'pay', input: {} }] }, 'paid'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    const recording = await record(store, run.id, { name: 'of now', unchecked: 0 });
    expect(await replayed(recording, appendsOf(recording))).toMatchObject({ isSame: true, uncheckedCount: 0 });
    const ports = portsOf(store, { policy: () => ({ kind: 'deny', rule: 'closed', reason: 'It is closed.' }) });
    expect((await replayRun(run.id, {}, ports)).difference).toMatchObject({
      law: 'decision',
      type: 'call-decided',
      path: '/decision/kind',
      recorded: 'allow',
      recomputed: 'deny',
    });
    const { difference, unchecked } = await replayRun(run.id, {}, { ...ports, policy: undefined });
    expect([difference, unchecked]).toEqual([undefined, []]);
  });

  it('says what it could not recompute, when neither the tool nor its declaration is here', async () => {
    const { axle, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'pay')],
      turns: [{ calls: [{ name: 'pay', input: {} }] }, 'paid'],
    });
    const run = await axle.start('worker', { input: 'pay' });
    await run.result();
    const forgetful = wrapStore(store, { body: async () => undefined });
    const report = await replayRun(run.id, {}, portsOf(forgetful, {}));
    expect(report).toMatchObject({ isSame: true, uncheckedCount: 1 });
    expect(report.unchecked).toContainEqual({
      seq: expect.any(Number),
      type: 'call-bound',
      reason: 'Not registered here, and no declaration kept: pay.',
    });
    expect(report.unchecked.map(({ type }) => type)).toContain('model-started');
  });

  it('of an undo whose tool is nowhere says that it could not recompute its calls, and recomputes the rest', async () => {
    const { axle, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'book', { undo: () => 'released' })],
      turns: [{ calls: [{ name: 'book', input: {} }] }, 'booked'],
    });
    const run = await axle.start('worker', { input: 'book' });
    await run.result();
    const undo = await axle.undo(run.id);
    expect(await undo.result()).toMatchObject({ status: 'completed' });
    const forgetful = wrapStore(store, { body: async () => undefined });
    expect(await replayRun(undo.id, {}, portsOf(forgetful, {}))).toMatchObject({
      isSame: true,
      unchecked: [{ type: 'call-bound', reason: 'Not registered here, and no declaration kept: book~undo.' }],
    });
  });

  it('tells of one step how each of its entries was replayed', async () => {
    const { axle } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read' })],
      turns: [{ calls: [{ name: 'look', input: {} }] }, 'seen'],
    });
    const run = await axle.start('worker', { input: 'look' });
    await run.result();
    const { step } = await axle.replay(run.id, { step: 1 });
    expect(step?.map(({ type, how }) => `${how} ${type}`)).toEqual([
      'checked model-started',
      'taken model-finished',
      'checked call-bound',
      'checked call-decided',
      'checked attempt-started',
      'taken attempt-finished',
      'checked call-settled',
    ]);
    await expect(axle.replay(run.id, { step: -1 })).rejects.toMatchObject({ code: 'usage-invalid' });
    await expect(axle.replay('run_nobody')).rejects.toMatchObject({ code: 'run-unknown' });
  });

  it('finds an entry that is missing, one too many, and one out of its place', async () => {
    const recording = recordings.find(({ format, appends }) => format === 2 && appends.length > 4);
    if (recording === undefined) throw new Error('There is no recording of several appends.');
    const appends = appendsOf(recording);
    const last = appends.findLastIndex(({ entries }) => entries.length > 1);
    const cut = withEntries(appends, last, (entries) => entries.slice(0, -1));
    expect((await replayed(recording, cut)).difference).toMatchObject({
      law: 'order',
      recomputed: { type: expect.any(String) },
    });
    const twice = withEntries(appends, 1, (entries) => [...entries, ...entries.slice(-1)]);
    expect((await replayed(recording, twice)).difference?.law).toBe('order');
    expect((await replayed(recording, appends.toSpliced(2, 1))).difference).toMatchObject({ law: 'order' });
  });

  it('compares what the store keeps of a long run with the fold of its journal', async () => {
    const { axle, store } = await openWorld({
      tools: [ledgerTool(new Ledger(), 'look', { effect: 'read' })],
      turns: (_, turn) => (turn < 80 ? { calls: [{ name: 'look', input: { turn } }] } : 'seen'),
      agent: { budget: { steps: 90 } },
    });
    const run = await axle.start('worker', { input: 'look' });
    await run.result();
    const kept = await store.snapshot(run.id);
    expect(kept?.seq).toBeGreaterThan(64);
    expect(await axle.replay(run.id)).toMatchObject({ isSame: true });
    const changed = wrapStore(store, {
      snapshot: async () => JSON.parse(JSON.stringify(kept).replace('"fruitlessTurns":0', '"fruitlessTurns":1')),
    });
    const ports = portsOf(changed, { tools: [] });
    expect((await replayRun(run.id, {}, ports)).difference).toMatchObject({
      law: 'snapshot',
      path: '/snapshot/control/fruitlessTurns',
      recorded: 1,
      recomputed: 0,
    });
  });
});

const folders: { readonly remove: () => void }[] = [];
afterAll(() => {
  for (const folder of folders) folder.remove();
});

/** A run with an approval, a large result and several turns, in a file. */
async function storedRun(): Promise<{ readonly path: string; readonly runId: string }> {
  const folder = temporaryFolder();
  folders.push(folder);
  const { axle } = await openWorld({
    store: openSqliteStore(folder.path, { role: 'driver' }),
    tools: [
      ledgerTool(new Ledger(), 'look', { effect: 'read', run: () => ({ long: 'word '.repeat(1_000) }) }),
      ledgerTool(new Ledger(), 'pay', { risk: 'high' }),
    ],
    turns: [
      { calls: [{ name: 'look', input: { at: 'it' } }] },
      { calls: [{ name: 'pay', input: { cents: 5 } }] },
      'done',
    ],
  });
  const run = await axle.start('worker', { input: 'look, then pay' });
  await run.result();
  await axle.approvals.resolve(`${run.id}/2.0`, { decision: 'approve' });
  await run.result();
  await axle.close();
  return { path: folder.path, runId: run.id };
}

/** Changes one character of one text that the file holds. Returns the way back. */
function plantInFile(database: DatabaseSync, row: number, place: number): () => void {
  const texts = [
    ...database
      .prepare('SELECT id, entries AS text FROM journal')
      .all()
      .map((found) => ({ ...found, table: 'journal' })),
    ...database
      .prepare(
        'SELECT body_key AS id, body AS text FROM bodies WHERE hash IN (SELECT hash FROM bodies) AND length(body) > 2048',
      )
      .all()
      .map((found) => ({ ...found, table: 'bodies' })),
  ];
  const { id, text, table } = texts[row % texts.length] as { id: number; text: string; table: 'journal' | 'bodies' };
  const at = place % text.length;
  const other = text[at] === 'x' ? 'y' : 'x';
  const write = (value: string): void => {
    const statement =
      table === 'journal'
        ? 'UPDATE journal SET entries = ? WHERE id = ?'
        : 'UPDATE bodies SET body = ? WHERE body_key = ?';
    database.prepare(statement).run(value, id);
  };
  write(text.slice(0, at) + other + text.slice(at + 1));
  return () => write(text);
}

/** Its tools are those that it declares: nothing of them depends on functions. */
async function replayed(recording: Recording, appends: readonly Append[]): Promise<ReplayReport> {
  const store = storeOf(recording, appends);
  const tools = recording.unchecked === 0 ? toolsOf(recording) : [];
  return replayRun(
    recording.runId,
    {},
    {
      store,
      contract: (name, version) => tools.find((tool) => tool.name === name && tool.version === version),
      retained: () => undefined,
      policy: defaultPolicy,
    },
  );
}

function withEntries(
  appends: readonly Append[],
  at: number,
  change: (entries: Append['entries']) => Append['entries'],
): readonly Append[] {
  return appends.map((append, index) => (index === at ? { ...append, entries: change(append.entries) } : append));
}

const declaredTools = new Map<Recording, readonly Contract[]>();

function toolsOf(recording: Recording): readonly Contract[] {
  const known = declaredTools.get(recording);
  if (known !== undefined) return known;
  const entries = appendsOf(recording).flatMap((append) => append.entries);
  const pins = entries.flatMap((entry) =>
    entry.type === 'run-accepted' ? entry.task.contracts : 'contract' in entry ? [entry.contract] : [],
  );
  const tools = pins.flatMap((pin) => declaredContract(recording.declarations[pin.hash] ?? '', pin) ?? []);
  declaredTools.set(recording, tools);
  return tools;
}

function typesIn({ entries }: Append): readonly string[] {
  return entries.map(({ type }) => type);
}

function isStorable(appends: readonly Append[], seq: number): boolean {
  const entry = appends.flatMap(({ entries }) => entries)[seq - 1];
  try {
    assertEntry(entry, 'entry-invalid');
    return true;
  } catch {
    return false;
  }
}

const decided = new Set([
  'model-started',
  'call-bound',
  'call-refused',
  'call-decided',
  'approval-expired',
  'attempt-started',
  'call-fell-back',
  'call-doubted',
  'verify-started',
  'call-recorded',
  'call-settled',
  'run-finished',
]);

function isDecided(type: string): boolean {
  return decided.has(type);
}
