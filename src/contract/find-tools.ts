/**
 * `find_tools`: the tool by which a model reaches the tools that it is not shown. It is a contract like any other (judged, recorded, traced), made for
 * the tools that one agent was granted; what it finds is shown to the model from its next turn on (`run/tool-view.ts`).
 */
import { cutText } from '../util/cut-text.ts';
import type { JsonValue } from '../util/json.ts';
import type { Contract } from './contract.ts';
import { findToolsName } from './found-tools.ts';
import { tool } from './tool.ts';
import { type ToolIndex, toolIndexOf } from './tool-index.ts';

/** Tools that one search brings, unless it asks for less. */
const mostFound = 5;
const mostAskedFor = 10;
const maxCategories = 40;
const maxSummaryLength = 160;

/** A tool set that can be searched: the meta-tool, and the index behind it. */
export interface SearchableTools {
  readonly findTools: Contract;
  readonly index: ToolIndex;
}

/** Makes the meta-tool for what an agent was granted. */
export function searchableTools(contracts: readonly Contract[]): SearchableTools {
  const index = toolIndexOf(contracts);
  const byName = new Map(contracts.map((contract) => [contract.name, contract]));
  const categories = countedCategories(contracts);
  const findTools = tool({
    name: findToolsName,
    description: [
      `Searches the ${contracts.length} tools that you may use and makes those it finds available to you. You see only a part of them.`,
      ...(categories.length === 0
        ? []
        : [`Categories: ${categories.map(([name, count]) => `${name} (${count})`).join(', ')}.`]),
    ].join('\n'),
    whenToUse: 'None of the tools that you see does what is needed.',
    limitations: 'It finds tools; it does not run them. Call a tool that it found in your next turn.',
    effect: 'read',
    category: 'axle',
    input: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          minLength: 1,
          description: 'What the tool should do, in a few words, for example: refund a charge',
        },
        category: { type: 'string', description: 'Only tools of this category' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: mostAskedFor,
          description: `At most this many, ${mostFound} when left out`,
        },
      },
      required: ['query'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, summary: { type: 'string' } },
            required: ['name', 'summary'],
          },
        },
        advice: { type: 'string' },
      },
      required: ['tools'],
    },
    examples: [{ input: { query: 'refund a charge' } }],
    execute: ({ query, category, limit }) => {
      const found = index.search(typeof query === 'string' ? query : '', {
        limit: typeof limit === 'number' ? limit : mostFound,
        ...(typeof category === 'string' ? { category } : {}),
      });
      const tools = found.map((name) => ({ name, summary: summaryOf(byName.get(name)) }));
      return tools.length > 0 ? { tools } : { tools, advice: adviceFor(category, categories) };
    },
  });
  return { findTools, index };
}

function summaryOf(contract: Contract | undefined): string {
  const [line = ''] = (contract?.description ?? '').split('\n');
  return cutText(line, maxSummaryLength);
}

type CountedCategory = readonly [name: string, count: number];

/** The largest first. */
function countedCategories(contracts: readonly Contract[]): readonly CountedCategory[] {
  const counts = new Map<string, number>();
  for (const { category } of contracts) {
    if (category !== undefined) counts.set(category, (counts.get(category) ?? 0) + 1);
  }
  return [...counts].toSorted((one, other) => other[1] - one[1]).slice(0, maxCategories);
}

function adviceFor(category: JsonValue | undefined, categories: readonly CountedCategory[]): string {
  const known = categories.map(([name]) => name);
  if (typeof category === 'string' && !known.includes(category)) {
    return known.length === 0
      ? 'The tools have no categories: leave category out.'
      : `There is no category ${JSON.stringify(cutText(category, 80))}. Categories: ${known.join(', ')}.`;
  }
  return 'Nothing fits. Say it in other words, name the thing that is acted on, or go on without a tool.';
}
