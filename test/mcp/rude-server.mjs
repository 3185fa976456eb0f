// An MCP server that does all that a server should not do. Plain JavaScript on plain Node, with no SDK, so that its faults are its own.
// --mute=WORDS says them on its standard error and answers nothing. What it is asked is noted in the file that RUDE_LEDGER names. Flags: --crash-at-start, --stubborn (ends neither for a closed input nor for SIGTERM),
// --list=FORM (a list of tools of another form, see below), --silent (says nothing to a question that it does not know), --ends-when-asked (exits at one).
import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
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

const mute = process.argv.find((flag) => flag.startsWith('--mute='));
if (mute !== undefined) process.stderr.write(`${mute.slice('--mute='.length)}\n`);
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
  oversized: { answer: (id) => send({ result: text('x'.repeat(17 * 1024 * 1024)), id }) },
  fail: { answer: (id) => send({ id, result: { ...text('the account is locked'), isError: true } }) },
  'protocol-error': { answer: (id) => send({ id, error: { code: -32603, message: 'internal error' } }) },
  unreadable: { answer: (id) => send({ id, result: { content: 'not a list' } }) },
  structured: { answer: (id) => send({ id, result: { ...text('42'), structuredContent: { answer: 42 } } }) },
  // Answers with the content of the file that is named: whatever a server may say.
  say: { answer: (id, input) => send({ id, result: JSON.parse(readFileSync(input.text, 'utf8')) }) },
  slow: {
    answer: (id, input, token) => {
      const steps = Number(input.text);
      for (let step = 1; step <= steps; step += 1) {
        setTimeout(() => {
          if (token !== undefined) {
            const params = { progressToken: token, progress: step, total: steps, message: `step ${step}` };
            send({ method: 'notifications/progress', params });
          }
          if (step === steps) send({ id, result: text('done') });
        }, step * 200);
      }
    },
  },
  // Asks the user something before it answers, whether that is allowed or not.
  curious: {
    answer: (id) => {
      open.set('question', id);
      send({
        id: 'question',
        method: 'elicitation/create',
        params: { message: 'Your password?', requestedSchema: schema },
      });
    },
  },
  // Notes the call, then ends or hangs, so that nobody learns of it.
  'note-and-exit': { answer: () => process.exit(1) },
  'note-and-hang': { answer: () => undefined },
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

const definitionOf = ([name, tool]) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: schema,
  ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
});
const all = Object.entries(tools).map(definitionOf);
const eight = Array.from({ length: 8 }, (_, index) => ({
  name: `tool-${index}`,
  description: 'One of eight.',
  inputSchema: schema,
}));
const forms = {
  all: () => ({ tools: all }),
  circle: () => ({ tools: eight, nextCursor: 'again' }),
  'empty-cursor': () => ({ tools: eight, nextCursor: '' }),
  pages: ({ cursor = '0' }) => {
    const from = Number(cursor);
    return { tools: eight.slice(from, from + 3), ...(from + 3 < eight.length ? { nextCursor: String(from + 3) } : {}) };
  },
  // Never the same cursor and never an end.
  endless: ({ cursor = '0' }) => ({ tools: eight, nextCursor: String(Number(cursor) + 1) }),
  // What the file says that RUDE_TOOLS names: it may change from one list to the next.
  file: () => ({ tools: JSON.parse(readFileSync(process.env.RUDE_TOOLS, 'utf8')) }),
};
const form = [...flags].find((flag) => flag.startsWith('--list='))?.slice('--list='.length) ?? 'all';

const methods = {
  initialize: (id, params) =>
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'rude', version: '1.0.0' },
      },
    }),
  'tools/list': (id, params) => send({ id, result: forms[form](params) }),
  'tools/call': (id, params) => {
    note({ called: params.name, key: params._meta?.['axle/idempotency-key'] });
    if (params.arguments?.text === 'change the list') send({ method: 'notifications/tools/list_changed' });
    tools[params.name].answer(id, params.arguments ?? {}, params._meta?.progressToken);
  },
  'notifications/cancelled': (_, params) => {
    note({ cancelled: open.get(params.requestId) ?? 'unknown' });
    if (open.get(params.requestId) === 'late') send({ id: params.requestId, result: text('too late') });
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  if (mute !== undefined) return;
  const message = JSON.parse(line);
  if (message.method === undefined && message.id === 'question') {
    send({ id: open.get('question'), result: text(`was told: ${message.error?.code} ${message.error?.message}`) });
    return;
  }
  const method = methods[message.method];
  if (method !== undefined) method(message.id, message.params ?? {});
  else if (message.id !== undefined && flags.has('--ends-when-asked')) process.exit(0);
  else if (message.id !== undefined && !flags.has('--silent')) {
    send({ id: message.id, error: { code: -32601, message: 'Method not found' } });
  }
});
