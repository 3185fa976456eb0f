/** What there is to work with: tools, agents, upstreams. */
import type { Axle } from '../../facade/axle.ts';
import type { Contract } from '../../contract/contract.ts';
import type { ListedTool } from '../../contract/live-tools.ts';
import { thereAre } from '../../contract/near-miss.ts';
import { AxleError } from '../../error/axle-error.ts';
import type { NotedDrift } from '../../journal/drift-book.ts';
import { upstreamActions } from '../../journal/store.ts';
import { defined } from '../../util/defined.ts';
import { maxRuns } from '../read/tool-samples.ts';
import { pageOf, upstreamAction } from '../schema/components.ts';
import { name, named, strictObject } from '../schema/json-schema.ts';
import type { ToolDetail, ToolRow } from '../wire.ts';
import { type Asked, json, numberIn, param, type Route, textIn } from './route.ts';
import { whoOf } from './run-routes.ts';

export const toolRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/v1/tools',
    id: 'listTools',
    about: 'The tools of this process, also those that were replaced and are kept for runs that began with them.',
    scope: 'read',
    answers: { 200: { about: 'The tools.', schema: pageOf('ToolRow') } },
    handle: async ({ parts }) => json({ items: await toolRows(parts.axle) }),
  },
  {
    method: 'GET',
    path: '/v1/tools/{name}',
    id: 'getTool',
    about: 'A tool with its schemas, and how its answers deviate from them.',
    scope: 'read',
    query: { version: { about: 'Another version than the newest.', schema: { type: 'integer', minimum: 0 } } },
    answers: { 200: { about: 'The tool.', schema: named('ToolDetail') } },
    handle: async (asked) => json(await toolDetail(asked)),
  },
  {
    method: 'GET',
    path: '/v1/tool-statistics',
    id: 'getToolStatistics',
    about: 'What became of the calls of each tool in the runs that began last: failures, repairs, lengths of time.',
    scope: 'read',
    query: {
      runs: {
        about: 'Over so many runs, 200 without it.',
        schema: { type: 'integer', minimum: 1, maximum: maxRuns },
      },
    },
    answers: { 200: { about: 'The statistics, and what they are over.', schema: named('ToolStatisticsAnswer') } },
    handle: async ({ parts, query }) => json(await parts.toolSamples.statistics(numberIn(query, 'runs') ?? 200)),
  },
  {
    method: 'GET',
    path: '/v1/agents',
    id: 'listAgents',
    about: 'The agents that can be started.',
    scope: 'read',
    answers: { 200: { about: 'The agents.', schema: pageOf('AgentRow') } },
    handle: async ({ parts }) => json({ items: parts.axle.agents.list() }),
  },
  {
    method: 'GET',
    path: '/v1/upstreams',
    id: 'listUpstreams',
    about: 'The services behind tools: their breakers, queues and pauses.',
    scope: 'read',
    answers: { 200: { about: 'The upstreams.', schema: pageOf('UpstreamItem') } },
    handle: async ({ parts }) => json({ items: await parts.axle.upstreams.list() }),
  },
  {
    method: 'POST',
    path: '/v1/upstreams/{name}',
    id: 'steerUpstream',
    about: 'Opens, closes or resets a breaker.',
    scope: 'admin',
    body: strictObject({ action: upstreamAction }, { by: name, reason: name }),
    answers: { 200: { about: 'The upstream as it is now.', schema: named('UpstreamItem') } },
    handle: async (asked) => {
      const action = upstreamActions.find((each) => each === asked.body['action']) ?? 'reset';
      const word = defined({ by: whoOf(asked), reason: textIn(asked.body, 'reason') });
      return json(await asked.parts.axle.upstreams[action](param(asked, 'name'), word));
    },
  },
];

async function toolRows(axle: Axle): Promise<readonly ToolRow[]> {
  const drifts = await axle.tools.drifts();
  return axle.tools.list().flatMap((listed) => {
    const contract = axle.tools.get(listed.name, listed.version);
    return contract === undefined ? [] : [rowOf(listed, contract, drifts)];
  });
}

function rowOf(listed: ListedTool, contract: Contract, drifts: readonly NotedDrift[]): ToolRow {
  const { effect, risk, irreversible, terms, limits, fallback, description, undo } = contract;
  return {
    ...listed,
    description,
    effect,
    risk,
    isIrreversible: irreversible,
    ...defined({ upstream: limits?.upstream }),
    fallback: fallback.map(({ tool }) => tool),
    canVerify: terms.canVerify,
    canUndo: undo !== undefined,
    drifts: driftsOf(listed, drifts).reduce((sum, { count }) => sum + count, 0),
  };
}

async function toolDetail(asked: Asked): Promise<ToolDetail> {
  const { axle } = asked.parts;
  const toolName = param(asked, 'name');
  const contract = axle.tools.get(toolName, numberIn(asked.query, 'version'));
  const versions = axle.tools.list().filter((listed) => listed.name === toolName);
  const listed = versions.find(({ version }) => version === contract?.version);
  if (contract === undefined || listed === undefined) {
    const names = new Set(axle.tools.list().map((each) => each.name));
    throw new AxleError('tool-unknown', `No tool is named ${toolName} in this version; ${thereAre(toolName, names)}.`);
  }
  const drifts = await axle.tools.drifts();
  return {
    ...rowOf(listed, contract, drifts),
    versions: versions.map(({ version }) => version),
    inputSchema: contract.input.json,
    ...defined({ outputSchema: contract.output?.json }),
    examples: contract.examples,
    timeoutMs: contract.terms.timeoutMs,
    attempts: contract.terms.maxAttempts,
    drift: driftsOf(listed, drifts),
  };
}

function driftsOf({ name: tool, version }: ListedTool, drifts: readonly NotedDrift[]): readonly NotedDrift[] {
  return drifts.filter((drift) => drift.tool === tool && drift.version === version);
}
