import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { bindCall, bindInput } from '../../src/contract/bind.ts';
import { tool } from '../../src/contract/tool.ts';
import { sha256 } from '../../src/util/hash.ts';
import { canonicalJson } from '../../src/util/json.ts';
import { bindText, messageOf, toolOf, toolWith } from './bind-text.ts';

const refund = tool({
  name: 'refund_charge',
  version: 2,
  description: 'Refunds a charge.',
  risk: 'high',
  input: z.object({ chargeId: z.string(), cents: z.int().min(1) }),
  examples: [{ input: { chargeId: 'ch_1', cents: 500 } }],
  execute: () => null,
});
const find = toolWith({ type: 'object' }, 'read', 'crm.find');
const tools = new Map([refund, find].map((contract) => [contract.name, contract]));

function bind(toolName: string, argumentsText: string, truncated = false): ReturnType<typeof bindCall> {
  return bindCall(
    { toolCallId: 'call_7', toolName, argumentsText },
    { callId: '3.0', lookup: (name) => tools.get(name), names: [...tools.keys()], truncated },
  );
}

describe('a call', () => {
  test('carries its checked input, and a hash over what an approval is for', () => {
    const input = { chargeId: 'ch_9', cents: 300 };
    expect(bind('refund_charge', '{"cents":300,"chargeId":"ch_9"}')).toEqual({
      kind: 'bound',
      call: {
        callId: '3.0',
        toolCallId: 'call_7',
        tool: 'refund_charge',
        input,
        argsHash: sha256(canonicalJson({ tool: 'refund_charge', version: 2, input })),
      },
    });
  });

  test('has the same hash whatever repairs led to its input', () => {
    const hashOf = (text: string): string | undefined => {
      const binding = bind('refund_charge', text);
      return binding.kind === 'bound' ? binding.call.argsHash : undefined;
    };
    const exact = hashOf('{"chargeId":"a","cents":5}');
    expect(hashOf('{"cents":"5","charge_id":"a",}')).toBe(exact);
    expect(hashOf('{"chargeId":"a","cents":6}')).not.toBe(exact);
  });
});

describe('the name of a tool', () => {
  test.each([
    'functions.refund_charge',
    'refund_charge()',
    'refundCharge',
    'RefundCharge',
    'refund-charge',
    '`refund_charge`',
    'refund_charge<|channel|>json',
    'tools.refund.charge',
  ])('may be decorated when one tool is meant: %s', (name) => {
    const binding = bind(name, '{"chargeId":"a","cents":5}');
    expect(binding.kind === 'bound' && binding.call).toMatchObject({
      tool: 'refund_charge',
      repairs: [{ rule: 'tool-name', path: '', before: name, after: 'refund_charge' }],
    });
  });

  test('that is exact wins over one that is nearly the same', () => {
    const twins = ['get_user', 'getUser'].map((name) => toolWith({ type: 'object' }, 'read', name));
    const options = {
      callId: '0.0',
      lookup: (name: string) => twins.find((each) => each.name === name),
      names: ['get_user', 'getUser'],
      truncated: false,
    };
    const exact = bindCall({ toolCallId: '1', toolName: 'getUser', argumentsText: '{}' }, options);
    expect(exact.kind === 'bound' && exact.call.tool).toBe('getUser');
    const either = bindCall({ toolCallId: '1', toolName: 'get-user', argumentsText: '{}' }, options);
    expect(either.kind === 'refused' && either.failure.code).toBe('tool-unknown');
  });

  test.each(['refund', 'refund_charges', '', 'supposed engagement and '.repeat(400)])(
    'that means no tool is answered with those there are: %s',
    (name) => {
      const binding = bind(name, '{}');
      expect(binding.kind === 'refused' && binding.failure).toMatchObject({
        code: 'tool-unknown',
        class: 'recoverable',
        evidence: 'none',
      });
      const message = binding.kind === 'refused' ? binding.failure.message : '';
      expect(message).toContain('Tools that exist: refund_charge, crm.find.');
      expect(message).not.toMatch(/permi|allow|denied/i);
      expect(message.length).toBeLessThan(300);
    },
  );

  test('is answered with twenty names at most, the likely ones first', () => {
    const names = Array.from({ length: 100 }, (_, index) => `unrelated_${index}`).concat('get_weather');
    const binding = bindCall(
      { toolCallId: '1', toolName: 'get_wether', argumentsText: '{}' },
      { callId: '0.0', lookup: () => undefined, names, truncated: false },
    );
    const message = binding.kind === 'refused' ? binding.failure.message : '';
    expect(message).toMatch(/Tools that exist: get_weather, .* and 81 more\.$/);
  });
});

