/** Servers on the network, in both revisions of the protocol, and what a call may conclude from how they fail. */
import type { ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAxle } from '../../src/axle.ts';
import { mcp, type McpNotice } from '../../src/mcp.ts';
import { contextOf, toolNamed } from './context.ts';
import { bothRevisions } from './fixtures/both-revisions.ts';
import { type Exchange, handMade, says, serve, source } from './network.ts';
import { containing, failureOf, until } from './support.ts';

const object = { type: 'object' };

describe.for(['2026-07-28', '2025-11-25'] as const)('a server of the SDK, spoken to in %s', (protocol) => {
  test('lists, answers, reports progress and hears of a cancellation', async () => {
    const noted: string[] = [];
    const { place } = await serve(() => bothRevisions((row) => noted.push(row)));
    const net = source(place, { protocol });
    const contracts = await net.connect();
    expect(net.revision).toBe(protocol);
    expect(await toolNamed(contracts, 'net.add').execute({ a: 40, b: 2 }, contextOf())).toEqual({ sum: 42 });

    const heard: unknown[] = [];
    const context = { ...contextOf(), progress: (update: unknown) => void heard.push(update) };
    expect(await toolNamed(contracts, 'net.count').execute({ to: 3 }, context)).toBe('done');
    expect(heard).toEqual([1, 2, 3].map((done) => ({ done, total: 3 })));

    const abort = new AbortController();
    const failure = failureOf(toolNamed(contracts, 'net.count'), { to: 100 }, contextOf({ signal: abort.signal }));
    await until(() => noted.filter((row) => row === 'counting').length === 2, 'the second count has begun');
    abort.abort();
    expect(await failure).toMatchObject({ code: 'aborted', effect: 'unknown' });
    // Served without sessions, a server of the older revision cannot tell whose call is meant.
    if (protocol === '2026-07-28') await until(() => noted.includes('aborted'), 'the server heard of it');
  });
});

describe('the newer revision', () => {
  test('is taken where the server speaks it, and travels in the headers; so do arguments that ask for it', async () => {
    const headers: Array<Record<string, unknown>> = [];
    const place = await handMade({
      isModern: true,
      tools: [
        {
          name: 'act',
          inputSchema: { ...object, properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
        },
      ],
      call: ({ request, answer }) => {
        headers.push(request.headers);
        answer(says('done'));
      },
    });
    const net = source(place);
    const contracts = await net.connect();
    expect(net.revision).toBe('2026-07-28');
    expect(await toolNamed(contracts, 'net.act').execute({ region: 'Köln' }, contextOf())).toBe('done');
    expect(headers[0]).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'act',
      'mcp-param-region': `=?base64?${Buffer.from('Köln').toString('base64')}?=`,
    });
    expect(headers[0]).not.toHaveProperty('axle-delivery');
  });

  test('a change of the list is heard on a stream of its own', async () => {
    const notices: McpNotice[] = [];
    let more = false;
    const { place, handler } = await serve(() => {
      const server = bothRevisions(() => undefined);
      if (more) server.registerTool('more', { description: 'One more.' }, () => ({ content: [] }));
      return server;
    });
    const net = source(place, { onNotice: (notice) => notices.push(notice) });
    await net.connect();
    more = true;
    await until(() => {
      handler.notify.toolsChanged();
      return notices.some((notice) => notice.kind === 'tools-changed');
    }, 'the change was noticed');
    expect(notices[0]).toMatchObject({ tools: ['more'] });
  });

  test('a stream of changes that breaks is opened again, and what changed in between is noticed', async () => {
    const notices: McpNotice[] = [];
    let more = false;
    const streams: ServerResponse[] = [];
    const factory = (): McpServer => {
      const server = bothRevisions(() => undefined);
      if (more) server.registerTool('more', { description: 'One more.' }, () => ({ content: [] }));
      return server;
    };
    const { place } = await serve(factory, (headers, response) => {
      if (headers['mcp-method'] === 'subscriptions/listen') streams.push(response);
    });
    const net = source(place, { onNotice: (notice) => notices.push(notice) });
    await net.connect();
    await until(() => streams[0]?.headersSent === true, 'it listens');
    more = true;
    streams[0]?.destroy();
    await until(() => notices.some((notice) => notice.kind === 'tools-changed'), 'the change was noticed');
    await until(() => streams.length === 2, 'it listens again');
    expect(notices[0]).toMatchObject({ kind: 'changes-unheard' });
  });

  test('a call that wants input of the user before it goes on ends with a code', async () => {
    const place = await handMade({
      isModern: true,
      call: ({ answer }) =>
        answer({
          resultType: 'input_required',
          inputRequests: {
            name: { method: 'elicitation/create', params: { message: 'Who?', requestedSchema: object } },
          },
          requestState: 'sealed',
        }),
    });
    const contracts = await source(place).connect();
    expect(await failureOf(toolNamed(contracts, 'net.act'))).toMatchObject({
      code: 'mcp-input-required',
      class: 'recoverable',
      effect: 'possible',
    });
  });

  test('one tool that is not as the protocol has it does not take the others away', async () => {
    const place = await handMade({
      isModern: true,
      tools: [
        { name: 'bad', inputSchema: 'none' },
        { name: 'act', inputSchema: object },
      ],
      call: ({ answer }) => answer({ content: [{ type: 'hologram' }, { type: 'text', text: 'seen' }] }),
    });
    const net = source(place, { keep: false });
    const contracts = await net.connect();
    expect(net.refused).toMatchObject([{ name: 'bad' }]);
    expect(await toolNamed(contracts, 'net.act').execute({}, contextOf())).toMatchObject({
      content: [{ type: 'hologram' }, { text: 'seen' }],
    });
  });
});

