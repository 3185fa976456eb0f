/** Tools from files, followed while they change (T9). The folder, the files and the server are real. */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  agent,
  type Axle,
  contractFolder,
  type ContractFolderOptions,
  createAxle,
  type FileProblem,
} from '../../src/axle.ts';
import { scriptedBrain, type ScriptedTurn } from '../../src/testing.ts';

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

let folder = '';
let server: Server;
let port = 0;
let heard: Heard[] = [];
let answer: { readonly status: number; readonly body: unknown; readonly text?: string };
let opened: Axle | undefined;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'axle-folder-'));
  heard = [];
  answer = { status: 200, body: { data: { degrees: 21 } } };
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      heard.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      response
        .writeHead(answer.status, { 'content-type': 'application/json' })
        .end(answer.text ?? JSON.stringify(answer.body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const weather = (more: Readonly<Record<string, unknown>> = {}, http: Readonly<Record<string, unknown>> = {}) => ({
  name: 'weather',
  description: 'Tells the weather of a city.',
  input: {
    type: 'object',
    properties: { city: { type: 'string' }, units: { type: 'string' }, days: { type: 'array' } },
    required: ['city'],
  },
  http: {
    url: `http://127.0.0.1:${port}/v1/cities/{city}/weather`,
    query: { units: '{units}', day: '{days}' },
    result: '/data/degrees',
    ...http,
  },
  ...more,
});

function write(name: string, content: unknown): void {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

const problems: FileProblem[] = [];

async function open(turns: readonly ScriptedTurn[] = ['done'], options: ContractFolderOptions = {}): Promise<Axle> {
  problems.length = 0;
  const tools = contractFolder(folder, {
    http: { allow: [`127.0.0.1:${port}`], secrets: (name) => `value of ${name}` },
    settleMs: 20,
    pollMs: 0,
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  const worker = agent({ name: 'worker', model: scriptedBrain(turns), tools: ['*'] });
  opened = await createAxle({ store: ':memory:', tools: [tools], agents: [worker] });
  return opened;
}

const versions = (axle: Axle): readonly string[] =>
  axle.tools
    .list()
    .flatMap(({ name, version, isRetained }) => (isRetained ? [] : [`${name}@${version}`]))
    .toSorted();

/** The description that new runs are given, which names the text of a file that is in force. */
async function described(axle: Axle): Promise<string> {
  const hash = axle.tools.list().find(({ isNewest }) => isNewest)?.hash ?? '';
  return JSON.stringify(JSON.parse((await axle.store.body(hash)) ?? '{}'));
}

describe('a contract file', () => {
  it('is a tool that makes the request which it describes', async () => {
    write('weather.json', weather());
    const axle = await open();
    expect(await axle.call('weather', { city: 'São Paulo/..', units: 'metric', days: ['mon', 'tue'] })).toMatchObject({
      status: 'completed',
      output: 21,
    });
    expect(heard).toMatchObject([
      { method: 'GET', url: '/v1/cities/S%C3%A3o%20Paulo%2F../weather?units=metric&day=mon&day=tue' },
    ]);
    heard = [];
    await axle.call('weather', { city: 'Bonn' });
    expect(heard).toMatchObject([{ url: '/v1/cities/Bonn/weather' }]);
  });

  it('sends a body, headers and credentials, with the key under which a repetition is known', async () => {
    write('pay.json', {
      name: 'pay',
      description: 'Pays.',
      effect: 'idempotent',
      input: {
        type: 'object',
        properties: { cents: { type: 'integer' }, to: { type: 'object' }, note: { type: 'string' } },
        required: ['cents'],
      },
      http: {
        method: 'POST',
        url: `http://127.0.0.1:${port}/payments`,
        headers: { 'Idempotency-Key': '{$idempotencyKey}' },
        body: { amount: '{cents}', name: 'for {to/name}', note: '{note}', fixed: ['{{', true] },
        credentials: [{ kind: 'bearer', token: { secret: 'PAY_KEY' } }],
      },
    });
    const axle = await open();
    const result = await axle.call('pay', { cents: 5, to: { name: 'Ada' } });
    expect(result).toMatchObject({ status: 'completed' });
    expect(heard).toMatchObject([
      {
        method: 'POST',
        body: JSON.stringify({ amount: 5, name: 'for Ada', fixed: ['{', true] }),
        headers: { authorization: 'Bearer value of PAY_KEY', 'content-type': 'application/json' },
      },
    ]);
    expect(String(heard[0]?.headers['idempotency-key'])).toMatch(/^\S{20,}$/u);
  });

  it('gives no secret back, however the service writes it (L12)', async () => {
    write('weather.json', weather({}, { credentials: [{ kind: 'bearer', token: { secret: 'PAY/KEY' } }] }));
    const axle = await open();
    for (const echoed of [String.raw`value of PAY\/KEY`, String.raw`value of PAY\u002fKEY`]) {
      answer = { status: 200, body: null, text: `{"data":{"degrees":"${echoed}"}}` };
      expect(await axle.call('weather', { city: 'x' })).toMatchObject({ output: '[secret PAY/KEY]' });
      answer = { status: 400, body: null, text: `{"message":"${echoed}"}` };
      expect(await axle.call('weather', { city: 'x' })).toMatchObject({
        failure: { message: expect.stringContaining('[secret PAY/KEY]') },
      });
    }
  });

  it('has succeeded only where the service says so: a redirect that leads nowhere is no result', async () => {
    write('weather.json', weather({}, { method: 'POST', result: '' }));
    const axle = await open();
    answer = { status: 302, body: { moved: true } };
    expect(await axle.call('weather', { city: 'x' })).toMatchObject({
      status: 'failed',
      failure: { code: 'tool-failed', message: expect.stringContaining('302') },
    });
  });

  it('has failures in the terms of the effect law', async () => {
    write('weather.json', weather());
    const axle = await open();
    answer = { status: 404, body: { message: 'no such city' } };
    expect(await axle.call('weather', { city: 'x' })).toMatchObject({
      status: 'failed',
      failure: { code: 'tool-failed', message: expect.stringContaining('no such city') },
    });
    expect(await axle.call('weather', { city: '..' })).toMatchObject({ failure: { code: 'arguments-invalid' } });
    expect(heard).toHaveLength(1);
  });

  it('reaches nothing that was not granted', async () => {
    write('weather.json', weather());
    const axle = await open(['done'], { http: {} });
    expect(await axle.call('weather', { city: 'x' })).toMatchObject({ failure: { code: 'url-refused' } });
    expect(heard).toEqual([]);
  });

  it.each<[string, (text: string) => string, number, RegExp]>([
    ['is no JSON', (text) => text.replace('"name": "weather",', '"name": weather,'), 2, /not JSON/u],
    ['ends too early', (text) => text.slice(0, 80), 4, /not JSON/u],
    [
      'has a field that does not exist',
      (text) => text.replace('"http"', '"efect": "read",\n  "http"'),
      21,
      /did you mean effect/u,
    ],
    [
      'has an effect that there is none',
      (text) => text.replace('"http"', '"effect": "maybe",\n  "http"'),
      21,
      /effect must be/u,
    ],
    ['uses an argument that it does not take', (text) => text.replace('{city}', '{town}'), 21, /\{town\}/u],
    ['has an argument in the host', (text) => text.replace('127.0.0.1', '{city}'), 22, /absolute http or https URL/u],
  ])('that %s is refused with its line', async (_, change, line, message) => {
    write('weather.json', change(JSON.stringify(weather(), null, 2)));
    const refused = open();
    await expect(refused).rejects.toMatchObject({
      code: 'contract-file-invalid',
      message: expect.stringMatching(message),
    });
    await expect(refused).rejects.toThrow(`weather.json:${line}:`);
  });
});

describe('a folder that is followed', () => {
  it('brings a new version for new runs, and the run under way keeps the one that it began with', async () => {
    write('weather.json', weather({ risk: 'high' }));
    const axle = await open([{ calls: [{ name: 'weather', input: { city: 'Bonn' } }] }, 'done']);
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    write(
      'weather-2.json',
      weather(
        { version: 2, input: { type: 'object', properties: { place: {} } } },
        { url: `http://127.0.0.1:${port}/v2/{place}`, query: {} },
      ),
    );
    await expect.poll(() => versions(axle)).toEqual(['weather@1', 'weather@2']);
    const [question] = await axle.approvals.list(run.id);
    await axle.approvals.resolve(question?.approvalId ?? '', { decision: 'approve' });
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    await axle.call('weather', { place: 'Bonn' });
    expect(heard.map(({ url }) => url)).toEqual(['/v1/cities/Bonn/weather', '/v2/Bonn']);
  });

  it('keeps what a broken file held before, reports it once with its line, and takes it when it is whole again', async () => {
    write('weather.json', weather());
    const axle = await open();
    write('weather.json', JSON.stringify(weather({ description: 'Broken.' }), null, 2).slice(0, -10));
    await expect.poll(() => problems).toMatchObject([{ file: 'weather.json', code: 'contract-file-invalid' }]);
    expect(problems[0]?.line).toBeGreaterThan(15);
    expect(await described(axle)).toContain('Tells the weather');
    expect(await axle.call('weather', { city: 'Bonn' })).toMatchObject({ status: 'completed' });
    write('weather.json', weather({ description: 'Whole again.' }));
    await expect.poll(() => described(axle)).toContain('Whole again');
    expect(problems).toHaveLength(1);
  });

  it('takes no half of a file that is written in pieces, nor of one that is saved by renaming', async () => {
    write('weather.json', weather());
    const axle = await open();
    const whole = JSON.stringify(weather({ description: 'Written in pieces.' }));
    for (let end = 0; end < whole.length; end += 40) {
      write('weather.json', whole.slice(0, end));
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    write('weather.json', whole);
    await expect.poll(() => described(axle)).toContain('Written in pieces');
    // As editors do: the old one is moved away, the new one is written beside and moved in.
    renameSync(join(folder, 'weather.json'), join(folder, 'weather.json~'));
    await new Promise((resolve) => setTimeout(resolve, 25));
    write('.weather.json.tmp', weather({ description: 'Saved by renaming.' }));
    renameSync(join(folder, '.weather.json.tmp'), join(folder, 'weather.json'));
    await expect.poll(() => described(axle)).toContain('Saved by renaming');
    expect(problems).toEqual([]);
    expect(versions(axle)).toEqual(['weather@1']);
  });

  it('holds the runs of a file that is deleted, and lets them go on when it is back', async () => {
    write('weather.json', weather({ risk: 'high' }));
    const axle = await open([{ calls: [{ name: 'weather', input: { city: 'Bonn' } }] }, 'done']);
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const [question] = await axle.approvals.list(run.id);
    rmSync(join(folder, 'weather.json'));
    await expect.poll(() => versions(axle)).toEqual([]);
    await axle.approvals.resolve(question?.approvalId ?? '', { decision: 'approve' });
    await expect
      .poll(async () => run.result())
      .toMatchObject({ status: 'waiting', on: [{ kind: 'held', tool: 'weather' }] });
    expect(heard).toEqual([]);
    write('weather.json', weather({ risk: 'high' }));
    expect(await run.result({ until: 'ended' })).toMatchObject({ status: 'completed' });
    expect(heard).toHaveLength(1);
  });

  it('migrates by templates, and reports a version that two files bring', async () => {
    write('weather.json', weather({ risk: 'high' }));
    const axle = await open([{ calls: [{ name: 'weather', input: { city: 'Bonn' } }] }, 'done']);
    const run = await axle.start('worker', { input: 'go' });
    await run.result();
    const second = weather(
      {
        version: 2,
        risk: 'high',
        input: { type: 'object', properties: { place: { type: 'object' } }, required: ['place'] },
        migrate: { 1: { input: { place: { name: '{city}' } } } },
      },
      { url: `http://127.0.0.1:${port}/v2/{place/name}`, query: {} },
    );
    write('weather.json', second);
    await expect.poll(() => versions(axle)).toEqual(['weather@2']);
    await run.send('go on');
    await run.result();
    expect(await axle.approvals.list(run.id)).toMatchObject([{ input: { place: { name: 'Bonn' } } }]);
    write('double.json', second);
    await expect.poll(() => problems).toMatchObject([{ code: 'contract-duplicate' }]);
    expect(versions(axle)).toEqual(['weather@2']);
  });

  it('is found by looking now and then, where the system tells of nothing', async () => {
    write('weather.json', weather());
    const axle = await open(['done'], { pollMs: 30 });
    // A folder that is put in the place of another is not the one that is watched.
    renameSync(folder, `${folder}-old`);
    mkdirSync(folder);
    write('weather.json', weather({ description: 'In another folder.' }));
    await expect.poll(() => described(axle)).toContain('In another folder');
    rmSync(`${folder}-old`, { recursive: true });
  });
});
