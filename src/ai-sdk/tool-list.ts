/** Tool definitions in the provider's form, converted once for each list: the driver hands over the same list on every turn. */
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { FunctionTool } from './specification.ts';
import { wireName } from './wire-name.ts';

export interface ToolList {
  readonly tools: FunctionTool[];
  /** Axle's name of a tool that the model called; a name that nobody offered comes back as it is. */
  readonly nameOf: (nameOnWire: string) => string;
}

const converted = new WeakMap<readonly ToolDefinition[], ToolList>();

/** Converts a list of tools, or finds it converted already. */
export function toToolList(definitions: readonly ToolDefinition[]): ToolList {
  const known = converted.get(definitions);
  if (known !== undefined) return known;
  const list = convert(definitions);
  converted.set(definitions, list);
  return list;
}

function convert(definitions: readonly ToolDefinition[]): ToolList {
  const names = new Map(definitions.map(({ name }) => [wireName(name), name]));
  return {
    tools: definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name: wireName(name),
      description: description.toWellFormed(),
      inputSchema,
    })),
    nameOf: (nameOnWire) => names.get(nameOnWire) ?? nameOnWire,
  };
}
