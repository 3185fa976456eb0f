/** What a model is shown of a contract. */
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { Contract } from './contract.ts';

/** An example longer than this explains less than it costs. */
const maxExampleLength = 1000;

const described = new WeakMap<Contract, ToolDefinition>();

/** Description, when to use it, what it is not for, and the first example, as one text; made once for each contract. */
export function describeTool(contract: Contract): ToolDefinition {
  const known = described.get(contract);
  if (known !== undefined) return known;
  const example = exampleText(contract);
  const lines = [
    contract.description,
    contract.whenToUse === undefined ? undefined : `When to use: ${contract.whenToUse}`,
    contract.limitations === undefined ? undefined : `Limitations: ${contract.limitations}`,
    example === undefined ? undefined : `Example arguments: ${example}`,
  ];
  const description = Object.freeze({
    name: contract.name,
    description: lines.filter((line) => line !== undefined).join('\n'),
    inputSchema: contract.input.json,
  });
  described.set(contract, description);
  return description;
}

/** The first example's input as a text, when there is one that is short enough to show. */
export function exampleText(contract: Contract): string | undefined {
  const [first] = contract.examples;
  if (first === undefined) return undefined;
  const text = JSON.stringify(first.input);
  return text.length <= maxExampleLength ? text : undefined;
}
