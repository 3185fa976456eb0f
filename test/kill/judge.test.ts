/** The judge must see what it is there to see: a true story is let pass, and each false one is named. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createAxle, tool } from '../../src/axle.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { createMemoryStore } from '../../src/testing.ts';
import { heldTo, type KillReport, report, type Seen } from './kill-report.ts';
import { readJournals, type RunJournal } from './laws/run-journal.ts';
import { Told } from './laws/told.ts';
import type { LedgerLine } from './programs/ledger-lines.ts';

const line = { kind: 'write', tool: 'add_note', key: 'k', callId: '1.0', attempt: 1, pid: 1, text: 'a' } as const;

describe('the judge of the kill tests', () => {
  let journals: readonly RunJournal[];
  let ledger: readonly LedgerLine[];
  let runId: string;

  beforeAll(async () => {
    const store = createMemoryStore();
    const addNote = tool({
      name: 'add_note',
      description: 'Adds a note.',
      effect: 'write',
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      execute: () => ({ receipt: 1 }),
    });
    await using axle = await createAxle({ store, tools: [addNote] });
    const result = await axle.call('add_note', { text: 'a' }, { key: 'one' });
    ({ runId } = result);
    journals = await readJournals(store);
    ledger = [{ ...line, receipt: 1, runId }];
  });

  function judge(changed: Partial<Seen> = {}): KillReport {
    return report({
      journals,
      ledger,
      told: new Told(),
      violations: [],
      kills: { worker: 0, client: 0 },
      points: { hit: 0, unhit: [] },
      missing: [],
      tookMs: 0,
      ...changed,
    });
  }

  function told(...said: readonly Parameters<Told['note']>[0][]): Told {
    const facts = new Told();
    for (const each of said) facts.note(each);
    return facts;
  }

  it('lets a true story pass', () => {
    const facts = told(
      { kind: 'accepted', key: 'one', runId },
      { kind: 'result', runId, status: 'completed', output: { receipt: 1 } },
    );
    expect(judge({ told: facts })).toMatchObject({ effects: 1, lost: 0, doubled: 0, violations: [] });
  });

  it('sees an effect that happened twice', () => {
    expect(judge({ ledger: [...ledger, { ...line, receipt: 2, runId }] })).toMatchObject({ doubled: 1 });
  });

  it('sees a success without its effect', () => {
    expect(judge({ ledger: [] })).toMatchObject({ lost: 1 });
  });

  it('sees an effect that no entry announced', () => {
    const stray: LedgerLine = { ...line, receipt: 2, runId, callId: '9.0', key: 'other' };
    expect(judge({ ledger: [...ledger, stray] }).violations).toMatchObject([{ kind: 'journal' }]);
  });

  it('sees an idempotency key that two calls share', () => {
    const journal = journals[0];
    const other: LedgerLine = { ...line, kind: 'idempotent', receipt: 2, runId, callId: '9.0' };
    expect(journal).toBeDefined();
    expect(judge({ ledger: [...ledger, other] }).lost).toBe(1);
  });

  it('sees an accepted run that is gone, a result that changed, an answer that is nowhere', () => {
    expect(judge({ journals: [], ledger: [], told: told({ kind: 'accepted', key: 'one', runId }) })).toMatchObject({
      lost: 1,
    });
    expect(judge({ told: told({ kind: 'result', runId, status: 'completed', output: { receipt: 7 } }) })).toMatchObject(
      { lost: 1 },
    );
    expect(judge({ told: told({ kind: 'approved', approvalId: `${runId}/1.0` }) })).toMatchObject({ lost: 1 });
    expect(judge({ told: told({ kind: 'resolved', id: `${runId}/1.0`, happened: true }) })).toMatchObject({ lost: 1 });
    expect(judge({ told: told({ kind: 'cancelled', runId }) })).toMatchObject({ lost: 1 });
    expect(judge({ told: told({ kind: 'sent', key: 'm', runId, text: 'hello' }) })).toMatchObject({ lost: 1 });
    expect(judge({ missing: ['two'] })).toMatchObject({ lost: 1 });
  });

  it('sees a journal with a gap, an older epoch, and an attempt that nothing allows', () => {
    const [journal] = journals;
    if (journal === undefined) throw new Error('There is no journal.');
    const [first, ...rest] = journal.appends;
    if (first === undefined) throw new Error('The journal is empty.');
    const withAppends = (appends: RunJournal['appends']): readonly RunJournal[] => [{ ...journal, appends }];
    const kinds = (changed: readonly RunJournal[]): readonly string[] =>
      judge({ journals: changed }).violations.map((violation) => violation.text);
    expect(kinds(withAppends(rest)).join()).toContain('and should at 1');
    expect(kinds(withAppends([{ ...first, epoch: 5 }, ...rest])).join()).toContain('follows 5');
    const second: Entry = { type: 'attempt-started', callId: '1.0', attempt: 2 };
    const again = rest.map((append) => ({
      ...append,
      entries: append.entries.flatMap((entry): readonly Entry[] =>
        entry.type === 'attempt-finished' ? [entry, second] : [entry],
      ),
    }));
    expect(kinds(withAppends([first, ...again])).join()).toContain('began while it was answered');
  });

  it('fails a look that saw too little', () => {
    const held = heldTo({ kills: 100, effects: 500, points: 25 }, judge());
    expect(held.violations.map((violation) => violation.kind)).toContain('vacuous');
    expect(held.violations).toHaveLength(7);
  });
});
