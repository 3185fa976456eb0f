import { describe, expect, test } from 'vitest';
import type { Effect } from '../../src/call/effect.ts';
import { toCheckedSchema } from '../../src/contract/schema/checked-schema.ts';
import type { JsonSchemaObject } from '../../src/contract/tool.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { bindCall } from '../../src/contract/bind.ts';
import { bindText, messageOf, outcomeOf, toolWith } from './bind-text.ts';
import { committedCases } from './case-files.ts';

interface IssueCase {
  readonly id: string;
  readonly kind: string;
  readonly surface: string;
  readonly title: string;
  readonly input: {
    readonly tool?: { readonly name: string; readonly inputSchema: JsonSchemaObject; readonly effect: Effect };
    readonly tools?: readonly {
      readonly name: string;
      readonly inputSchema: JsonSchemaObject;
      readonly effect: Effect;
    }[];
    readonly rawArguments?: string | readonly string[];
    readonly deltas?: readonly string[];
    readonly schema?: JsonSchemaObject;
    readonly schemas?: readonly JsonSchemaObject[];
    readonly values?: readonly JsonValue[];
  };
  readonly expect: Expectation & {
    readonly oneOf?: readonly Expectation[];
    readonly perInput?: readonly Expectation[];
  };
}
interface Expectation {
  readonly outcome?: string;
  readonly args?: JsonValue;
}

/** Faults that people met in other systems, as far as they are a matter of contracts; the rest belongs to adapters and drivers. */
const cases = new Map(
  (committedCases('issue_cases.jsonl') as readonly IssueCase[])
    .filter((each) => each.kind === 'args' || each.kind === 'mcp-schema')
    .map((each) => [each.id, each]),
);

function caseOf(
  id: string,
): IssueCase & { readonly texts: readonly string[]; readonly tool: ReturnType<typeof toolWith> } {
  const found = cases.get(id);
  if (found === undefined) throw new Error(`there is no case ${id}`);
  const { rawArguments = [], tool = { name: 'none', inputSchema: { type: 'object' }, effect: 'read' as const } } =
    found.input;
  return {
    ...found,
    texts: typeof rawArguments === 'string' ? [rawArguments] : rawArguments,
    tool: toolWith(tool.inputSchema, tool.effect, tool.name),
  };
}

describe('faults that people met elsewhere', () => {
  test.each(['C001', 'C002', 'C004', 'C006', 'C008', 'C016', 'C021'])('%s is repaired to what was meant', (id) => {
    const { texts, tool, expect: expected } = caseOf(id);
    expect(texts.length).toBeGreaterThan(0);
    for (const text of texts) expect(outcomeOf(tool, text).input).toEqual(expected.args);
  });

  test('C010 arguments that are missing altogether are none', () => {
    const { tool } = caseOf('C010');
    const listing = toolWith(
      { type: 'object', properties: { limit: { type: 'integer' } }, required: [] },
      'read',
      tool.name,
    );
    expect(outcomeOf(listing, '').input).toEqual({});
  });

  test('C011 a write whose arguments were cut off does not run, and the model is told why', () => {
    const { texts, tool } = caseOf('C011');
    const [text = ''] = texts;
    expect(outcomeOf(tool, text).code).toBe('arguments-truncated');
    const atLimit = bindCall(
      { toolCallId: '1', toolName: tool.name, argumentsText: text },
      { callId: '0.0', lookup: () => tool, names: [tool.name], truncated: true },
    );
    expect(atLimit.kind === 'refused' && atLimit.failure).toMatchObject({
      code: 'arguments-truncated',
      message: expect.stringContaining('output limit') as string,
      advice: expect.stringContaining('shorter') as string,
    });
  });

  test('C014 several objects in one text run none of them', () => {
    const { texts, tool } = caseOf('C014');
    expect(outcomeOf(tool, texts[0] ?? '').code).toBe('arguments-ambiguous');
    expect(messageOf(tool, texts[0] ?? '')).toContain('send each call on its own');
  });

  test('C015 a placeholder before the object is passed over', () => {
    const { tool, input, expect: expected } = caseOf('C015');
    expect(outcomeOf(tool, (input.deltas ?? []).join('')).input).toEqual(expected.args);
  });

  test('C022 expressions are sent back', () => {
    const { texts, tool } = caseOf('C022');
    for (const text of texts) expect(messageOf(tool, text)).toMatch(/expressions are not computed|literal value/);
  });

  test('C023 a whole number beyond 2^53 is kept as a text or refused, and never rounded', () => {
    const { texts, input } = caseOf('C023');
    const results = (input.tools ?? []).map((each) =>
      outcomeOf(toolWith(each.inputSchema, each.effect, each.name), texts[0] ?? ''),
    );
    expect(results).toEqual([
      { code: 'arguments-invalid' },
      { input: { id: '2512292042121000001' }, rules: ['number-to-string'] },
    ]);
  });

  test('C024 a key that is nearly known is sent back with the one that is known', () => {
    const { texts, tool } = caseOf('C024');
    expect(messageOf(tool, texts[0] ?? '')).toContain('treshold is not a parameter (did you mean threshold?)');
  });

  test('C026 a date is not turned into a number', () => {
    const { texts, tool } = caseOf('C026');
    for (const text of texts) expect(outcomeOf(tool, text).code).toBe('arguments-invalid');
  });

  test('C028 a listed value in other case is known, free text is answered with the list', () => {
    const { texts, tool } = caseOf('C028');
    expect(outcomeOf(tool, texts[0] ?? '').input).toEqual({ region: 'North' });
    expect(messageOf(tool, texts[1] ?? '')).toContain('must be one of "North", "South", "All"');
  });

  test('C080 references inside a schema are followed', () => {
    const { schema } = caseOf('C080').input;
    const checked = toCheckedSchema(schema, 'input', 's');
    expect(checked.check({ f: 'a', t: { kids: [{ kids: [] }] } }).ok).toBe(true);
    expect(checked.check({ f: 'c' }).ok).toBe(false);
    expect(checked.check({ f: 'a', t: { kids: [{ kids: 1 }] } }).ok).toBe(false);
    const binding = bindText(toolWith(schema ?? {}, 'read'), '{"f":"A","t":{"kids":"[{}]"}}');
    expect(binding.kind === 'bound' && binding.call.input).toEqual({ f: 'a', t: { kids: [{}] } });
  });

  test('C082 two dialects live side by side', () => {
    const { schemas = [], values = [] } = caseOf('C082').input;
    expect(schemas).toHaveLength(2);
    for (const schema of schemas) {
      const checked = toCheckedSchema(schema, 'input', 's');
      expect(values.map((value) => checked.check(value).ok)).toEqual([true, false, false]);
    }
  });

  test('every case of these kinds has its test here', () => {
    const tested = [
      'C001',
      'C002',
      'C004',
      'C006',
      'C008',
      'C010',
      'C011',
      'C014',
      'C015',
      'C016',
      'C021',
      'C022',
      'C023',
      'C024',
      'C026',
      'C028',
      'C080',
      'C082',
    ];
    expect([...cases.keys()]).toEqual(tested);
  });
});
