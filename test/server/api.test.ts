import { describe, expect, it } from 'vitest';
import assert from 'node:assert/strict';
import { createMemoryStore } from '../../src/axle.ts';
import type {
  AgentRow,
  ApprovalItem,
  AuthorizationItem,
  DoubtItem,
  EntryRow,
  LogAnswer,
  Page,
  RunRow,
  SpanTable,
  StartedCall,
  SystemAnswer,
  ToolRow,
} from '../../src/http.ts';
import { SpanColumns } from '../../src/trace/table/span-columns.ts';
import { wrapStore } from '../../src/journal/wrap-store.ts';
import { type Answered, largeBodyOf, openWorld, overSocket, readEvents, startRun } from './world.ts';

describe('starting and following runs (I2)', () => {
  it('starts a run, gives the same one for the same key, and refuses another request under it', async () => {
    const { ask, axle } = await openWorld();
    const request = { body: { agent: 'clerk', input: 'add' }, headers: { 'idempotency-key': 'k1' } };
    const first = await ask<RunRow>('POST', '/v1/runs', request);
    expect(first).toMatchObject({ status: 201, body: { kind: 'agent', subject: 'clerk', key: 'k1', goal: 'add' } });
    expect(first.headers.get('location')).toBe(`/v1/runs/${first.body.runId}`);
    const again = await ask<RunRow>('POST', '/v1/runs', request);
    expect(again.body.runId).toBe(first.body.runId);
    const other = await ask('POST', '/v1/runs', { ...request, body: { agent: 'clerk', input: 'subtract' } });
    expect(other).toMatchObject({ status: 422, body: { code: 'run-key-reused' } });
    const quoted = await ask<RunRow>('POST', '/v1/runs', { ...request, headers: { 'idempotency-key': '"k1"' } });
    expect(quoted.body.runId).toBe(first.body.runId);
    expect(await axle.runs()).toHaveLength(1);
    const result = await ask('GET', `/v1/runs/${first.body.runId}/result?wait=10`);
    expect(result).toMatchObject({ status: 200, body: { status: 'completed', output: 'It is 3.' } });
    const row = await ask('GET', `/v1/runs/${first.body.runId}`);
    expect(row.body).toMatchObject({ state: 'ended', ending: 'completed', totals: { modelCalls: 2, toolCalls: 1 } });
  });

  it('refuses what is missing, misspelt or unknown in words that name it', async () => {
    const { ask } = await openWorld();
    const key = { 'idempotency-key': 'k' };
    const start = (body: unknown, headers = key as Record<string, string>) =>
      ask('POST', '/v1/runs', { body, headers });
    expect(await start({ agent: 'clerk', input: 'x' }, {})).toMatchObject({
      status: 400,
      body: { code: 'idempotency-key-missing' },
    });
    expect(await start({ agent: 'clerk', inputs: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'request-invalid', detail: expect.stringContaining('/inputs') },
    });
    expect(await start({ agent: 'clark', input: 'x' })).toMatchObject({
      status: 404,
      body: { code: 'agent-unknown', detail: expect.stringContaining('clerk'), type: '/v1/errors/agent-unknown' },
    });
    expect(await ask('GET', '/v1/runs/run_none')).toMatchObject({ status: 404, body: { code: 'run-unknown' } });
    expect(await ask('GET', '/v1/runs?stat=ended')).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('state') },
    });
    expect(await ask('GET', '/v1/runs?limit=0')).toMatchObject({ status: 400, body: { code: 'request-invalid' } });
    expect(await ask('GET', '/v1/runs?cursor=cnVuX25vbmU')).toMatchObject({
      status: 400,
      body: { code: 'request-invalid', detail: expect.stringContaining('cursor') },
    });
    expect(await ask('GET', '/v1/nothing')).toMatchObject({ status: 404, body: { code: 'route-unknown' } });
    for (const list of ['approvals', 'authorizations', 'doubts']) {
      expect(await ask('POST', `/v1/${list}/run_1/3.0`, { body: {} })).toMatchObject({
        status: 404,
        body: { code: 'route-unknown', detail: expect.stringMatching(/URL-encoded.*%2F/) },
      });
    }
    expect(await ask('GET', '/v1/runs/run_1/nothing')).toMatchObject({
      body: { detail: expect.not.stringContaining('%2F') },
    });
    const method = await ask('DELETE', '/v1/runs');
    expect(method).toMatchObject({ status: 405, body: { code: 'method-not-allowed' } });
    expect(method.headers.get('allow')).toBe('GET, POST');
    expect(await ask('GET', '/v1/errors/agent-unknown')).toMatchObject({ status: 200, body: { status: 404 } });
  });

  it('pages through runs, newest first, without missing one', async () => {
    const world = await openWorld();
    for (const key of ['a', 'b', 'c', 'd', 'e']) await startRun(world, 'clerk', key);
    const keys: string[] = [];
    let path: string | undefined = '/v1/runs?limit=2&state=ended,held';
    while (path !== undefined) {
      const page: Answered<Page<RunRow>> = await world.ask('GET', path);
      keys.push(...page.body.items.map(({ key }) => key ?? ''));
      path = /^<(.*)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      expect(path === undefined).toBe(page.body.next === undefined);
    }
    expect(keys).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect((await world.ask('GET', '/v1/runs?state=waiting')).body).toEqual({ items: [] });
  });

  it('sends a message, cancels, and says pending while nothing has happened', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'host', 'k');
    const sent = await world.ask('POST', `/v1/runs/${runId}/messages`, { body: { text: 'Hello?' } });
    expect(sent).toMatchObject({ status: 202, body: { runId, accepted: true } });
    const cancelled = await world.ask('POST', `/v1/runs/${runId}/cancel`, { body: { reason: 'enough', by: 'ann' } });
    expect(cancelled.status).toBe(202);
    const result = await world.ask('GET', `/v1/runs/${runId}/result?wait=10`);
    expect(result.body).toMatchObject({ status: 'cancelled' });
    const late = await world.ask('POST', `/v1/runs/${runId}/messages`, { body: { text: 'Hello?' } });
    expect(late).toMatchObject({ status: 409, body: { code: 'run-ended' } });
  });

  it('reads the name of a request in one way, wherever it may have one', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'listener', 'k');
    const send = async (key: string): Promise<unknown> =>
      world.ask('POST', `/v1/runs/${runId}/messages`, { body: { text: 'Once.' }, headers: { 'idempotency-key': key } });
    expect(await send('m1')).toMatchObject({ status: 202 });
    expect(await send('"m1"')).toMatchObject({ status: 202 });
    const { body } = await world.ask<Page<EntryRow>>('GET', `/v1/runs/${runId}/entries`);
    expect(body.items.filter(({ entry }) => entry.type === 'message-received')).toHaveLength(1);
    for (const key of ['', '""', 'a b', 'x'.repeat(256)]) {
      expect(await send(key)).toMatchObject({ status: 400, body: { code: 'request-invalid' } });
    }
    const fork = async (key: string): Promise<Answered<RunRow>> =>
      world.ask<RunRow>('POST', `/v1/runs/${runId}/fork`, { body: { at: 1 }, headers: { 'idempotency-key': key } });
    expect((await fork('"f1"')).body.runId).toBe((await fork('f1')).body.runId);
  });

  it('makes one governed call and gives its result', async () => {
    const { ask } = await openWorld();
    const headers = { 'idempotency-key': 'c1' };
    const call = { tool: 'add', input: { a: 2, b: 3 } };
    const done = await ask<StartedCall>('POST', '/v1/calls?wait=10', { body: call, headers });
    expect(done).toMatchObject({
      status: 201,
      body: { run: { kind: 'call' }, result: { status: 'completed', output: 5 } },
    });
    const again = await ask<StartedCall>('POST', '/v1/calls?wait=10', { body: call, headers });
    expect(again.body.run.runId).toBe(done.body.run.runId);
    const asking = await ask<StartedCall>('POST', '/v1/calls?wait=10', {
      body: { tool: 'refund', input: { cents: 5 } },
      headers: { 'idempotency-key': 'c2' },
    });
    expect(asking.body.result).toMatchObject({ status: 'waiting', on: [{ kind: 'approval' }] });
  });

  it('shows entries page by page', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'clerk', 'k');
    const whole = await world.ask<Page<EntryRow>>('GET', `/v1/runs/${runId}/entries`);
    const { seq } = (await world.ask<RunRow>('GET', `/v1/runs/${runId}`)).body;
    expect(whole.body.items.map((row) => row.seq)).toEqual(Array.from({ length: seq }, (_, index) => index + 1));
    const parts: unknown[] = [];
    let next: string | undefined = '0';
    while (next !== undefined) {
      const page: Answered<Page<EntryRow>> = await world.ask('GET', `/v1/runs/${runId}/entries?limit=2&after=${next}`);
      parts.push(...page.body.items);
      next = page.body.next;
    }
    expect(parts).toEqual(whole.body.items);
  });

  it('shows the log lines of a run, and of no other', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'clerk', 'k');
    await startRun(world, 'cashier', 'k2');
    const { body } = await world.ask<LogAnswer>('GET', `/v1/runs/${runId}/logs`);
    expect(body.items.at(-1)).toMatchObject({ message: 'The run ended.', fields: { ending: 'completed' } });
    const [first] = body.items;
    const rest = await world.ask<LogAnswer>('GET', `/v1/runs/${runId}/logs?after=${first?.number}`);
    expect(rest.body.items).toEqual(body.items.slice(1));
  });
});