describe('a session that has expired (C074)', () => {
  /** Forgets every session but the newest. */
  function forgetful(ledger: string[]): Parameters<typeof handMade>[0] {
    let forgotten = 0;
    let newest = 0;
    return {
      before: (method, { request, response }) => {
        if (method === 'initialize') {
          newest += 1;
          ledger.push(method);
        }
        const session = Number(String(request.headers['mcp-session-id'] ?? '').replace('session-', ''));
        if (session === 0 || session > forgotten) return false;
        response.writeHead(404).end('Session not found');
        return true;
      },
      call: ({ params, answer }) => {
        ledger.push(JSON.stringify(params['arguments']));
        forgotten = params['arguments'] === undefined ? forgotten : newest;
        answer(says('done'));
      },
    };
  }

  test('is begun anew, once for all who call at the time, and each call is performed once', async () => {
    const ledger: string[] = [];
    const place = await handMade(forgetful(ledger));
    const net = mcp({
      name: 'net',
      url: place.url,
      allow: place.allow,
      effects: { act: { effect: 'write', risk: 'low' } },
    });
    await using axle = await createAxle({ store: ':memory:', tools: [net], log: () => undefined });
    expect(await axle.call('net.act', { n: 0 })).toMatchObject({ status: 'completed', output: 'done' });
    // The session of the first call is forgotten by now.
    const results = await Promise.all([1, 2, 3].map((n) => axle.call('net.act', { n })));
    expect(results).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'completed', output: 'done' })));
    const calls = ledger.filter((row) => row !== 'initialize').toSorted();
    expect(calls).toEqual([0, 1, 2, 3].map((n) => JSON.stringify({ n })));
  });

  test('three calls that find it expired together share one new session', async () => {
    let sessions = 0;
    let open = 0;
    const place = await handMade({
      before: (method, { request, response }) => {
        if (method === 'initialize') sessions += 1;
        if (method !== 'tools/call' || request.headers['mcp-session-id'] !== 'session-1') return false;
        open += 1;
        const refuse = (): void => {
          if (open < 3) setTimeout(refuse, 10);
          else response.writeHead(404).end();
        };
        refuse();
        return true;
      },
      call: ({ answer }) => answer(says('done')),
    });
    const net = mcp({
      name: 'net',
      url: place.url,
      allow: place.allow,
      effects: { act: { effect: 'write', risk: 'low' } },
    });
    await using axle = await createAxle({ store: ':memory:', tools: [net], log: () => undefined });
    const results = await Promise.all([1, 2, 3].map((n) => axle.call('net.act', { n })));
    expect(results.map((result) => result.status)).toEqual(['completed', 'completed', 'completed']);
    expect(sessions).toBe(2);
  });
});

