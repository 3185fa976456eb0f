import { isolationOf } from '../../call/isolation.ts';
import type { Contract } from '../../contract/contract.ts';
import type { NotedDrift } from '../../journal/drift-book.ts';
import { isAxleError } from '../../error/axle-error.ts';
import { durationText } from '../../trace/duration-text.ts';
import { driftWords } from '../../trace/drift-words.ts';
import { oneLine, padToColumns } from '../../trace/safe-text.ts';
import type { Command, Invocation, StorePlace } from '../command.ts';
import { contractsOf } from '../known-contracts.ts';
import type { ExitName } from '../exit-code.ts';
import { withClientStore } from '../store-place.ts';

export const toolsCommand: Command = {
  name: 'tools',
  about: 'list the tools with their terms, and how often their answers have drifted',
  positionals: [],
  options: { drifted: { about: 'only tools whose answers had another form than declared' } },
  details:
    'Lists every tool of the configuration, those of tool sources too (MCP servers are started and ended), and calls none of them. A drift that tools of another configuration have left in the store is listed as well.',
  examples: ['axle tools', 'axle tools --drifted --json'],
  run: listTools,
};

interface ToolRow {
  readonly name: string;
  readonly version: number;
  /** Absent for a tool that only the store knows of. */
  readonly terms?: Contract['terms'];
  /** What its calls did can be taken back. */
  readonly hasUndo?: boolean;
  readonly drifts: readonly NotedDrift[];
}

async function listTools(invocation: Invocation): Promise<ExitName> {
  const { terminal, place } = invocation;
  const config = await place.config();
  const contracts = await contractsOf(config, terminal);
  const drifts = await driftsOf(place);
  const rows = rowsOf(contracts, drifts).filter((row) => !invocation.has('drifted') || row.drifts.length > 0);
  if (terminal.isJson) {
    terminal.json(rows);
    return 'ok';
  }
  if (rows.length === 0) terminal.say(invocation.has('drifted') ? 'No answer has drifted.' : 'There are no tools.');
  for (const row of rows) for (const line of linesOf(row, Date.now())) terminal.say(line);
  return 'ok';
}

/** A store that is not there yet knows of none. */
async function driftsOf(place: StorePlace): Promise<readonly NotedDrift[]> {
  try {
    return await withClientStore(place, async (store) => (await store.drifts?.list()) ?? []);
  } catch (error) {
    if (isAxleError(error, 'store-invalid') || isAxleError(error, 'configuration-invalid')) return [];
    throw error;
  }
}

function rowsOf(contracts: readonly Contract[], drifts: readonly NotedDrift[]): readonly ToolRow[] {
  const ofTool = (name: string, version: number): readonly NotedDrift[] =>
    drifts.filter((drift) => drift.tool === name && drift.version === version);
  const known = contracts.map(({ name, version, terms, undo }) => ({
    name,
    version,
    terms,
    hasUndo: undo !== undefined,
    drifts: ofTool(name, version),
  }));
  const others = Map.groupBy(
    drifts.filter((drift) => !known.some(({ name, version }) => name === drift.tool && version === drift.version)),
    (drift) => JSON.stringify([drift.tool, drift.version]),
  );
  return [
    ...known,
    ...[...others.values()].flatMap((own) => {
      const [first] = own;
      return first === undefined ? [] : [{ name: first.tool, version: first.version, drifts: own }];
    }),
  ];
}

function linesOf({ name, version, terms, hasUndo = false, drifts }: ToolRow, nowMs: number): readonly string[] {
  const label = version === 1 ? oneLine(name) : `${oneLine(name)} version ${version}`;
  return [
    `${padToColumns(label, 28)}  ${terms === undefined ? 'not in this configuration' : termsText(terms, hasUndo)}`.trimEnd(),
    ...drifts.flatMap((drift) => [
      `  DRIFT ${drift.count} times, last ${durationText(Math.max(0, nowMs - drift.lastAtMs))} ago in ${drift.runId} call ${drift.callId}`,
      ...driftWords(drift.difference).map((words) => `    ${oneLine(words)}`),
    ]),
  ];
}

function termsText(terms: Contract['terms'], hasUndo: boolean): string {
  const { effect, risk, irreversible, cache, fallback, upstream, authorization, sandbox } = terms;
  return [
    effect,
    `${risk} risk`,
    ...(irreversible ? ['irreversible'] : []),
    ...(cache === undefined ? [] : [`cache ${durationText(cache.ttlMs)} (${cache.scope})`]),
    ...(fallback === undefined ? [] : [`falls back to ${fallback.map((link) => oneLine(link.tool)).join(', ')}`]),
    ...(upstream === undefined ? [] : [`upstream ${oneLine(upstream)}`]),
    ...(authorization === undefined ? [] : ['asks to be authorised']),
    ...(hasUndo ? ['can be undone'] : []),
    placeText(sandbox),
  ].join(', ');
}

/** Where its code runs: a function does what this process may do, and that is said. */
function placeText(sandbox: Contract['terms']['sandbox']): string {
  switch (isolationOf(sandbox)) {
    case 'in-process':
      return 'runs in process';
    case 'process':
      return 'runs in a process of its own';
    case 'sandbox':
      return `runs where ${(sandbox ?? []).join(', ')} are held back`;
  }
}
