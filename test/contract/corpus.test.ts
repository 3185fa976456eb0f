import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { BoundCall } from '../../src/call/call.ts';
import type { Effect } from '../../src/call/effect.ts';
import { repairRules } from '../../src/contract/repair/rules.ts';
import type { JsonSchemaObject } from '../../src/contract/tool.ts';
import { bindText, toolWith } from './bind-text.ts';

/** A call as a model might write it, and what must become of it; `corpus/README.md` explains the fields. */
interface Recorded {
  readonly id: string;
  readonly what: string;
  readonly tool: string;
  readonly text: string;
  readonly read: Expected;
  readonly write: Expected;
  readonly rules?: readonly string[];
}
/** The arguments with which it runs, or that it goes back to the model. */
type Expected = Readonly<Record<string, unknown>> | 'back';

const classes = ['repairable', 'needs-the-model', 'malformed', 'valid'] as const;
type Class = (typeof classes)[number];

const contents = (file: string): string => readFileSync(new URL(`corpus/${file}`, import.meta.url), 'utf8');
const schemas = JSON.parse(contents('tools.json')) as Readonly<Record<string, JsonSchemaObject>>;
const recordsOf = (name: Class): readonly Recorded[] =>
  contents(`${name}.jsonl`)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);

/** `unsafe`: a side effect that ran and should not have, or with other arguments. */
type Verdict = 'right' | 'sent back' | 'wrong' | 'unsafe';

function callOf(record: Recorded, effect: Effect): BoundCall | undefined {
  const binding = bindText(toolWith(schemas[record.tool] ?? {}, effect, record.tool), record.text);
  return binding.kind === 'bound' ? binding.call : undefined;
}

function verdictOf(record: Recorded, effect: 'read' | 'write'): Verdict {
  const expected = record[effect];
  const call = callOf(record, effect);
  if (call === undefined) return expected === 'back' ? 'right' : 'sent back';
  if (expected !== 'back' && JSON.stringify(sorted(call.input)) === JSON.stringify(sorted(expected))) return 'right';
  return effect === 'write' ? 'unsafe' : 'wrong';
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  );
}

/** How many of each verdict, and of whatever is not right the ids. */
function measured(
  name: Class,
  effect: 'read' | 'write',
): { readonly counts: object; readonly failed: readonly string[] } {
  const verdicts = recordsOf(name).map((record) => ({ record, verdict: verdictOf(record, effect) }));
  const count = (verdict: Verdict): number => verdicts.filter((each) => each.verdict === verdict).length;
  return {
    counts: { right: count('right'), 'sent back': count('sent back'), wrong: count('wrong'), unsafe: count('unsafe') },
    failed: verdicts.flatMap(({ record, verdict }) => (verdict === 'right' ? [] : [`${record.id} ${record.what}`])),
  };
}

describe('the corpus of our own (T8)', () => {
  const sizes = { repairable: 74, 'needs-the-model': 44, malformed: 99, valid: 47 };

  test.each(classes.flatMap((name) => (['read', 'write'] as const).map((effect) => [name, effect] as const)))(
    '%s: every call is right for a tool that is a %s',
    (name, effect) => {
      const { counts, failed } = measured(name, effect);
      expect(failed).toEqual([]);
      expect(counts).toEqual({ right: sizes[name], 'sent back': 0, wrong: 0, unsafe: 0 });
    },
  );

  test('valid calls pass unchanged and without a repair', () => {
    for (const record of recordsOf('valid')) {
      for (const effect of ['read', 'idempotent', 'write'] as const) {
        const call = callOf(record, effect);
        expect({ id: record.id, input: call?.input, repairs: call?.repairs }).toEqual({
          id: record.id,
          input: JSON.parse(record.text) as unknown,
          repairs: undefined,
        });
      }
    }
  });

  test('what is repaired says by which rule, where, and what was there or stands there now', () => {
    for (const record of [...recordsOf('repairable'), ...recordsOf('malformed')]) {
      for (const effect of ['read', 'write'] as const) {
        if (record[effect] === 'back') continue;
        const repairs = callOf(record, effect)?.repairs ?? [];
        expect({ id: record.id, repairs: repairs.length > 0 }).toEqual({ id: record.id, repairs: true });
        for (const rule of record.rules ?? []) expect(repairs.map((repair) => repair.rule)).toContain(rule);
        for (const { path, before, after } of repairs) {
          expect(path).toMatch(/^(?:\/|$)/);
          expect({ id: record.id, told: before !== undefined || after !== undefined }).toEqual({
            id: record.id,
            told: true,
          });
        }
      }
    }
  });

  test('has a call for every rule but those for names of tools and calls in text', () => {
    const used = [...recordsOf('repairable'), ...recordsOf('malformed')].flatMap((record) => [
      ...(callOf(record, 'read')?.repairs ?? []),
      ...(callOf(record, 'write')?.repairs ?? []),
    ]);
    const rules = new Set(used.map((repair) => repair.rule));
    expect(Object.keys(repairRules).filter((rule) => !rules.has(rule))).toEqual([
      'text-call',
      'text-call-beside-text',
      'tool-name',
    ]);
  });
});
