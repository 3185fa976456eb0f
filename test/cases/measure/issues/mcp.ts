/** Servers of the Model Context Protocol that fail, fall silent, forget, or answer with what a model cannot read: each one runs, as a process or on the loopback. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { agent, createAxle, type RunResult } from 'axle';
import { mcp, type McpOptions, type McpSource } from 'axle/mcp';
import { scriptedBrain } from 'axle/testing';
import { type Fields, listOf, textOf } from '../fields.ts';
import { startForgetfulServer } from '../forgetful-server.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

const program = fileURLToPath(new URL('../mcp-server.mjs', import.meta.url));

/** A case is known by what its input says of the server. */
export async function mcpCases(issue: Issue): Promise<Verdict> {
  const { input, expect } = issue;
  const words = JSON.stringify(input);
  const folder = mkdtempSync(join(tmpdir(), 'axle-mcp-'));
  try {
    if (Array.isArray(input['content'])) return await readableContent(input['content'], folder);
    if (/\d+ MB/.test(words)) return await boundedResult(1_048_576 * Number(/(\d+) MB/.exec(words)?.[1]), folder);
    if (/404/.test(words)) return await forgottenSession();
    if (/progress/.test(words)) return await heldByProgress(input, folder);
    if (/cursor/i.test(words)) return await endlessPages(expect, folder);
    if (/exits?|dies|crash/.test(words)) return await diesInCall(folder);
    return notCovered('nothing that is known about servers');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The behaviour stands in a file: it may be longer than an argument can be. */
function serverThat(folder: string, behaviour: Fields, options: Partial<McpOptions> = {}): McpSource {
  const file = join(mkdtempSync(join(folder, 'server-')), 'behaviour.json');
  writeFileSync(file, JSON.stringify(behaviour));
  return mcp({
    name: 'case',
    protocol: '2025-11-25',
    onNotice: () => {},
    ...options,
    command: process.execPath,
    args: [program, file],
  } as McpOptions);
}

async function callOf(source: McpSource): Promise<RunResult> {
  await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => {} });
  return await axle.call('case.act', {});
}

/** The caller learns of it soon, nothing is sent again, and the server is there for the next call. */
async function diesInCall(folder: string): Promise<Verdict> {
  const ledger = join(folder, 'ledger');
  const source = serverThat(folder, { kind: 'dies', ledger });
  await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => {} });
  const startedAtMs = performance.now();
  const result = await axle.call('case.act', {});
  const tookMs = performance.now() - startedAtMs;
  const linesOf = (): number => readFileSync(ledger, 'utf8').trim().split('\n').length;
  if (tookMs > 2_000) return wrong(`it took ${Math.round(tookMs)} ms to learn of it`);
  if (linesOf() !== 1) return wrong(`the ledger has ${linesOf()} entries`, { unsafe: true });
  if (result.status === 'completed') return wrong('the call counts as a success', { unsafe: true });
  const again = await axle.call('case.act', { second: true });
  if (again.status === 'completed' || linesOf() !== 2) return wrong('the server was not started again');
  return right;
}

/** Progress keeps a call alive for as long as the whole of it may take, and no longer. */
async function heldByProgress(input: Fields, folder: string): Promise<Verdict> {
  const words = textOf(input['server'], 'server');
  const [took = Number.NaN, each = Number.NaN] = [...words.matchAll(/(\d+(?:\.\d+)?) s/g)].map(
    (found) => Number(found[1]) * 1_000,
  );
  const [idle = Number.NaN, total = Number.NaN] = [
    ...textOf(input['timeout'], 'timeout').matchAll(/(\d+(?:\.\d+)?) s/g),
  ].map((found) => Number(found[1]) * 1_000);
  const behaviour = { kind: 'progress', tookMs: took, eachMs: each };
  const within = (totalMs: number): Promise<RunResult> =>
    callOf(
      serverThat(folder, behaviour, {
        effects: { act: { effect: 'read', timeout: totalMs, idleTimeout: idle, retry: { attempts: 1 } } },
      }),
    );
  const [long, short] = await Promise.all([within(total), within(took / 2)]);
  if (long.status !== 'completed') return wrong(`within ${total} ms it ended as ${long.status}`);
  return short.status === 'completed' ? wrong(`within ${took / 2} ms it succeeded`) : right;
}

/** Pages that repeat end, with every tool once. */
async function endlessPages(expect: Fields, folder: string): Promise<Verdict> {
  const count = Number(/(\d+) unique/.exec(String(expect['outcome']))?.[1] ?? 8);
  for (const kind of ['same-page', 'empty-cursor']) {
    const notices: unknown[] = [];
    await using axle = await createAxle({
      store: ':memory:',
      tools: [serverThat(folder, { kind, tools: count }, { onNotice: (notice) => notices.push(notice) })],
      log: () => {},
    });
    const names = axle.tools
      .list()
      .map(({ name }) => name)
      .filter((name) => /\.t\d+$/.test(name));
    if (names.length !== count || new Set(names).size !== count) {
      return wrong(`${kind}: the tools are ${names.join(', ')}`);
    }
    if (kind === 'same-page' && notices.length === 0) return wrong('nobody was told');
  }
  return right;
}

