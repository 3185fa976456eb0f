/** The SDK is an optional peer, loaded when the first server is connected: whoever has no MCP server does not need it. */
import type * as Sdk from '@modelcontextprotocol/client';
import { AxleError } from '../error/axle-error.ts';

/** @throws AxleError `peer-missing` with the line that installs it. */
export async function loadSdk(): Promise<
  Pick<typeof Sdk, 'Client' | 'ProtocolError' | 'StreamableHTTPClientTransport'>
> {
  try {
    return await import('@modelcontextprotocol/client');
  } catch (cause) {
    throw new AxleError(
      'peer-missing',
      'axle/mcp needs the package @modelcontextprotocol/client, which is not installed.',
      {
        cause,
        remedy: 'npm install @modelcontextprotocol/client@2',
      },
    );
  }
}
