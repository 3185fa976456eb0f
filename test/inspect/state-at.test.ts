import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { patchBetween, type PatchOperation } from '../../src/inspect/state/json-patch.ts';
import { stateAt } from '../../src/inspect/state/state-at.ts';
import { toJson, type JsonValue } from '../../src/util/json.ts';
import { seededRun } from '../trace/seeded-run.ts';
import { travelJournal } from '../trace/travel-journal.ts';

/** RFC 6902, as far as our patches use it. Written here a second time, so that a patch is judged by somebody else. */
function applied(value: JsonValue, patch: readonly PatchOperation[]): JsonValue {
  const document: { root: JsonValue } = { root: structuredClone(value) };
  for (const operation of patch) {
    const keys = operation.path
      .split('/')
      .slice(1)
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    let holder = document as unknown as Record<string, unknown>;
    let last = 'root';
    for (const key of keys) {
      holder = holder[last] as Record<string, unknown>;
      last = key;
    }
    if (Array.isArray(holder)) {
      if (operation.op === 'remove') holder.splice(Number(last), 1);
      else if (operation.op === 'add') holder.splice(Number(last), 0, operation.value);
      else holder[Number(last)] = operation.value;
    } else if (operation.op === 'remove') {
      Reflect.deleteProperty(holder, last);
    } else {
      const { value: put } = operation;
      Object.defineProperty(holder, last, { value: put, enumerable: true, configurable: true, writable: true });
    }
  }
  return document.root;
}

describe('a patch', () => {
  test('makes the one value out of the other, whatever they are', () => {
    // A key that would change the prototype is no data that can be stored.
    const values = jsonValue()
      .filter((value) => !JSON.stringify(value).includes('"__proto__":'))
      .map(toJson);
    assert(
      property(values, values, (before, after) => {
        expect(applied(before, patchBetween(before, after))).toEqual(after);
        expect(patchBetween(after, structuredClone(after))).toEqual([]);
      }),
    );
  });

  test('says what changed and nothing around it', () => {
    const before = {
      calls: [
        { id: 1, at: 'bound' },
        { id: 2, at: 'bound' },
      ],
      'a/b': 1,
      gone: true,
    };
    const after = {
      calls: [
        { id: 1, at: 'bound' },
        { id: 2, at: 'ready' },
        { id: 3, at: 'bound' },
      ],
      'a/b': 2,
    };
    expect(patchBetween(before, after)).toEqual([
      { op: 'remove', path: '/gone' },
      { op: 'replace', path: '/calls/1/at', value: 'ready' },
      { op: 'add', path: '/calls/2', value: { id: 3, at: 'bound' } },
      { op: 'replace', path: '/a~1b', value: 2 },
    ]);
  });
});

describe('the state after an entry', () => {
  test.each([
    ['a run of two drivers', travelJournal()],
    ['a seeded run', seededRun({ seed: 5, spans: 120, crashes: 0.2, isHostile: true })],
  ])('comes out of the one before by the patch, for every entry of %s', (_, journal) => {
    const entries = journal.flatMap((append) => append.entries);
    let before: JsonValue | undefined;
    entries.forEach((entry, index) => {
      const found = stateAt(journal, index + 1);
      expect(found).toMatchObject({ seq: index + 1, entry: entry.type, state: { seq: index + 1 } });
      if (before !== undefined) expect(applied(before, found.patch)).toEqual(found.state);
      before = found.state;
    });
  });

  test('holds no task and no contracts, and the conversation as its length', () => {
    const journal = travelJournal();
    const last = journal.flatMap((append) => append.entries).length;
    const { state } = stateAt(journal, last);
    expect(state).toMatchObject({ stage: 'ended', conversation: { items: 6 } });
    expect(Object.keys(state)).not.toContain('task');
    expect(Object.keys(state)).not.toContain('contracts');
  });

  test.each([0, -1, 9_999, 1.5])('of an entry that there is not (%d) is refused', (seq) => {
    expect(() => stateAt(travelJournal(), seq)).toThrow(expect.objectContaining({ code: 'usage-invalid' }));
  });
});