const base64 = /[A-Za-z0-9+/]{200,}/;

/** What the model is shown of a result, word for word, and what the folder keeps. */
async function shownOf(
  behaviour: Fields,
  folder: string,
): Promise<{ readonly shown: string; readonly keptBytes: number; readonly status: string }> {
  let shown = '';
  const model = scriptedBrain((request, turn) => {
    const results = request.items.flatMap((item) => (item.kind === 'results' ? item.results : []));
    if (turn > 0) shown = JSON.stringify(results.map(({ outcome }) => outcome));
    return turn === 0 ? { calls: [{ name: 'case.act', input: {} }] } : 'end';
  });
  const keep = join(folder, 'kept');
  const subject = agent({ name: 'subject', model, tools: ['case.*'] });
  const source = serverThat(folder, behaviour, { keep, effects: { act: { effect: 'read' } } });
  await using axle = await createAxle({ store: ':memory:', tools: [source], agents: [subject], log: () => {} });
  const { status } = await (await axle.start('subject', { input: 'Act.' })).result();
  return { shown, status, keptBytes: bytesIn(keep) };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Each kind of content by its words: `image/png 300 KB`, `resource blob`, `undecodable base64`. */
function contentOf(kind: string, index: number): Fields {
  const bytes = Buffer.alloc(Number(/(\d+) KB/.exec(kind)?.[1] ?? 1) * 1_024, 1 + index).toString('base64');
  const uri = `file:///case/${index}`;
  if (kind === 'resource_link') return { type: 'resource_link', uri, name: `link ${index}` };
  if (kind.startsWith('resource')) {
    return { type: 'resource', resource: { uri, mimeType: 'application/octet-stream', blob: bytes } };
  }
  if (kind.startsWith('undecodable')) return { type: 'image', mimeType: 'image/png', data: '!!! no base64 !!!' };
  const mimeType = /^(image|audio)\/[\w+.-]+/.exec(kind);
  if (mimeType === null) return { type: 'text', text: `words number ${index}` };
  return { type: mimeType[1], mimeType: mimeType[0], data: bytes };
}

async function readableContent(kinds: readonly unknown[], folder: string): Promise<Verdict> {
  const content = listOf(kinds, 'content').map((kind, index) => contentOf(textOf(kind, 'content'), index));
  const { shown, status } = await shownOf({ kind: 'content', content }, folder);
  if (status !== 'completed') return wrong(`the run ended as ${status}`);
  if (base64.test(shown)) return wrong('base64 reached the model');
  const places = content.flatMap(({ type, text, mimeType }) =>
    [type === 'text' ? text : mimeType].filter((place) => typeof place === 'string'),
  );
  let at = 0;
  for (const place of places) {
    const found = shown.indexOf(place, at);
    if (found === -1) return wrong(`${place} is not shown in its place: ${shown.slice(0, 600)}`);
    at = found;
  }
  return right;
}

/** A result that no context holds is shown in part, with a reference, and kept once. */
async function boundedResult(bytes: number, folder: string): Promise<Verdict> {
  const { shown, status, keptBytes } = await shownOf({ kind: 'large', bytes }, folder);
  if (status !== 'completed') return wrong(`the run ended as ${status}`);
  if (shown.length > 200_000) return wrong(`${shown.length} characters reached the model`);
  if (!shown.includes('kept:')) return wrong(`the model is shown no reference: ${shown.slice(0, 300)}`);
  return keptBytes >= bytes && keptBytes < bytes * 1.5 ? right : wrong(`${keptBytes} bytes are kept`);
}

/** A session that the server has forgotten is begun anew, once for all who wait, and what was refused is sent again. */
async function forgottenSession(): Promise<Verdict> {
  await using server = await startForgetfulServer();
  const { port } = new URL(server.url);
  const source = mcp({
    name: 'case',
    url: server.url,
    allow: [`127.0.0.1:${port}`],
    protocol: '2025-11-25',
    onNotice: () => {},
  });
  await using axle = await createAxle({ store: ':memory:', tools: [source], log: () => {} });
  server.forget();
  const results = await Promise.all([1, 2, 3].map((of) => axle.call('case.act', { of })));
  const failed = results.find(({ status }) => status !== 'completed');
  if (failed !== undefined) return wrong(`a call ended as ${failed.status}: ${JSON.stringify(failed)}`);
  if (server.begun.length !== 2) return wrong(`${server.begun.length - 1} sessions were begun anew`);
  if (server.begun.some((id) => id !== undefined)) return wrong('a session was begun with the id of an old one');
  return server.acted === 3 ? right : wrong(`${server.acted} calls ran`, { unsafe: true });
}
