// What the conformance suite drives: Axle as an MCP client, through its public surface. The suite gives the server's address as the last argument, and the
// calls that it wants to see in the environment, where it wants particular ones.
import process from 'node:process';
import { createAxle } from '../../../src/axle.ts';
import { mcp, type OfferedTool } from '../../../src/mcp.ts';

interface WantedCall {
  readonly name: string;
  readonly arguments?: object;
}

const url = process.argv.at(-1) ?? '';
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
  readonly toolCalls?: readonly WantedCall[];
};
const server = mcp({ name: 'server', url, allow: [new URL(url).host], keep: false });
await using axle = await createAxle({ store: ':memory:', tools: [server] });

const refused = new Set(server.refused.map((one) => one.name));
const offered = server.review.flatMap((one) => (one.kind === 'gone' || refused.has(one.name) ? [] : [one.tool]));
const wanted = context.toolCalls ?? offered.map((tool) => ({ name: tool.name, arguments: plainInput(tool) }));
for (const { name, arguments: input = {} } of wanted) {
  const result = await axle.call(`server.${name}`, input);
  process.stdout.write(`${name}: ${JSON.stringify(result)}\n`);
}

/** Something that a tool takes: what it must have, in the plainest form. A tool that echoes schemas is sent one that the server listed. */
function plainInput({ inputSchema }: OfferedTool): object {
  const properties = inputSchema['properties'] ?? {};
  const listed = offered.find((tool) => '$defs' in tool.inputSchema)?.inputSchema ?? inputSchema;
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'] : [];
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([key]) => required.includes(key))
      .map(([key, schema]) => [key, key === 'schema' ? listed : plainValue(schema)]),
  );
}

function plainValue(schema: unknown): unknown {
  const type = typeof schema === 'object' && schema !== null ? Reflect.get(schema, 'type') : undefined;
  switch (type) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'plain';
  }
}
