/** Tool definitions in the provider's form, converted once for each list: the driver hands over the same list on every turn. */
import type { ToolDefinition } from '../call/tool-definition.ts';
import { type AliasProvider, toolAlias } from '../contract/tool-alias.ts';
import type { FunctionTool } from './specification.ts';

export interface ToolList {
  readonly tools: FunctionTool[];
  /** Axle's name of a tool that the model called; a name that nobody offered comes back as it is. */
  readonly nameOf: (nameOnWire: string) => string;
}

const converted = new WeakMap<readonly ToolDefinition[], Map<AliasProvider, ToolList>>();

/** Converts a list of tools, or finds it converted already. */
export function toToolList(definitions: readonly ToolDefinition[], provider: AliasProvider): ToolList {
  const lists = converted.get(definitions) ?? new Map<AliasProvider, ToolList>();
  converted.set(definitions, lists);
  const list = lists.get(provider) ?? convert(definitions, provider);
  lists.set(provider, list);
  return list;
}

function convert(definitions: readonly ToolDefinition[], provider: AliasProvider): ToolList {
  const names = new Map(definitions.map(({ name }) => [toolAlias(name, provider), name]));
  return {
    tools: definitions.map(({ name, description, inputSchema }) => ({
      type: 'function',
      name: toolAlias(name, provider),
      description: description.toWellFormed(),
      inputSchema,
    })),
    nameOf: (nameOnWire) => names.get(nameOnWire) ?? nameOnWire,
  };
}
