import { describe, expect, test } from 'vitest';
import { describeTool } from '../../src/contract/describe.ts';
import { tool } from '../../src/contract/tool.ts';

const input = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };

describe('what a model is shown of a tool', () => {
  test('is description, when to use it, its limitations and the first example', () => {
    const contract = tool({
      name: 'refund',
      description: 'Refunds a charge.',
      whenToUse: 'A customer asks for money back.',
      limitations: 'Not for charges older than a year.',
      input,
      examples: [{ input: { id: 'ch_1' } }, { input: { id: 'ch_2' } }],
      execute: () => null,
    });
    expect(describeTool(contract)).toEqual({
      name: 'refund',
      description:
        'Refunds a charge.\nWhen to use: A customer asks for money back.\nLimitations: Not for charges older than a year.\nExample arguments: {"id":"ch_1"}',
      inputSchema: input,
    });
  });

  test('is made once, so that its identity can stand for it', () => {
    const contract = tool({ name: 'a', description: 'Only this.', input, execute: () => null });
    expect(describeTool(contract)).toBe(describeTool(contract));
    expect(describeTool(contract).description).toBe('Only this.');
  });

  test('leaves out an example that is longer than it is useful', () => {
    const contract = tool({
      name: 'a',
      description: 'd',
      input,
      examples: [{ input: { id: 'x'.repeat(5000) } }],
      execute: () => null,
    });
    expect(describeTool(contract).description).toBe('d');
  });
});
