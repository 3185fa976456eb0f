import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { tool } from '../../src/contract/tool.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import type { ToolContext } from '../../src/contract/contract.ts';

const base = {
  name: 'refund',
  description: 'Refunds a charge.',
  input: z.object({ chargeId: z.string(), cents: z.int() }),
};
const execute = (): null => null;

/** Declares what a caller without types might, and gives back the error. */
function refusal(fields: object): { code: string; message: string } {
  try {
    // Wrong fields are the point, so the compiler has to be passed by.
    tool({ ...base, execute, ...fields } as never);
  } catch (error) {
    if (isAxleError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('a declaration', () => {
  test('that says little gets the strictest terms', () => {
    const contract = tool({ ...base, execute });
    expect(contract).toMatchObject({ version: 1, effect: 'write', risk: 'medium', irreversible: false });
    expect(contract.terms).toEqual({
      effect: 'write',
      risk: 'medium',
      irreversible: false,
      maxAttempts: 4,
      backoffBaseMs: 1000,
      backoffCapMs: 10_000,
      timeoutMs: 10_000,
      canVerify: false,
      settleMs: 0,
      parallel: false,
    });
  });

  test('of a read is of low risk unless it says otherwise', () => {
    expect(tool({ ...base, execute, effect: 'read' }).risk).toBe('low');
    expect(tool({ ...base, execute, effect: 'read', risk: 'high' }).risk).toBe('high');
    expect(tool({ ...base, execute, effect: 'idempotent' }).risk).toBe('medium');
  });

  test('keeps everything that it says', () => {
    const contract = tool({
      ...base,
      version: 3,
      whenToUse: 'A customer asks for money back.',
      limitations: 'Not for charges older than a year.',
      category: 'billing',
      tags: ['money'],
      effect: 'idempotent',
      risk: 'high',
      irreversible: true,
      timeout: '2m',
      retry: { attempts: 2, baseMs: 50, capMs: 60 },
      parallel: true,
      settle: '500ms',
      expectedDuration: 1500,
      cost: { usd: 0.02 },
      sandbox: 'none',
      output: z.object({ refundId: z.string() }),
      examples: [{ input: { chargeId: 'ch_1', cents: 500 }, output: { refundId: 're_1' } }],
      execute: (input) => ({ refundId: input.chargeId }),
      verify: () => ({ happened: 'unknown' }),
    });
    expect(contract).toMatchObject({
      name: 'refund',
      version: 3,
      whenToUse: 'A customer asks for money back.',
      limitations: 'Not for charges older than a year.',
      category: 'billing',
      tags: ['money'],
      expectedDurationMs: 1500,
      cost: { usd: 0.02 },
      examples: [{ input: { chargeId: 'ch_1', cents: 500 }, output: { refundId: 're_1' } }],
    });
    expect(contract.terms).toMatchObject({
      timeoutMs: 120_000,
      maxAttempts: 2,
      backoffBaseMs: 50,
      backoffCapMs: 60,
      settleMs: 500,
      parallel: true,
      canVerify: true,
      irreversible: true,
    });
  });

  test('is frozen, its schema and examples too', () => {
    const contract = tool({ ...base, execute, tags: ['a'], examples: [{ input: { chargeId: 'c', cents: 1 } }] });
    for (const part of [
      contract,
      contract.terms,
      contract.pin,
      contract.tags,
      contract.examples,
      contract.examples[0],
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
    expect(Object.isFrozen(contract.input.json)).toBe(true);
    expect(Object.isFrozen(contract.input.json['properties'])).toBe(true);
  });

  test('hands the checked input to its code, with the declaration as this', async () => {
    const contract = tool({
      ...base,
      execute(input, context) {
        return [this.name, input.cents + 1, context.callId];
      },
    });
    // Only the part of the context that the tool reads.
    const context = { callId: '1.0' } as ToolContext;
    expect(await contract.execute({ chargeId: 'c', cents: 1 }, context)).toEqual(['refund', 2, '1.0']);
  });
});

describe('a declaration is refused', () => {
  test.each(['permissions', 'budget'])('for %s, whose machinery does not exist', (field) => {
    expect(refusal({ [field]: [] })).toEqual({
      code: 'contract-field-not-enforced',
      message: `Tool refund: ${field} is not enforced by this release, so it is refused.`,
    });
  });

  test('for a sandbox around a function, which runs in process whatever is declared', () => {
    expect(refusal({ sandbox: { needs: ['files'] } }).code).toBe('contract-invalid');
  });

  test('for a field that does not exist, with the one that was meant', () => {
    expect(refusal({ timeoutMs: 5 })).toEqual({
      code: 'contract-invalid',
      message: 'Tool refund: there is no field timeoutMs; did you mean timeout?',
    });
    expect(refusal({ retry: { atempts: 3 } }).message).toContain('did you mean attempts?');
  });

  test.each([
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 'a*' }, 'name'],
    [{ name: 'end ' }, 'name'],
    [{ name: 'x'.repeat(257) }, 'name'],
    [{ name: undefined }, 'name'],
    [{ description: ' ' }, 'description'],
    [{ version: 1.5 }, 'version'],
    [{ effect: 'mutate' }, 'effect'],
    [{ risk: 'huge' }, 'risk'],
    [{ irreversible: 'yes' }, 'irreversible'],
    [{ effect: 'read', irreversible: true }, 'irreversible'],
    [{ authorization: 'maybe' }, 'authorization'],
    [{ timeout: 0 }, 'timeout'],
    [{ timeout: '25h' }, 'timeout'],
    [{ timeout: 'soon' }, 'timeout'],
    [{ retry: 3 }, 'retry'],
    [{ retry: { attempts: 0 } }, 'attempts'],
    [{ maxInvalidCalls: 0 }, 'maxInvalidCalls'],
    [{ retry: { baseMs: 500, capMs: 100 } }, 'capMs'],
    [{ parallel: true }, 'parallel'],
    [{ settle: '1s' }, 'settle'],
    [{ cost: { usd: -1 } }, 'usd'],
    [{ cost: {} }, 'usd'],
    [{ tags: 'money' }, 'tags'],
    [{ execute: undefined }, 'execute'],
    [{ verify: true }, 'verify'],
    [{ input: undefined }, 'input'],
    [{ input: { type: 'string' } }, 'input'],
    [{ examples: [{ input: { chargeId: 'c' } }] }, 'input'],
    [
      { output: z.object({ id: z.string() }), examples: [{ input: { chargeId: 'c', cents: 1 }, output: {} }] },
      'output',
    ],
    [{ examples: [{ in: 1 }] }, 'in'],
  ])('for %j, naming %s', (fields, field) => {
    const { code, message } = refusal(fields);
    expect(code).toBe('contract-invalid');
    expect(message).toMatch(new RegExp(`\\b${field}\\b`));
  });

  test.each([
    ['a schema that is none', { input: 'string' }],
    ['a JSON Schema with an unknown type', { input: { type: 'object', properties: { a: { type: 'text' } } } }],
    [
      'a reference to another place',
      { input: { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } } },
    ],
    ['a reference to nowhere', { input: { type: 'object', properties: { a: { $ref: '#/$defs/a' } } } }],
    ['a Date in the schema', { input: z.object({ at: z.date() }) }],
  ])('with schema-unsupported for %s', (_, fields) => {
    expect(refusal(fields).code).toBe('schema-unsupported');
  });
});

describe('the hash of a contract', () => {
  const hashOf = (fields: object): { hash: string; shape: string } => tool({ ...base, execute, ...fields }).pin;

  test('does not depend on the order of keys, nor on code', () => {
    const one = tool({
      name: 'a',
      description: 'd',
      input: { type: 'object', properties: { x: { type: 'string' } } },
      execute,
    });
    const other = tool({
      execute: () => 1,
      input: { properties: { x: { type: 'string' } }, type: 'object' },
      description: 'd',
      name: 'a',
    });
    expect(one.pin).toEqual(other.pin);
  });

  test('changes with everything declared, its shape only with schemas and effect', () => {
    const plain = hashOf({});
    for (const fields of [
      { description: 'x' },
      { timeout: '1s' },
      { risk: 'high' },
      { version: 2 },
      { tags: ['a'] },
      { cost: { usd: 1 } },
    ]) {
      expect(hashOf(fields).hash).not.toBe(plain.hash);
      expect(hashOf(fields).shape).toBe(plain.shape);
    }
    for (const fields of [{ effect: 'read' }, { output: z.object({}) }, { input: z.object({ a: z.string() }) }]) {
      expect(hashOf(fields).shape).not.toBe(plain.shape);
    }
  });
});
