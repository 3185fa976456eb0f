/** `mcpServers()`: the servers of a file, as tool sources. */
import process from 'node:process';
import { mcp, type McpSource } from '../mcp-source.ts';
import type { McpOptions } from '../mcp-options.ts';
import { isDisabled, optionsOf, readServerList } from './config-file.ts';

export interface McpServersOptions {
  /** The file that says which tools were accepted; `false` for none. @defaultValue beside the list: `mcp.pins.json` for `mcp.json` */
  readonly pins?: string | false;
  /** Told what a person should hear of a server. @defaultValue as for `mcp` */
  readonly onNotice?: McpOptions['onNotice'];
}

/**
 * The servers that a file lists in the form that MCP hosts share, those that are disabled left out.
 *
 * @param path From the working directory.
 * @example
 * ```ts
 * export default defineConfig({ tools: [...mcpServers('mcp.json')], agents: [clerk] });
 * ```
 * @throws AxleError `configuration-invalid`
 */
export function mcpServers(path: string, options: McpServersOptions = {}): readonly McpSource[] {
  const pins = options.pins ?? pinsBeside(path);
  return Object.entries(readServerList(path))
    .filter(([, entry]) => !isDisabled(entry))
    .map(([name, entry]) =>
      mcp({
        ...optionsOf(name, entry, process.env),
        ...(pins === false ? {} : { pins }),
        ...(options.onNotice === undefined ? {} : { onNotice: options.onNotice }),
      }),
    );
}

/** Where the pins of a list stand when nothing is said. */
export function pinsBeside(path: string): string {
  return path.endsWith('.json') ? `${path.slice(0, -'.json'.length)}.pins.json` : `${path}.pins.json`;
}
