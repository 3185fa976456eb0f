import { type Binding, bindCall } from '../../src/contract/bind.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { type JsonSchemaObject, tool } from '../../src/contract/tool.ts';
import type { Effect } from '../../src/call/effect.ts';

/** A tool with the schema and effect that a test is about. */
export function toolWith(input: JsonSchemaObject, effect: Effect = 'read', name = 'tool'): Contract {
  return tool({ name, description: 'For a test.', effect, input, execute: () => null });
}

/** A tool whose input has the given properties and no others; those in `required` must be there. */
export function toolOf(
  properties: JsonSchemaObject,
  required: readonly string[] = [],
  effect: Effect = 'read',
): Contract {
  return toolWith({ type: 'object', properties, required, additionalProperties: false }, effect);
}

/** Binds a text to one tool under its own name. */
export function bindText(contract: Contract, argumentsText: string, toolName = contract.name): Binding {
  return bindCall(
    { toolCallId: 'call_1', toolName, argumentsText },
    {
      callId: '0.0',
      lookup: (name) => (name === contract.name ? contract : undefined),
      names: [contract.name],
      truncated: false,
    },
  );
}

/** What came of a text: the input and the rules that were used, or the code of the refusal. */
export function outcomeOf(
  contract: Contract,
  argumentsText: string,
): { input?: unknown; rules?: string[]; code?: string } {
  const binding = bindText(contract, argumentsText);
  return binding.kind === 'bound'
    ? { input: binding.call.input, rules: [...new Set((binding.call.repairs ?? []).map((repair) => repair.rule))] }
    : { code: binding.failure.code };
}

/** The message of a refusal; fails when there is none. */
export function messageOf(contract: Contract, argumentsText: string): string {
  const binding = bindText(contract, argumentsText);
  if (binding.kind === 'bound') throw new Error(`bound to ${JSON.stringify(binding.call.input)}`);
  return binding.failure.message;
}
