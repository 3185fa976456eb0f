import type { Command } from '../command.ts';

export const mcpCommand: Command = {
  name: 'mcp',
  about: 'add, list and test MCP servers, and accept what has changed in their tools',
  positionals: [{ name: 'ACTION' }, { name: 'SERVER', isOptional: true }, { name: 'WORDS', isRest: true }],
  options: {
    file: { value: 'FILE', about: 'the list of servers (default: mcp.json)' },
    url: { value: 'URL', about: 'add: the address of a server on the network' },
    bearer: { value: 'NAME', about: 'add: the environment variable with the token that the server asks for' },
    env: { value: 'NAMES', about: 'add: environment variables that the server gets, separated by commas' },
    allow: { value: 'PLACES', about: 'add: addresses that are not public and may be dialled, separated by commas' },
    untested: { about: 'add: write it down without connecting it' },
  },
  details: [
    'Actions: add SERVER -- COMMAND [ARGUMENTS...], add SERVER --url URL, list, test [SERVER], accept SERVER [TOOLS...].',
    'add connects the server, accepts its tools as they are, and writes it into the list; test connects it, lists its tools with terms and fingerprints, and says what is wrong;',
    'accept takes the tools that have changed or come since, those that are named or all. What was accepted stands beside the list, in mcp.pins.json.',
  ].join('\n'),
  examples: [
    'axle mcp add files -- npx -y @modelcontextprotocol/server-filesystem /srv/reports',
    'axle mcp add billing --url https://billing.example.com/mcp --bearer BILLING_TOKEN',
    'axle mcp test files',
    'axle mcp accept files write_file',
  ],
  run: async (invocation) => {
    const actions = await import('../mcp-actions.ts');
    const action = invocation.argument(0);
    switch (action) {
      case 'add':
        return actions.addServer(invocation);
      case 'list':
        return actions.listServers(invocation);
      case 'test':
        return actions.testServers(invocation);
      case 'accept':
        return actions.acceptTools(invocation);
      default:
        throw invocation.usage(`axle mcp has no action ${action}; it has add, list, test and accept.`);
    }
  },
};