describe('what a failure says about the effect', () => {
  async function failing(call: (exchange: Exchange) => void, options = {}): Promise<unknown> {
    const contracts = await source(await handMade({ call }), options).connect();
    return failureOf(toolNamed(contracts, 'net.act'));
  }
  const status =
    (code: number, headers: Record<string, string> = {}) =>
    ({ response }: Exchange): void =>
      void response.writeHead(code, headers).end('in its own words');

  test.for([
    [401, { code: 'authorization-required', class: 'fatal', effect: 'none' }],
    [403, { code: 'authorization-required', class: 'fatal', effect: 'possible' }],
    [400, { code: 'mcp-protocol-error', class: 'recoverable', effect: 'possible' }],
    [500, { code: 'upstream-unavailable', class: 'retryable', effect: 'unknown' }],
    [503, { code: 'upstream-unavailable', class: 'retryable', effect: 'unknown', retryAfterMs: 7_000 }],
    [429, { code: 'upstream-rate-limited', class: 'retryable', effect: 'possible', retryAfterMs: 7_000 }],
  ] as const)('status %i', async ([code, expected]) => {
    const headers = code === 503 || code === 429 ? { 'retry-after': '7' } : {};
    expect(await failing(status(code, headers))).toMatchObject({ ...expected, message: containing(String(code)) });
  });

  test('a refused login has calls wait for a person where the source says so (T7)', async () => {
    const place = await handMade({ call: status(401) });
    await using axle = await createAxle({
      store: ':memory:',
      tools: [source(place, { authorization: 'ask' })],
      log: () => undefined,
    });
    expect(await axle.call('net.act', {})).toMatchObject({
      status: 'waiting',
      on: [{ kind: 'authorization', upstream: 'net' }],
    });
  });

  test('a connection that is reset after the request leaves it unknown', async () => {
    expect(await failing(({ response }) => response.destroy())).toMatchObject({
      code: 'mcp-unavailable',
      effect: 'unknown',
    });
  });

  test('a stream that ends without the answer ends the call at once', async () => {
    const startedAtMs = performance.now();
    const failure = await failing(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(': nothing\n\n');
    });
    expect(failure).toMatchObject({ code: 'mcp-unavailable', effect: 'unknown' });
    expect(performance.now() - startedAtMs).toBeLessThan(5_000);
  });

  test('a server that is gone was sent nothing', async () => {
    const place = await handMade({ call: () => undefined });
    const contracts = await source(place).connect();
    place.close();
    expect(await failureOf(toolNamed(contracts, 'net.act'))).toMatchObject({ class: 'retryable', effect: 'none' });
    await expect(source(place).connect()).rejects.toMatchObject({
      code: 'mcp-unavailable',
      message: containing(place.url),
    });
  });

  test('an error of the protocol is told from an answer that cannot be read', async () => {
    const broken = ({ response, id }: Exchange): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_603, message: 'broken' } }));
    };
    expect(await failing(broken)).toMatchObject({ code: 'mcp-protocol-error', effect: 'possible' });
    expect(await failing(({ answer }) => answer({ content: 'no list' }))).toMatchObject({
      code: 'mcp-protocol-error',
      effect: 'unknown',
    });
  });

  test.for(['application/json', 'text/event-stream'])('an answer over the limit (%s) ends its call', async (type) => {
    const failure = await failing(({ response, id }) => {
      const message = JSON.stringify({ jsonrpc: '2.0', id, result: says('x'.repeat(17 * 1024 * 1024)) });
      response.writeHead(200, { 'content-type': type });
      response.end(type === 'application/json' ? message : `data: ${message}\n\n`);
    });
    expect(failure).toMatchObject({ code: 'limit-exceeded', effect: 'possible' });
  });

  test('a call without an answer ends at its time limit, and its connection with it', async () => {
    let closed = false;
    const failure = await failing(
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.flushHeaders();
        response.once('close', () => {
          closed = true;
        });
      },
      { requestTimeout: '300ms' },
    );
    expect(failure).toMatchObject({ code: 'tool-timed-out', effect: 'unknown' });
    await until(() => closed, 'the connection was closed');
  });
});

