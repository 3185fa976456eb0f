/** `axle/mcp`: tools of MCP servers. */
export { mcp, type McpSource } from './mcp/mcp-source.ts';
export { mcpServers, type McpServersOptions } from './mcp/config/mcp-servers.ts';
export type { McpCommandOptions, McpHttpOptions, McpOptions, McpProtocol, McpToolTerms } from './mcp/mcp-options.ts';
export type { McpNotice } from './mcp/notice.ts';
export type { ToolReview } from './mcp/pins/tool-review.ts';
export type { DescriptionChange, OfferedTool, RefusedTool } from './mcp/tools/offered-tool.ts';
