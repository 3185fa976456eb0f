import type { Contract } from '../../contract/contract.ts';
import { cutToColumns, oneLine, padToColumns } from '../../trace/safe-text.ts';
import type { Command, Invocation } from '../command.ts';
import type { ExitName } from '../exit-code.ts';

export const openApiCommand: Command = {
  name: 'openapi',
  about: 'list the tools that an OpenAPI document would become',
  positionals: [{ name: 'FILE' }],
  options: {
    name: { value: 'NAME', about: 'what the names of the tools begin with (default: api)' },
    include: { value: 'PATTERNS', about: "which operations, separated by commas: 'GET *', 'tag:pets', 'pets.*'" },
  },
  details:
    'Reads JSON or YAML, OpenAPI 2.0 to 3.2. Sends nothing. Operations that cannot become tools, and what is doubtful about the others, go to standard error.',
  examples: ['axle openapi petstore.yaml', "axle openapi github.json --include 'GET /repos/*' --json"],
  run: listOperations,
};

/** Nothing is sent, so any server will do. */
const nowhere = 'https://nowhere.invalid';

async function listOperations(invocation: Invocation): Promise<ExitName> {
  const { terminal } = invocation;
  // Loaded for this command alone.
  const { openApiTools } = await import('../../openapi/openapi-tools.ts');
  const include = invocation.list('include');
  const source = openApiTools({
    name: invocation.text('name') ?? 'api',
    path: invocation.argument(0),
    server: nowhere,
    ...(include === undefined ? {} : { include }),
  });
  const contracts = await source.connect();
  const { refused, warnings } = source;
  if (terminal.isJson) {
    terminal.json({ tools: contracts.map(factsOf), refused, warnings });
    return 'ok';
  }
  const width = Math.max(0, ...contracts.map(({ name }) => name.length));
  for (const contract of contracts) {
    const line = `${padToColumns(contract.name, width)}  ${padToColumns(termsText(contract), 25)}  ${oneLine(contract.description)}`;
    terminal.say(terminal.width === undefined ? line : cutToColumns(line, Math.max(60, terminal.width)));
  }
  for (const { operation, reason } of refused) terminal.note(oneLine(`Left out: ${operation}: ${reason}`));
  for (const warning of warnings) terminal.note(oneLine(`Doubtful: ${warning}`));
  return 'ok';
}

function termsText({ effect, risk, irreversible }: Contract): string {
  return `${effect} ${risk}${irreversible ? ' irreversible' : ''}`;
}

function factsOf({ name, effect, risk, irreversible, description, input }: Contract): object {
  return { name, effect, risk, irreversible, description, input: input.json };
}