describe('where it may go', () => {
  test('a private address is refused unless it is granted, and nothing is sent', async () => {
    let requests = 0;
    const { url } = await handMade({ before: () => ((requests += 1), false), call: () => undefined });
    await expect(mcp({ name: 'net', url }).connect()).rejects.toMatchObject({
      code: 'mcp-unavailable',
      message: containing('127.0.0.1'),
    });
    expect(requests).toBe(0);
  });

  test('a redirect to another host is not followed', async () => {
    let strays = 0;
    const other = await handMade({ before: () => ((strays += 1), false), call: () => undefined });
    const place = await handMade({
      call: ({ response }) => void response.writeHead(307, { location: other.url }).end(),
    });
    const contracts = await source({ ...place, allow: [...place.allow, ...other.allow] }).connect();
    expect(await failureOf(toolNamed(contracts, 'net.act'))).toMatchObject({ code: 'mcp-protocol-error' });
    expect(strays).toBe(0);
  });

  test('a secret goes in the header, from the environment as it is then, and comes back in nothing', async () => {
    process.env['AXLE_TEST_TOKEN'] = 'first-token-value';
    onTestFinished(() => {
      delete process.env['AXLE_TEST_TOKEN'];
    });
    const seen: unknown[] = [];
    const place = await handMade({
      call: ({ id, request, response, answer, params }) => {
        seen.push(request.headers.authorization);
        const { progressToken } = (params['_meta'] ?? {}) as { progressToken?: number };
        if (JSON.stringify(params).includes('stream')) {
          const words = String(request.headers.authorization);
          const progress = { progressToken, progress: 1, message: words };
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          for (const message of [
            { jsonrpc: '2.0', method: 'notifications/progress', params: progress },
            { jsonrpc: '2.0', id, result: says(words) },
          ]) {
            response.write(`data: ${JSON.stringify(message)}\n\n`);
          }
          response.end();
        } else if (params['arguments'] === undefined || !('fail' in (params['arguments'] as object))) {
          answer(says(`you are ${String(request.headers.authorization)}`));
        } else response.writeHead(400).end(`no: ${String(request.headers.authorization)}`);
      },
    });
    const contracts = await source(place, {
      headers: { authorization: 'Bearer ${AXLE_TEST_TOKEN}', 'x-team': 'red' },
    }).connect();
    const act = toolNamed(contracts, 'net.act');
    process.env['AXLE_TEST_TOKEN'] = 'second-token-value';
    expect(await act.execute({}, contextOf())).toBe('you are Bearer [secret AXLE_TEST_TOKEN]');
    expect(seen).toEqual(['Bearer second-token-value']);
    const heard: unknown[] = [];
    const context = { ...contextOf(), progress: (update: unknown) => void heard.push(update) };
    expect(await act.execute({ way: 'stream' }, context)).toBe('Bearer [secret AXLE_TEST_TOKEN]');
    expect(heard).toEqual([{ done: 1, message: 'Bearer [secret AXLE_TEST_TOKEN]' }]);
    expect(await failureOf(act, { fail: true })).toMatchObject({ message: containing('[secret AXLE_TEST_TOKEN]') });
  });

  test.for([
    ['a url that is none', { url: 'localhost:80/mcp' }],
    ['a password in the url', { url: 'https://me:secret@example.com/mcp' }],
    ['a secret in the middle of a header', { url: 'https://example.com', headers: { a: '${A} and more' } }],
    ['neither a url nor a command', {}],
  ] as const)('%s is refused', ([, options]) => {
    expect(() => mcp({ name: 'net', ...options } as never)).toThrow(/MCP server 'net'/);
  });
});
