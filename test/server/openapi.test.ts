import assert from 'node:assert/strict';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { routes } from '../../src/server/routes/routes.ts';
import type {
  ApprovalItem,
  AuthorizationItem,
  ContextView,
  DoubtItem,
  EntryRow,
  Page,
  SpanTable,
  RunRow,
} from '../../src/http.ts';
import { createMetrics } from '../../src/metrics.ts';
import { type AskOptions, largeBodyOf, openWorld, startRun, type World } from './world.ts';

type Json = Record<string, unknown>;
type Content = Readonly<Record<string, { readonly schema?: Json }>>;
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
interface Described {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Json };
}

/** No object may have a field that its schema does not tell, unless the schema says that it may. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== 'object' || schema === null) return schema;
  const made = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  return 'properties' in made && !('additionalProperties' in made) && !('oneOf' in made)
    ? { ...made, additionalProperties: false }
    : made;
}

/** Checks answers against the description that the server gives of itself. */
async function judge(world: World) {
  const { body: document } = await world.ask<Described>('GET', '/openapi.json');
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const components = strict(document.components) as Json;
  ajv.addSchema({ $id: 'https://axle/openapi', components });
  const compiled = new Map<string, ValidateFunction>();
  const seen = new Set<string>();
  const check = async <T>(method: string, path: string, request: AskOptions & { readonly route: string }) => {
    const answer = await world.ask<T>(method, path, request);
    const operation = document.paths[request.route]?.[method.toLowerCase()];
    assert(operation !== undefined, `${method} ${request.route} is not described`);
    const described = operation.responses[String(answer.status)] ?? operation.responses['default'];
    const [media] = (answer.headers.get('content-type') ?? '').split(';');
    const content = described?.content[media ?? ''];
    assert(content !== undefined, `${method} ${path} answers ${answer.status} with ${media}`);
    if (content.schema !== undefined) {
      const text = JSON.stringify(strict(content.schema)).replaceAll('"#/', '"https://axle/openapi#/');
      const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as Json);
      compiled.set(text, validate);
      assert(validate(answer.body), `${method} ${path}: ${JSON.stringify(validate.errors)}`);
    }
    if (answer.status < 400) seen.add(operation.operationId);
    return answer;
  };
  return { document, seen, check };
}

