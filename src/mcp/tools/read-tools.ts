/** Reads the tools of a server through a client that is connected to it. */
import type { Client } from '@modelcontextprotocol/client';
import { headerFault } from '../http/header-parameters.ts';
import { rawResult } from '../lenient-results.ts';
import { type ListedTools, listTools, type ToolPage } from './list-tools.ts';

/** @throws AxleError `limit-exceeded`, or whatever the client throws when the server does not answer. */
export async function readTools(
  client: Client,
  { kind, timeoutMs }: { readonly kind: 'stdio' | 'http'; readonly timeoutMs: number },
): Promise<ListedTools> {
  // Asked first, since a server without tools may not know the question.
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], refused: [], faults: [] };
  const fetchPage = async (cursor: string | undefined): Promise<ToolPage> => {
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: 'tools/list', params }, { timeout: timeoutMs });
    const { tools } = rawResult(page);
    return { tools: Array.isArray(tools) ? tools : [], nextCursor: page.nextCursor };
  };
  const listed = await listTools(fetchPage);
  return kind === 'http' && client.getProtocolEra() === 'modern' ? withoutFaultyHeaders(listed) : listed;
}

function withoutFaultyHeaders(listed: ListedTools): ListedTools {
  const judged = listed.tools.map((tool) => ({ tool, reason: headerFault(tool.inputSchema) }));
  const refused = judged.flatMap(({ tool, reason }) => (reason === undefined ? [] : [{ name: tool.name, reason }]));
  return {
    ...listed,
    tools: judged.filter(({ reason }) => reason === undefined).map(({ tool }) => tool),
    refused: [...listed.refused, ...refused],
  };
}
