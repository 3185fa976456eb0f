/** What a model is shown of a contract. */
import type { ToolDefinition } from '../call/tool-definition.ts';
import { isJsonArray, isJsonObject, type JsonObject, jsonObjectIn, type JsonValue } from '../util/json.ts';
import type { AliasedArgument, Contract } from './contract.ts';

/** An example longer than this explains less than it costs. */
const maxExampleLength = 1000;

const described = new WeakMap<Contract, ToolDefinition>();

/** Description, when to use it, what it is not for, the aliases that it takes, and the first example, as one text; made once for each contract. */
export function describeTool(contract: Contract): ToolDefinition {
  const known = described.get(contract);
  if (known !== undefined) return known;
  const description = definitionOf({ ...contract, inputSchema: contract.input.json });
  described.set(contract, description);
  return description;
}

/** What a model was shown of a contract of which the declaration is left (`Contract.declaration`); undefined for any other text. */
export function definitionIn(declaration: string): ToolDefinition | undefined {
  const { name, description, whenToUse, limitations, aliases, examples, input } = jsonObjectIn(declaration) ?? {};
  if (typeof name !== 'string' || typeof description !== 'string' || !isJsonObject(input)) return undefined;
  return definitionOf({
    name,
    description,
    inputSchema: input,
    ...(typeof whenToUse === 'string' ? { whenToUse } : {}),
    ...(typeof limitations === 'string' ? { limitations } : {}),
    ...(isJsonArray(aliases) ? { aliases: aliases.flatMap(aliasesIn) } : {}),
    examples: isJsonArray(examples)
      ? examples.flatMap((each) =>
          isJsonObject(each) && each['input'] !== undefined ? [{ input: each['input'] }] : [],
        )
      : [],
  });
}

function aliasesIn(value: JsonValue): readonly AliasedArgument[] {
  if (!isJsonObject(value) || !isJsonArray(value['path']) || !isJsonArray(value['aliases'])) return [];
  return [{ path: value['path'].map(String), aliases: value['aliases'].map(String) }];
}

/** The part of a contract that its model is shown. */
interface Shown extends Pick<Contract, 'name' | 'description' | 'whenToUse' | 'limitations' | 'aliases'> {
  readonly examples: readonly { readonly input: JsonValue }[];
  readonly inputSchema: JsonObject;
}

function definitionOf(shown: Shown): ToolDefinition {
  const example = exampleText(shown);
  const lines = [
    shown.description,
    shown.whenToUse === undefined ? undefined : `When to use: ${shown.whenToUse}`,
    shown.limitations === undefined ? undefined : `Limitations: ${shown.limitations}`,
    ...(shown.aliases ?? []).map(({ path, aliases }) => `Aliases for ${path.join('/')}: ${aliases.join(', ')}`),
    example === undefined ? undefined : `Example arguments: ${example}`,
  ];
  return Object.freeze({
    name: shown.name,
    description: lines.filter((line) => line !== undefined).join('\n'),
    inputSchema: shown.inputSchema,
  });
}

/** A schema that is longer explains nothing any more. */
const maxSchemaLength = 2500;
const maxExamples = 3;

/** The whole schema and the examples, for a model that got the arguments wrong again and again. */
export function describeInFull({ name, input, examples }: Contract): string {
  const schema = JSON.stringify(input.json);
  const shown = examples.slice(0, maxExamples).map((example) => JSON.stringify(example.input));
  const lines = [
    schema.length <= maxSchemaLength ? `The schema of the arguments of ${name}: ${schema}` : undefined,
    ...shown.filter((text) => text.length <= maxExampleLength).map((text) => `Arguments that fit: ${text}`),
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** The first example's input as a text, when there is one that is short enough to show. */
export function exampleText({ examples }: Pick<Shown, 'examples'>): string | undefined {
  const [first] = examples;
  if (first === undefined) return undefined;
  const text = JSON.stringify(first.input);
  return text.length <= maxExampleLength ? text : undefined;
}
