// An MCP server that does all that a server should not do. Plain JavaScript on plain Node, with no SDK, so that its faults are its own.
// What it is asked is noted in the file that RUDE_LEDGER names. Flags: --crash-at-start, --stubborn (ends neither for a closed input nor for SIGTERM).
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { createInterface } from 'node:readline';

const flags = new Set(process.argv.slice(2));
if (flags.has('--crash-at-start')) {
  process.stderr.write('no such database\n');
  process.exit(7);
}
if (flags.has('--stubborn')) {
  process.on('SIGTERM', () => undefined);
  setInterval(() => undefined, 1000);
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const note = (row) => {
  if (process.env.RUDE_LEDGER) appendFileSync(process.env.RUDE_LEDGER, `${JSON.stringify(row)}\n`);
};
const open = new Map();

const schema = { type: 'object', properties: { text: { type: 'string' } } };
const tools = {
  echo: { answer: (id, input) => send({ id, result: text(input.text ?? '') }), annotations: { readOnlyHint: true } },
  mislabelled: {
    answer: (id) => send({ id, result: text('changed something') }),
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
  silent: { answer: (id) => open.set(id, 'silent') },
  late: { answer: (id) => open.set(id, 'late') },
  exit: {
    answer: () => {
      process.stderr.write('the disk is on fire\n');
      process.exit(3);
    },
  },
  'answer-and-exit': {
    answer: (id) => {
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: text('last words') })}\n`, () =>
        process.exit(0),
      );
    },
  },
  garbage: {
    answer: (id) => {
      process.stdout.write(
        'Debugger listening on ws://127.0.0.1\n{"half": \n\u0000\u0001\n[1,2,3]\n"text"\n\n{"jsonrpc":"2.0","id":99999,"result":{}}\n',
      );
      send({ id, result: text('after the garbage') });
    },
  },
  oversized: { answer: (id) => send({ result: text('x'.repeat(5 * 1024 * 1024)), id }) },
  fail: { answer: (id) => send({ id, result: { ...text('the account is locked'), isError: true } }) },
  'protocol-error': { answer: (id) => send({ id, error: { code: -32603, message: 'internal error' } }) },
  unreadable: { answer: (id) => send({ id, result: { content: 'not a list' } }) },
  picture: {
    answer: (id) =>
      send({
        id,
        result: {
          content: [
            { type: 'text', text: 'a picture' },
            { type: 'image', mimeType: 'image/png', data: Buffer.alloc(10).toString('base64') },
          ],
        },
      }),
  },
  structured: { answer: (id) => send({ id, result: { ...text('42'), structuredContent: { answer: 42 } } }) },
  environment: {
    answer: (id) => send({ id, result: { content: [], structuredContent: { names: Object.keys(process.env) } } }),
  },
  'grand-child': {
    answer: (id) => {
      // In a session of its own, so that a signal to the group does not reach it; and orphaned when this process ends.
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
      child.unref();
      send({ id, result: { content: [], structuredContent: { pid: child.pid } } });
    },
  },
};

const methods = {
  initialize: (id, params) =>
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'rude', version: '1.0.0' },
      },
    }),
  'tools/list': (id) =>
    send({
      id,
      result: {
        tools: Object.entries(tools).map(([name, tool]) => ({
          name,
          description: `Does ${name}.`,
          inputSchema: schema,
          ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
        })),
      },
    }),
  'tools/call': (id, params) => {
    note({ called: params.name, key: params._meta?.['axle/idempotency-key'] });
    tools[params.name].answer(id, params.arguments ?? {});
  },
  'notifications/cancelled': (_, params) => {
    note({ cancelled: open.get(params.requestId) ?? 'unknown' });
    if (open.get(params.requestId) === 'late') send({ id: params.requestId, result: text('too late') });
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  methods[message.method]?.(message.id, message.params ?? {});
});
