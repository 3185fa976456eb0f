import { describe, expect, test } from 'vitest';
import type { JsonSchemaObject } from '../../src/contract/tool.ts';
import type { JsonValue } from '../../src/util/json.ts';
import { bindText, toolWith } from './bind-text.ts';
import { measuredCases } from './case-files.ts';

interface FaultyCall {
  readonly id: string;
  readonly inputSchema: JsonSchemaObject;
  readonly args: JsonValue;
  readonly class: 'repairable' | 'repairs-to-valid-but-not-expected' | 'needs-the-model';
  readonly allowed: readonly Readonly<Record<string, readonly unknown[]>>[];
}
interface TextCase {
  readonly id: string;
  readonly kind?: string;
  readonly raw: string;
  readonly inputSchema?: JsonSchemaObject;
}

const faulty = measuredCases('bfcl_faulty_args.jsonl') as readonly FaultyCall[] | undefined;
const valid = measuredCases('bfcl_valid_args.jsonl') as readonly TextCase[] | undefined;
const malformed = measuredCases('malformed_args.jsonl') as readonly TextCase[] | undefined;

/** Texts are compared as the benchmark does: without case and punctuation. */
const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

function isAllowed(value: unknown, options: readonly unknown[]): boolean {
  return options.some((option) => isLike(value, option));
}

function isLike(value: unknown, option: unknown): boolean {
  if (typeof value === 'string' && typeof option === 'string') return plain(value) === plain(option);
  if (Array.isArray(value) && Array.isArray(option)) {
    return value.length === option.length && value.every((item, index) => isLike(item, option[index]));
  }
  if (typeof value !== 'object' || value === null || typeof option !== 'object' || option === null) {
    return value === option;
  }
  return fits(value as Record<string, unknown>, option as Record<string, readonly unknown[]>);
}

/** Whether every argument is one of those that the benchmark allows; `''` among them means that it may be left out. */
function fits(input: Record<string, unknown>, allowed: Readonly<Record<string, readonly unknown[]>>): boolean {
  const given = Object.entries(input).every(([key, value]) => isAllowed(value, allowed[key] ?? []));
  return given && Object.entries(allowed).every(([key, options]) => Object.hasOwn(input, key) || options.includes(''));
}

type Verdict = 'right' | 'wrong' | 'sent back';

function verdictOf(call: FaultyCall, effect: 'read' | 'write'): Verdict {
  const binding = bindText(toolWith(call.inputSchema, effect), JSON.stringify(call.args));
  if (binding.kind === 'refused') return 'sent back';
  const input = binding.call.input as Record<string, unknown>;
  return call.allowed.some((allowed) => fits(input, allowed)) ? 'right' : 'wrong';
}

function share(calls: readonly FaultyCall[], effect: 'read' | 'write', verdict: Verdict): number {
  return calls.filter((call) => verdictOf(call, effect) === verdict).length / calls.length;
}

// These records come from a collection without a licence, so that they are measured where they are and not part of the repository.
describe('calls that real models got wrong (skipped where the records are not beside the repository)', () => {
  const ofClass = (name: FaultyCall['class']): readonly FaultyCall[] =>
    (faulty ?? []).filter((call) => call.class === name);

  test.skipIf(faulty === undefined)(
    'of those that can be repaired at least 95 % are repaired right for a read, and none wrong',
    () => {
      expect(share(ofClass('repairable'), 'read', 'right')).toBeGreaterThanOrEqual(0.95);
      expect(share(ofClass('repairable'), 'read', 'wrong')).toBe(0);
    },
  );

  test.skipIf(faulty === undefined)(
    'for a side effect, keys that would have to be dropped are sent back instead, and none is repaired wrong',
    () => {
      expect(share(ofClass('repairable'), 'write', 'right')).toBeGreaterThanOrEqual(0.9);
      expect(share(ofClass('repairable'), 'write', 'wrong')).toBe(0);
    },
  );

  test.skipIf(faulty === undefined)('of those that only the model can mend none runs', () => {
    expect(share(ofClass('needs-the-model'), 'read', 'sent back')).toBe(1);
    expect(share(ofClass('needs-the-model'), 'write', 'sent back')).toBe(1);
  });

  test.skipIf(valid === undefined)('those that were right all along pass unchanged', () => {
    for (const { id, raw, inputSchema = {} } of valid ?? []) {
      for (const effect of ['read', 'write'] as const) {
        const binding = bindText(toolWith(inputSchema, effect), raw);
        expect(binding.kind === 'bound' && { id, input: binding.call.input, repairs: binding.call.repairs }).toEqual({
          id,
          input: JSON.parse(raw) as unknown,
          repairs: undefined,
        });
      }
    }
  });

  test.skipIf(malformed === undefined)('of texts that are no JSON only those run that mean one thing', () => {
    const certain = ['comment', 'single-quotes'];
    for (const { id, kind = '', raw } of malformed ?? []) {
      const binding = bindText(toolWith({ type: 'object' }, 'write'), raw);
      const rules = binding.kind === 'bound' ? (binding.call.repairs ?? []).map((repair) => repair.rule) : [];
      // What else runs has None where null was meant.
      if (binding.kind === 'bound' && !certain.includes(kind)) {
        expect({ id, rules }).toEqual({ id, rules: ['python-literal'] });
      }
    }
  });
});