describe('a refusal', () => {
  test('comes before anything is read when the answer was cut off, even if the text looks whole', () => {
    const binding = bind('refund_charge', '{"chargeId":"a","cents":5}', true);
    expect(binding.kind === 'refused' && binding.failure).toMatchObject({
      code: 'arguments-truncated',
      evidence: 'none',
    });
  });

  test('names field, value, what is allowed, a near miss and the example, once', () => {
    const contract = tool({
      name: 'histogram',
      description: 'd',
      effect: 'read',
      input: {
        type: 'object',
        properties: {
          region: { type: 'string', enum: ['North', 'South', 'All'] },
          rows: {
            type: 'array',
            items: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } }, required: ['n'] },
          },
        },
        required: ['region'],
        additionalProperties: false,
      },
      examples: [{ input: { region: 'North' } }],
      execute: () => null,
    });
    expect(messageOf(contract, '{"region":"Nort","rows":[{"n":1},{"n":0},{}]}')).toBe(
      'histogram was not run, because of its arguments: region is "Nort" and must be one of "North", "South", "All"; did you mean "North"?; ' +
        'rows[1].n is 0 and must be a whole number, at least 1: must be >= 1; rows[2].n is missing (a whole number, at least 1). ' +
        'Example of arguments that fit: {"region":"North"}',
    );
  });

  test('says which stray key may be the missing one', () => {
    expect(
      messageOf(
        toolOf({ dataset_A: { type: 'array' }, dataset_B: { type: 'array' } }, ['dataset_A', 'dataset_B']),
        '{"dataset":"[1]","dataset_B":[2]}',
      ),
    ).toContain('dataset_A is missing (an array); is it what you sent as dataset?');
  });

  test('cuts long values and long lists', () => {
    const options = Array.from({ length: 500 }, (_, index) => `option-${index}`);
    const message = messageOf(toolOf({ v: { enum: options } }, ['v']), JSON.stringify({ v: 'x'.repeat(10_000) }));
    expect(message.length).toBeLessThan(1000);
    expect(message).toContain('and 480 more');
  });

  test('uses the words of a Standard Schema where they say more than the type', () => {
    expect(messageOf(refund, '{"chargeId":"a","cents":0}')).toMatch(
      /^refund_charge was not run, because of its arguments: cents is 0 and must be a whole number, at least 1: /,
    );
  });

  test('is the answer to a schema that is itself at fault', () => {
    const broken = tool({
      name: 'tool',
      description: 'd',
      input: z.object({
        a: z.string().transform(() => {
          throw new TypeError('broken');
        }),
      }),
      execute: () => null,
    });
    const binding = bindText(broken, '{"a":"x"}');
    expect(binding.kind === 'refused' && binding.failure).toMatchObject({ code: 'schema-unsupported', class: 'fatal' });
  });
});

describe('a value from a person or a program', () => {
  const ids = { callId: '1.0', toolCallId: 'edited' };

  test('is bound as it is when it fits', () => {
    const binding = bindInput(refund, { chargeId: 'a', cents: 5 }, ids);
    const fromText = bind('refund_charge', '{"chargeId":"a","cents":5}');
    expect(binding.kind === 'bound' && binding.call).toMatchObject({
      ...ids,
      input: { chargeId: 'a', cents: 5 },
    });
    expect(
      binding.kind === 'bound' && fromText.kind === 'bound' && binding.call.argsHash === fromText.call.argsHash,
    ).toBe(true);
  });

  test.each([
    { chargeId: 'a', cents: '5' },
    { chargeId: 'a', cents: 5, extra: 1 },
    { charge_id: 'a', cents: 5 },
    'refund',
    null,
  ])('is never repaired: %j', (input) => {
    expect(bindInput(refund, input, ids)).toMatchObject({ kind: 'refused', failure: { code: 'arguments-invalid' } });
  });

  test('is held to the same limits', () => {
    expect(bindInput(find, { a: 'x'.repeat(1_100_000) }, ids)).toMatchObject({
      failure: { code: 'arguments-too-large' },
    });
  });
});
