/** `axle/mcp`: tools of MCP servers. */
export { mcp, type McpOptions, type McpSource, type McpToolTerms, type RefusedTool } from './mcp/mcp-source.ts';
