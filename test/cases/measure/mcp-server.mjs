// An MCP server that does what a case says: its behaviour stands as JSON in the file that its first argument names. Plain JavaScript on plain Node, with no SDK.
import { appendFileSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

const behaviour = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const inputSchema = { type: 'object' };
const act = { name: 'act', inputSchema };

const lists = {
  // The same page for ever, and a cursor that means nothing.
  'same-page': () => ({
    tools: Array.from({ length: behaviour.tools }, (_, index) => ({ name: `t${index}`, inputSchema })),
    nextCursor: 'again',
  }),
  'empty-cursor': () => ({
    tools: Array.from({ length: behaviour.tools }, (_, index) => ({ name: `t${index}`, inputSchema })),
    nextCursor: '',
  }),
};
const calls = {
  dies: () => {
    appendFileSync(behaviour.ledger, 'one call\n');
    process.exit(1);
  },
  progress: (id, params) => {
    const token = params._meta?.progressToken;
    if (token === undefined) {
      return send({ id, result: { content: [{ type: 'text', text: 'no token was sent' }], isError: true } });
    }
    let progress = 0;
    const timer = setInterval(() => {
      progress += 1;
      send({ method: 'notifications/progress', params: { progressToken: token, progress } });
    }, behaviour.eachMs);
    setTimeout(() => {
      clearInterval(timer);
      send({ id, result: { content: [{ type: 'text', text: 'done' }] } });
    }, behaviour.tookMs);
  },
  content: (id) => send({ id, result: { content: behaviour.content } }),
  large: (id) => {
    const row = JSON.stringify({ id: 1, name: 'a row of many', note: 'x'.repeat(60) });
    const text = `[${Array.from({ length: Math.ceil(behaviour.bytes / (row.length + 1)) }, () => row).join(',')}]`;
    send({ id, result: { content: [{ type: 'text', text }] } });
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'case', version: '1' } } });
  } else if (method === 'tools/list') send({ id, result: lists[behaviour.kind]?.() ?? { tools: [act] } });
  else if (method === 'tools/call') calls[behaviour.kind]?.(id, params);
  else if (method === 'ping') send({ id, result: {} });
  else if (id !== undefined) send({ id, error: { code: -32601, message: `there is no ${method}` } });
});