describe('what happened (O1)', () => {
  it('gives the spans of a run as columns, whole and then only what has changed', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'cashier', 'k');
    const columns = new SpanColumns();
    const before = await world.ask<SpanTable>('GET', `/v1/runs/${runId}/spans`);
    expect(columns.apply(before.body)).toMatchObject({ kind: 'applied' });
    const [item] = (await world.ask<Page<ApprovalItem>>('GET', '/v1/approvals')).body.items;
    await world.axle.approvals.resolve(item?.approvalId ?? '', { decision: 'approve' });
    await world.axle.run(runId).result();
    const news = await world.ask<SpanTable>('GET', `/v1/runs/${runId}/spans?since=${before.body.seq}`);
    expect(news.body.index.length).toBeLessThan(news.body.rowCount);
    expect(columns.apply(news.body)).toMatchObject({ kind: 'applied' });
    const whole = new SpanColumns();
    whole.apply((await world.ask<SpanTable>('GET', `/v1/runs/${runId}/spans`)).body);
    expect(columns.ids).toEqual(whole.ids);
    expect(columns.ended).toBe(true);
    const found = await world.ask<SpanTable>('GET', `/v1/runs/${runId}/spans?filter=tool:refund`);
    expect(found.body.names).toContain('refund');
    expect(found.body.index.length).toBeLessThan(found.body.rowCount);
    expect(await world.ask('GET', `/v1/runs/${runId}/spans?filter=status:`)).toMatchObject({
      status: 400,
      body: { code: 'filter-invalid' },
    });
  });

  it('gives large values by their hash, whole or in parts, and never two forms of one', async () => {
    const world = await openWorld();
    const hash = await largeBodyOf(world);
    const url = `${world.url}/v1/bodies/${hash}`;
    const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBe(null);
    expect(answer.headers.get('etag')).toBe(`"${hash}"`);
    const whole = Buffer.from(await answer.arrayBuffer());
    expect(JSON.parse(whole.toString())).toBe('много'.repeat(20_000));
    for (const [range, from, to] of [
      ['bytes=0-99', 0, 100],
      ['bytes=100-', 100, whole.length],
      ['bytes=-7', whole.length - 7, whole.length],
      ['bytes=5-999999999', 5, whole.length],
    ] as const) {
      const part = await fetch(url, { headers: { range } });
      expect(part.status).toBe(206);
      expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${whole.length}`);
      expect(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(from, to))).toBe(true);
    }
    expect((await fetch(url, { headers: { range: 'bytes=999999999-' } })).status).toBe(416);
    expect((await fetch(url, { headers: { range: 'lines=1-2' } })).status).toBe(200);
    expect((await fetch(url)).headers.get('cache-control')).toContain('immutable');
    expect(await world.ask('GET', '/v1/bodies/none')).toMatchObject({ status: 404, body: { code: 'body-unknown' } });
  });
});

describe('event streams', () => {
  it('brings every entry once, and goes on after the last one that was heard', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'clerk', 'k');
    const whole = await readEvents(await fetch(`${world.url}/v1/runs/${runId}/events`), () => false);
    expect(whole.at(-1)?.data).toMatchObject({ kind: 'ended' });
    const ids = whole.slice(0, -1).map((event) => event.id);
    const entries = await world.ask<Page<EntryRow>>('GET', `/v1/runs/${runId}/entries`);
    expect(ids).toEqual(entries.body.items.map((row) => row.id));
    for (const [index, id] of ids.entries()) {
      const response = await fetch(`${world.url}/v1/runs/${runId}/events`, { headers: { 'last-event-id': id ?? '' } });
      expect(await readEvents(response, () => false)).toEqual(whole.slice(index + 1));
    }
  });

  it('tells lists which runs change, with one look at the store for all who listen', async () => {
    let listings = 0;
    const memory = createMemoryStore();
    const store = wrapStore(memory, {
      runs: (filter) => {
        listings += 1;
        return memory.runs(filter);
      },
    });
    const world = await openWorld({ store });
    const isEnded: Parameters<typeof readEvents>[1] = (events) => events.some(({ data }) => data['state'] === 'ended');
    const listen = async (many: number): Promise<number> => {
      const streams = await Promise.all(Array.from({ length: many }, () => fetch(`${world.url}/v1/events`)));
      const heard = streams.map((stream) => readEvents(stream, isEnded));
      // One more, which hears the first counters: from then on changes are told.
      await readEvents(await fetch(`${world.url}/v1/events`), (events) => events.length > 0);
      listings = 0;
      const runId = await startRun(world, 'clerk', `k${many}`);
      for (const events of await Promise.all(heard)) {
        expect(events[0]?.data).toMatchObject({ kind: 'counters', active: 0 });
        expect(events.find(({ data }) => data['state'] === 'ended')?.data).toMatchObject({
          runId,
          ending: 'completed',
        });
      }
      return listings;
    };
    const alone = await listen(1);
    expect(alone).toBeGreaterThan(0);
    expect(await listen(60)).toBeLessThan(alone + 30);
    const before = listings;
    await startRun(world, 'clerk', 'unheard');
    expect(listings).toBeLessThan(before + 5);
  });

  it('has a limit of listeners, and gives a place back when one leaves', async () => {
    const world = await openWorld({}, { maxListeners: 2 });
    const streams = await Promise.all([1, 2].map(() => fetch(`${world.url}/v1/events`)));
    expect(await world.ask('GET', '/v1/events')).toMatchObject({ status: 503, body: { code: 'listeners-too-many' } });
    await streams[0]?.body?.cancel();
    await expect.poll(async () => (await world.ask<SystemAnswer>('GET', '/v1/system')).body.listeners).toBe(1);
    await streams[1]?.body?.cancel();
  });

  it('takes no place for a request that wants the head alone', async () => {
    const world = await openWorld({}, { maxListeners: 2 });
    const runId = await startRun(world, 'listener', 'k');
    for (const path of ['/v1/events', `/v1/runs/${runId}/events`, `/v1/runs/${runId}/agui`]) {
      const { status, headers } = await fetch(`${world.url}${path}`, { method: 'HEAD' });
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    }
    expect((await world.ask<SystemAnswer>('GET', '/v1/system')).body.listeners).toBe(0);
  });
});

describe('questions to people (Y3)', () => {
  it('lists an approval with what is needed to decide, and takes an answer for exactly that version', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'cashier', 'k');
    const { body } = await world.ask<Page<ApprovalItem>>('GET', '/v1/approvals');
    const [item] = body.items;
    assert(item !== undefined);
    expect(item).toMatchObject({
      runId,
      tool: 'refund',
      input: { cents: 500 },
      risk: 'high',
      goal: 'Please, cashier.',
      statedReason: 'I refund, as asked.',
      inputSchema: { type: 'object' },
    });
    expect(item.reason).not.toBe('');
    const path = `/v1/approvals/${encodeURIComponent(item.approvalId)}`;
    const approve = { decision: 'approve' };
    expect(await world.ask('POST', path, { body: approve })).toMatchObject({
      status: 428,
      body: { code: 'precondition-missing' },
    });
    for (const etag of ['"old"', '*']) {
      const stale = await world.ask('POST', path, { body: approve, headers: { 'if-match': etag } });
      expect([412, 428]).toContain(stale.status);
    }
    const headers = { 'if-match': `"${item.etag}"` };
    const wrong = await world.ask('POST', path, { body: { ...approve, edit: { cents: 5_000 } }, headers });
    expect(wrong).toMatchObject({ status: 422, body: { code: 'decision-invalid' } });
    const done = await world.ask('POST', path, { body: { ...approve, edit: { cents: 100 }, by: 'ann' }, headers });
    expect(done).toMatchObject({ status: 202, body: { runId, accepted: true } });
    expect(await world.axle.run(runId).result()).toMatchObject({ status: 'completed', output: 'Refunded.' });
    const late = await world.ask('POST', path, { body: { decision: 'deny' }, headers });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'decision-already-made', details: { first: { decision: 'approve', by: 'ann' } } },
    });
    expect((await world.ask('GET', '/v1/approvals')).body).toEqual({ items: [] });
  });

  it('lists a login that calls wait for, and takes the word that it is there', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'guide', 'k');
    const { body } = await world.ask<Page<AuthorizationItem>>('GET', '/v1/authorizations');
    const [item] = body.items;
    assert(item !== undefined);
    expect(item).toMatchObject({ runId, upstream: 'crm', subject: 'guide', calls: [{ tool: 'look_up' }] });
    const path = `/v1/authorizations/${encodeURIComponent(item.authorizationId)}`;
    const headers = { 'if-match': `"${item.etag}"` };
    expect((await world.ask('POST', path, { body: { granted: true } })).status).toBe(428);
    expect((await world.ask('POST', path, { body: { granted: 'yes' }, headers })).status).toBe(400);
    expect((await world.ask('POST', path, { body: { granted: true }, headers })).status).toBe(202);
    expect(await world.axle.run(runId).result()).toMatchObject({ status: 'completed', output: 'It is Ada.' });
  });

  it('lists a call in doubt, and takes the word of a person for it', async () => {
    const world = await openWorld();
    const runId = await startRun(world, 'banker', 'k');
    const { body } = await world.ask<Page<DoubtItem>>('GET', `/v1/doubts?run=${runId}`);
    const [item] = body.items;
    assert(item !== undefined);
    expect(item).toMatchObject({ runId, tool: 'transfer', reason: 'no-answer', attempt: 1 });
    expect(item.idempotencyKey).not.toBe('');
    const path = `/v1/doubts/${encodeURIComponent(item.id)}`;
    const happened = { happened: true, output: { sent: 7 } };
    expect(await world.ask('POST', path, { body: happened })).toMatchObject({ status: 428 });
    expect(await world.ask('POST', path, { body: happened, headers: { 'if-match': '"x"' } })).toMatchObject({
      status: 412,
      body: { code: 'precondition-failed', details: { etag: item.etag } },
    });
    const headers = { 'if-match': `"${item.etag}"` };
    expect(await world.ask('POST', path, { body: { happened: true, then: 'retry' }, headers })).toMatchObject({
      status: 400,
    });
    expect(await world.ask('POST', path, { body: { happened: true, output: {} }, headers })).toMatchObject({
      status: 422,
    });
    expect(await world.ask('POST', path, { body: happened, headers })).toMatchObject({ status: 202 });
    expect(await world.axle.run(runId).result()).toMatchObject({ status: 'completed', output: 'Sent.' });
  });
});

describe('what there is to work with', () => {
  it('shows tools, agents and upstreams, and steers a breaker', async () => {
    const { ask } = await openWorld();
    const { body } = await ask<Page<ToolRow>>('GET', '/v1/tools');
    expect(body.items.map(({ name }) => name)).toEqual(['add', 'refund', 'transfer', 'look_up', 'repeat']);
    expect(body.items[2]).toMatchObject({ effect: 'write', risk: 'low', upstream: 'bank', isNewest: true });
    expect((await ask('GET', '/v1/tools/add')).body).toMatchObject({
      inputSchema: { required: ['a', 'b'] },
      outputSchema: { type: 'number' },
      versions: [1],
    });
    expect(await ask('GET', '/v1/tools/ad')).toMatchObject({ status: 404, body: { code: 'tool-unknown' } });
    expect((await ask<Page<AgentRow>>('GET', '/v1/agents')).body.items[0]).toMatchObject({
      name: 'clerk',
      tools: ['add'],
    });
    const opened = await ask('POST', '/v1/upstreams/bank', { body: { action: 'open', reason: 'migration' } });
    expect(opened.body).toMatchObject({ name: 'bank', breaker: { kind: 'open' } });
    expect((await ask('GET', '/v1/upstreams')).body).toMatchObject({
      items: [{ name: 'bank', breaker: { kind: 'open' } }],
    });
    expect(await ask('POST', '/v1/upstreams/bang', { body: { action: 'open' } })).toMatchObject({
      status: 404,
      body: { code: 'upstream-unknown' },
    });
  });

  it('says what it is, and that it is ready until it drains', async () => {
    const { ask, server } = await openWorld();
    expect((await ask('GET', '/v1/system')).body).toMatchObject({ name: 'axle', role: 'driver', needsToken: false });
    expect(await ask('GET', '/readyz')).toMatchObject({ status: 200, body: { status: 'ok' } });
    server.drain();
    expect(await ask('GET', '/readyz')).toMatchObject({ status: 503, body: { status: 'draining' } });
    expect(await ask('GET', '/healthz')).toMatchObject({ status: 200 });
    const start = { body: { agent: 'clerk', input: 'x' }, headers: { 'idempotency-key': 'k' } };
    expect(await ask('POST', '/v1/runs', start)).toMatchObject({ status: 503, body: { code: 'draining' } });
    expect(await ask('GET', '/v1/runs')).toMatchObject({ status: 200 });
  });
});

describe('bodies', () => {
  it('are refused when they are too large, too deep, no JSON, or not said to be JSON', async () => {
    const { ask, url, port } = await openWorld({}, { maxBodyBytes: 2_000 });
    const headers = { 'idempotency-key': 'k', 'content-type': 'application/json' };
    const post = async (body: string, more: Record<string, string> = {}) =>
      (await fetch(`${url}/v1/runs`, { method: 'POST', body, headers: { ...headers, ...more } })).status;
    expect(await post('x'.repeat(2_001))).toBe(413);
    expect(await post('['.repeat(1_000))).toBe(413);
    expect(await post('{"agent":')).toBe(400);
    expect(await post('{"__proto__": {}}')).toBe(400);
    expect(await post('{"agent": "clerk", "input": "x", "input": "y"}')).toBe(400);
    expect(await post('{}', { 'content-type': 'text/plain' })).toBe(415);
    expect(await post('{}', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
    const chunked = `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    expect(await post('{}', { 'content-type': 'application/json; charset=utf-16' })).toBe(415);
    expect(await post('{}', { 'content-encoding': 'gzip' })).toBe(415);
    const chunk = `${(1_500).toString(16)}\r\n${' '.repeat(1_500)}\r\n`;
    expect((await overSocket(port, `${chunked}${chunk}${chunk}0\r\n\r\n`)).status).toBe(413);
    expect(await ask('GET', '/v1/runs')).toMatchObject({ body: { items: [] } });
  });

  it('are refused when they come in very many pieces, and one that breaks off is no fault of the server', async () => {
    const faults: unknown[] = [];
    const { port } = await openWorld({}, { log: (level, message) => faults.push([level, message]) });
    const head = `POST /v1/runs HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
    const many = await overSocket(port, `${head}${'1\r\n \r\n'.repeat(20_001)}0\r\n\r\n`);
    expect(many).toMatchObject({ status: 413, text: expect.stringContaining('more than 20000 pieces') });
    expect((await overSocket(port, `${head}2\r\n{}\r\nnone\r\n`)).status).toBe(400);
    expect(faults).toEqual([]);
  });

  it('come back compressed when they are large and the client can read it', async () => {
    const world = await openWorld();
    await startRun(world, 'clerk', 'k');
    const response = await fetch(`${world.url}/v1/runs`, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(((await response.json()) as { items: unknown[] }).items).toHaveLength(1);
  });
});
