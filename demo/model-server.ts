/**
 * A scripted model behind an OpenAI-compatible endpoint on the loopback. Run it as a process of its own:
 * `node demo/model-server.ts --ledger FILE [--script demo/brain-script.ts] [--port N]`. The script exports `nextMessage` (chat-format.ts).
 *
 * M1 It keeps nothing: the answer follows from the request alone, so it does not matter who is killed when.
 * M2 A request is in the ledger, on disk, before it is answered.
 *
 *     POST /v1/chat/completions     whole answers only; a stream is refused
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { ChatAnswer, ChatMessage, ChatRequest, ChatTool, Script } from './chat-format.ts';
import { Ledger } from './ledger.ts';
import { announce, endWithParent, listenOnLoopback } from './service-life.ts';

/** A row of the ledger: one request that the model was asked, and what it answered. */
interface ModelRow {
  readonly request: number;
  readonly atMs: number;
  readonly body: ChatRequest;
  readonly answer: ChatAnswer;
}

const limitChars = 4_000_000;
/** About as many characters as a token of English has. */
const charsPerToken = 4;

const { values } = parseArgs({
  options: {
    ledger: { type: 'string' },
    script: { type: 'string', default: new URL('brain-script.ts', import.meta.url).pathname },
    port: { type: 'string', default: '0' },
  },
});
if (values.ledger === undefined) {
  process.stderr.write('usage: model-server --ledger FILE [--script FILE] [--port N]\n');
  process.exit(2);
}
const ledger = new Ledger<ModelRow>(values.ledger);
const script = await loadScript(values.script);

async function loadScript(file: string): Promise<Script> {
  const module: unknown = await import(pathToFileURL(resolve(file)).href);
  if (
    typeof module === 'object' &&
    module !== null &&
    'nextMessage' in module &&
    typeof module.nextMessage === 'function'
  ) {
    // A script is code of the one who starts the server; its form is all that can be checked.
    return module.nextMessage as Script;
  }
  throw new Error(`${file} does not export nextMessage.`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  request.setEncoding('utf8');
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
    if (body.length > limitChars) throw new Error(`The request has more than ${limitChars} characters.`);
  }
  return body;
}

/** Checks as much of a request as the server itself relies on. */
function readRequest(body: string): ChatRequest {
  const value: unknown = JSON.parse(body);
  if (typeof value !== 'object' || value === null) throw new Error('The request is no object.');
  if (!('model' in value) || typeof value.model !== 'string') throw new Error('model must be a text.');
  if (!('messages' in value) || !isListOfObjects(value.messages)) throw new Error('messages must be a list.');
  const tools: unknown = 'tools' in value ? value.tools : [];
  if (!isListOfObjects(tools)) throw new Error('tools must be a list.');
  if ('stream' in value && value.stream === true) throw new Error('This model does not stream.');
  // The loopback client is a provider package, which writes the format that the types say.
  return {
    model: value.model,
    messages: value.messages as readonly ChatMessage[],
    tools: tools as readonly ChatTool[],
  };
}

function isListOfObjects(value: unknown): value is readonly object[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null);
}

function completion(request: ChatRequest, answer: ChatAnswer): object {
  const promptTokens = tokensOf({ messages: request.messages, tools: request.tools });
  const completionTokens = tokensOf(answer);
  return {
    id: `chatcmpl-${ledger.size}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1_000),
    model: request.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', ...answer },
        finish_reason: answer.tool_calls === undefined ? 'stop' : 'tool_calls',
      },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
      // What came before the last message was asked before, so a provider would have it in its cache.
      prompt_tokens_details: {
        cached_tokens: request.messages.length > 2 ? tokensOf(request.messages.slice(0, -1)) : 0,
      },
    },
  };
}

function tokensOf(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / charsPerToken);
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    send(response, 404, {
      error: { message: 'Only POST /v1/chat/completions is served.', type: 'invalid_request_error' },
    });
    return;
  }
  const body = readRequest(await readBody(request));
  const answer = script(body.messages, body.tools ?? []);
  ledger.append({ request: ledger.size + 1, atMs: Date.now(), body, answer });
  send(response, 200, completion(body, answer));
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    send(response, 400, { error: { message, type: 'invalid_request_error' } });
  });
});

const port = await listenOnLoopback(server, Number(values.port));
endWithParent(() => {
  server.closeAllConnections();
  ledger.close();
});
announce({ url: `http://127.0.0.1:${port}/v1`, port });