describe('the OpenAPI document (I2)', () => {
  it('describes every route, and real answers of every route fit it', { timeout: 120_000 }, async () => {
    const metrics = createMetrics();
    const world = await openWorld({ observers: [metrics] }, { metrics });
    const { document, seen, check } = await judge(world);
    const ended = await startRun(world, 'clerk', 'k1');
    const asking = await startRun(world, 'cashier', 'k2');
    const doubtful = await startRun(world, 'banker', 'k3');
    const open = await startRun(world, 'host', 'k4');
    const refused = await startRun(world, 'guide', 'k7');
    const run = (rest = '') => `/v1/runs/{runId}${rest}`;

    await check('GET', '/v1/runs?limit=2', { route: '/v1/runs' });
    await check('GET', '/v1/runs', { route: '/v1/runs' });
    await check('GET', '/v1/runs?limit=none', { route: '/v1/runs' });
    const start = { agent: 'clerk', input: 'x', session: 's' };
    await check('POST', '/v1/runs', { route: '/v1/runs', body: start, headers: { 'idempotency-key': 'k5' } });
    await check('POST', '/v1/runs', { route: '/v1/runs', body: start });
    for (const id of [ended, asking, doubtful, open, refused]) {
      await check('GET', `/v1/runs/${id}`, { route: run() });
      await check('GET', `/v1/runs/${id}/result`, { route: run('/result') });
      await check('GET', `/v1/runs/${id}/entries`, { route: run('/entries') });
      await check('GET', `/v1/runs/${id}/logs`, { route: run('/logs') });
      const table = await check<SpanTable>('GET', `/v1/runs/${id}/spans`, { route: run('/spans') });
      for (const span of table.body.id) {
        const path = `/v1/runs/${id}/spans/${encodeURIComponent(span)}`;
        await check('GET', path, { route: run('/spans/{spanId}') });
      }
      await check('GET', `/v1/runs/${id}/export?format=atif`, { route: run('/export') });
      await check('GET', `/v1/runs/${id}/export?format=pdf`, { route: run('/export') });
      await check('GET', `/v1/runs/${id}/spans/none`, { route: run('/spans/{spanId}') });
      await check('GET', `/v1/runs/${id}/transcript`, { route: run('/transcript') });
      await check('GET', `/v1/runs/${id}/decisions?limit=1`, { route: run('/decisions') });
      await check('GET', `/v1/runs/${id}/diagnosis`, { route: run('/diagnosis') });
      await check('GET', `/v1/runs/${id}/state`, { route: run('/state') });
      await check('GET', `/v1/runs/${id}/state?seq=3`, { route: run('/state') });
      await check('GET', `/v1/runs/${id}/state?seq=99999`, { route: run('/state') });
      const replayed = await check('POST', `/v1/runs/${id}/replay`, { route: run('/replay'), body: { step: 1 } });
      expect(replayed.body).toMatchObject({ isSame: true });
      const { body: entries } = await world.ask<Page<EntryRow>>('GET', `/v1/runs/${id}/entries`);
      for (const { seq, entry } of entries.items) {
        const path = `/v1/runs/${id}/context/${seq}`;
        const { status, body: view } = await check<ContextView>('GET', path, { route: run('/context/{seq}') });
        expect(status).toBe(entry.type === 'model-started' ? 200 : 400);
        if (status !== 200) continue;
        const block = view.blocks.at(-1)?.id ?? '';
        const route = run('/context/{seq}/blocks/{blockId}');
        await check('GET', `${path}/blocks/${encodeURIComponent(block)}`, { route });
      }
    }
    await check('GET', '/v1/runs/run_none', { route: run() });
    const fork = { at: 2, instructions: 'Be brief.' };
    const forked = await check<RunRow>('POST', `/v1/runs/${ended}/fork`, { route: run('/fork'), body: fork });
    expect(forked.status).toBe(201);
    await check('POST', `/v1/runs/${ended}/fork`, { route: run('/fork'), body: { at: 99 } });
    const beside = `/v1/compare?left=${ended}&right=${forked.body.runId}`;
    const compared = await check('GET', beside, { route: '/v1/compare' });
    expect(compared.body).toMatchObject({ shared: { runId: ended, steps: 1 } });
    await check('GET', '/v1/compare?left=a', { route: '/v1/compare' });
    await check('GET', '/metrics', { route: '/metrics' });
    await check('GET', `/v1/runs/${ended}/spans?filter=kind:`, { route: run('/spans') });
    const hash = await largeBodyOf(world);
    await check('GET', `/v1/bodies/${hash}`, { route: '/v1/bodies/{hash}' });
    await check('GET', '/v1/bodies/none', { route: '/v1/bodies/{hash}' });
    const { body: approvals } = await check<Page<ApprovalItem>>('GET', '/v1/approvals', { route: '/v1/approvals' });
    const [approval] = approvals.items;
    assert(approval !== undefined);
    await check('POST', `/v1/approvals/${encodeURIComponent(approval.approvalId)}`, {
      route: '/v1/approvals/{approvalId}',
      body: { decision: 'approve', by: 'ann' },
      headers: { 'if-match': `"${approval.etag}"` },
    });
    const { body: logins } = await check<Page<AuthorizationItem>>('GET', '/v1/authorizations', {
      route: '/v1/authorizations',
    });
    const [login] = logins.items;
    assert(login !== undefined);
    await check('POST', `/v1/authorizations/${encodeURIComponent(login.authorizationId)}`, {
      route: '/v1/authorizations/{authorizationId}',
      body: { granted: true },
      headers: { 'if-match': `"${login.etag}"` },
    });
    const { body: doubts } = await check<Page<DoubtItem>>('GET', '/v1/doubts', { route: '/v1/doubts' });
    const [doubt] = doubts.items;
    assert(doubt !== undefined);
    await check('POST', `/v1/doubts/${encodeURIComponent(doubt.id)}`, {
      route: '/v1/doubts/{callId}',
      body: { happened: false, then: 'fail' },
      headers: { 'if-match': `"${doubt.etag}"` },
    });
    await check('POST', `/v1/runs/${open}/messages`, { route: run('/messages'), body: { text: 'Hello?' } });
    await check('POST', `/v1/runs/${open}/cancel`, { route: run('/cancel'), body: {} });
    await check('POST', `/v1/runs/${ended}/undo`, { route: run('/undo'), body: {} });
    await check('POST', '/v1/calls?wait=10', {
      route: '/v1/calls',
      body: { tool: 'add', input: { a: 1, b: 2 } },
      headers: { 'idempotency-key': 'k6' },
    });
    await check('GET', '/v1/tools', { route: '/v1/tools' });
    await check('GET', '/v1/tools/add', { route: '/v1/tools/{name}' });
    await check('GET', '/v1/tool-statistics', { route: '/v1/tool-statistics' });
    await check('GET', '/v1/tool-statistics?runs=0', { route: '/v1/tool-statistics' });
    await check('GET', '/v1/agents', { route: '/v1/agents' });
    await check('GET', '/v1/upstreams', { route: '/v1/upstreams' });
    await check('POST', '/v1/upstreams/bank', {
      route: '/v1/upstreams/{name}',
      body: { action: 'open', reason: 'test' },
    });
    await check('GET', '/v1/system', { route: '/v1/system' });
    await check('GET', '/v1/errors/run-unknown', { route: '/v1/errors/{code}' });
    for (const path of ['/healthz', '/readyz', '/startupz', '/openapi.json']) await check('GET', path, { route: path });
    // Streams have tests of their own; here it is enough that they begin.
    for (const [route, path] of [
      [run('/events'), `/v1/runs/${ended}/events`],
      [run('/agui'), `/v1/runs/${ended}/agui`],
      ['/v1/events', '/v1/events'],
    ] as const) {
      const response = await fetch(`${world.url}${path}`);
      const operation = document.paths[route]?.['get'];
      assert(operation !== undefined);
      expect(Object.keys(operation.responses['200']?.content ?? {})).toEqual(['text/event-stream']);
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      await response.body?.cancel();
      seen.add(operation.operationId);
    }
    expect([...seen].toSorted()).toEqual(routes.map(({ id }) => id).toSorted());
  });

  it('is OpenAPI 3.1 with one name for each operation', async () => {
    const { ask } = await openWorld();
    const { body } = await ask<Described>('GET', '/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const ids = routes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const described = Object.values(body.paths).flatMap((path) => Object.keys(path));
    expect(described).toHaveLength(routes.length);
    // Every reference leads somewhere.
    const text = JSON.stringify(body);
    for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(Object.keys(body.components.schemas)).toContain(name);
    }
  });
});
