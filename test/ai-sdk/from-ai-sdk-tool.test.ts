import { noAliases } from '../../src/execute/aliases/no-aliases.ts';
import { dynamicTool, jsonSchema, tool as aiTool, type Tool, zodSchema } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AiSdkTool, fromAiSdkTool } from '../../src/ai-sdk.ts';
import type { ToolContext } from '../../src/contract/contract.ts';
import { isToolError } from '../../src/contract/tool-error.ts';
import { isAxleError } from '../../src/error/axle-error.ts';
import { textLike } from './text-like.ts';

// The compiler's part of the proof: any tool of the AI SDK is one to us.
const accepted = (tool: Tool): AiSdkTool => tool;

const context: ToolContext = {
  runId: 'run_1',
  callId: '1.0',
  attempt: 1,
  idempotencyKey: 'key-of-the-call',
  signal: new AbortController().signal,
  log: () => undefined,
  progress: () => undefined,
  ...noAliases,
};

const city = z.object({ city: z.string() });

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

describe('a tool of the AI SDK', () => {
  test('is a contract without a change: a write of medium risk', async () => {
    const weather = aiTool({
      description: 'Gives the weather.',
      inputSchema: city,
      execute: async ({ city }, { toolCallId, messages }) => ({ city, toolCallId, messages }),
    });
    const contract = fromAiSdkTool('get_weather', accepted(weather));
    expect(contract).toMatchObject({
      name: 'get_weather',
      description: 'Gives the weather.',
      effect: 'write',
      risk: 'medium',
      input: { json: { type: 'object', required: ['city'] } },
    });
    expect(contract.input.check({ city: 1 }).ok).toBe(false);
    expect(await contract.execute({ city: 'Oslo' }, context)).toEqual({
      city: 'Oslo',
      toolCallId: 'key-of-the-call',
      messages: [],
    });
  });

  test('takes what it cannot say itself from the caller', () => {
    const weather = aiTool({ inputSchema: city, execute: async () => 1 });
    expect(fromAiSdkTool('get_weather', weather, { effect: 'read', timeout: '2s' })).toMatchObject({
      description: 'get_weather',
      effect: 'read',
      risk: 'low',
      terms: { timeoutMs: 2_000 },
    });
  });

  test.each([
    ['always', true],
    ['by its own function', () => false],
  ])('that needs approval %s is of high risk, whatever else is declared', (_, needsApproval) => {
    const pay = { inputSchema: city, needsApproval, execute: async () => 1 };
    expect(fromAiSdkTool('pay', pay, { risk: 'low' }).risk).toBe('high');
  });

  test.each([
    ['zodSchema', zodSchema(city)],
    [
      'jsonSchema',
      jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
    ],
    ['a lazy schema', () => zodSchema(city)],
  ])('may bring its schema as %s', async (_, inputSchema) => {
    const contract = fromAiSdkTool('get_weather', { inputSchema, execute: async (input: unknown) => input });
    expect(contract.input.check({}).ok).toBe(false);
    expect(await contract.execute({ city: 'Oslo' }, context)).toEqual({ city: 'Oslo' });
  });

  test('whose own validator refuses the input fails with the proof that nothing was sent', async () => {
    const inputSchema = jsonSchema<{ city: string }>(
      { type: 'object', properties: { city: { type: 'string' } } },
      { validate: () => ({ success: false, error: new Error('no such city') }) },
    );
    const calls: unknown[] = [];
    const contract = fromAiSdkTool('get_weather', aiTool({ inputSchema, execute: async (input) => calls.push(input) }));
    const error: unknown = await contract.execute({ city: 'Nowhere' }, context).catch((error: unknown) => error);
    expect(isToolError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'arguments-invalid', effect: 'none', message: textLike('no such city') });
    expect(calls).toEqual([]);
  });

  test('that yields has its last value as result', async () => {
    const contract = fromAiSdkTool(
      'count',
      aiTool({
        inputSchema: z.object({}),
        async *execute() {
          yield 'one';
          yield 'two';
        },
      }),
    );
    expect(await contract.execute({}, context)).toBe('two');
  });

  test('brings its output schema and its examples with it', () => {
    const contract = fromAiSdkTool(
      'get_weather',
      aiTool({
        inputSchema: city,
        outputSchema: z.object({ degrees: z.number() }),
        inputExamples: [{ input: { city: 'Oslo' } }],
        execute: async () => ({ degrees: 21 }),
      }),
    );
    expect(contract.output?.check({ degrees: 'warm' }).ok).toBe(false);
    expect(contract.examples).toMatchObject([{ input: { city: 'Oslo' } }]);
  });

  test('may be dynamic', async () => {
    const contract = fromAiSdkTool('any', dynamicTool({ inputSchema: z.object({}), execute: async () => 'done' }));
    expect(await contract.execute({}, context)).toBe('done');
  });

  test.each<[string, AiSdkTool, string]>([
    ['that a client runs', aiTool({ inputSchema: city, outputSchema: z.string() }), 'has no execute'],
    ['that a provider runs', { type: 'provider', inputSchema: city, execute: () => 1 }, 'run by a provider'],
    ['with a context of its own', { contextSchema: city, inputSchema: city, execute: () => 1 }, 'needs a context'],
  ])('%s is refused with the reason', (_, unusable, words) => {
    const error = thrownBy(() => fromAiSdkTool('odd', unusable));
    expect(isAxleError(error, 'contract-invalid')).toBe(true);
    expect(error).toMatchObject({ message: textLike(words) });
  });

  test('whose schema is still a promise is refused', () => {
    const inputSchema = jsonSchema(Promise.resolve({ type: 'object' as const }));
    const error = thrownBy(() => fromAiSdkTool('late', { inputSchema, execute: () => 1 }));
    expect(isAxleError(error, 'schema-unsupported')).toBe(true);
  });
});
