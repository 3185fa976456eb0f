import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { contextOf, toolNamed } from './context.ts';
import { anyNumber, containing, failureOf, listWith, lives, rude, until } from './support.ts';

let folder: string;
let ledger: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'axle-rude-'));
  ledger = join(folder, 'ledger');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function noted(): readonly unknown[] {
  if (!existsSync(ledger)) return [];
  return readFileSync(ledger, 'utf8')
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}

describe('what a server says', () => {
  test('the tools of a server become contracts, each a write unless the user says otherwise', async () => {
    const tools = await rude({
      effects: { echo: { effect: 'read' }, silent: { effect: 'idempotent', risk: 'low', timeout: '3s' } },
    }).connect();

    expect(toolNamed(tools, 'rude.echo')).toMatchObject({ effect: 'read', risk: 'low', terms: { timeoutMs: 60_000 } });
    expect(toolNamed(tools, 'rude.silent')).toMatchObject({
      effect: 'idempotent',
      risk: 'low',
      terms: { timeoutMs: 3_000 },
    });
    expect(toolNamed(tools, 'rude.fail')).toMatchObject({ effect: 'write', risk: 'medium' });
  });

  test('annotations cannot loosen: a tool that calls itself read-only is a write as long as the user says nothing', async () => {
    const tools = await rude().connect();
    expect(toolNamed(tools, 'rude.echo').effect).toBe('write');
  });

  test('annotations tighten: a tool that says it changes things is a write although the user declared a read', async () => {
    const tools = await rude({ effects: { mislabelled: { effect: 'read' } } }).connect();
    expect(toolNamed(tools, 'rude.mislabelled')).toMatchObject({ effect: 'write', risk: 'high' });
  });

  test('the tools of a server share its limits and its breaker, under its name, unless one declares its own', async () => {
    const tools = await rude({
      limits: { rate: '5/s' },
      breaker: { window: '10s' },
      authorization: 'ask',
      effects: {
        echo: { effect: 'read', cache: { ttl: '1m' } },
        silent: { limits: { upstream: 'quiet', concurrency: 1 }, authorization: 'fail' },
      },
    }).connect();
    expect(toolNamed(tools, 'rude.fail').terms).toMatchObject(toolNamed(tools, 'rude.exit').terms);
    expect(JSON.stringify(toolNamed(tools, 'rude.fail'))).toContain('"rude"');
    expect(JSON.stringify(toolNamed(tools, 'rude.silent'))).toContain('"quiet"');
    expect(toolNamed(tools, 'rude.echo').terms).toHaveProperty('cache');
    expect(toolNamed(tools, 'rude.fail').terms.authorization).toBe('ask');
    expect(toolNamed(tools, 'rude.silent').terms.authorization).toBeUndefined();
  });

  test('terms for a tool that the server does not offer are refused with the names that it offers', async () => {
    const source = rude({ effects: { ecco: { effect: 'read' } } });
    await expect(source.connect()).rejects.toMatchObject({
      code: 'configuration-invalid',
      message: containing('echo'),
    });
  });

  test('structured content is the output, and plain text is', async () => {
    const tools = await rude().connect();
    expect(await toolNamed(tools, 'rude.structured').execute({}, contextOf())).toEqual({ answer: 42 });
    expect(await toolNamed(tools, 'rude.echo').execute({ text: 'hello' }, contextOf())).toBe('hello');
  });

  test('a server sees the variables that it needs and those declared for it, and none of the rest', async () => {
    process.env['AXLE_TEST_SECRET'] = 'do not tell';
    onTestFinished(() => {
      delete process.env['AXLE_TEST_SECRET'];
    });
    const tools = await rude({ env: { RUDE_DECLARED: 'yes' } }).connect();
    const output = await toolNamed(tools, 'rude.environment').execute({}, contextOf());
    expect(output).toMatchObject({ names: listWith('PATH', 'RUDE_DECLARED') });
    expect(output).not.toMatchObject({ names: listWith('AXLE_TEST_SECRET') });
  });

  test('the idempotency key of the call travels with it', async () => {
    const tools = await rude({ env: { RUDE_LEDGER: ledger } }).connect();
    await toolNamed(tools, 'rude.echo').execute({}, contextOf({ idempotencyKey: 'tenant-run-call' }));
    expect(noted()).toEqual([{ called: 'echo', key: 'tenant-run-call' }]);
  });
});

describe('what a server does wrong', () => {
  test('garbage on standard output is dropped and the answer behind it is read', async () => {
    const tools = await rude().connect();
    expect(await toolNamed(tools, 'rude.garbage').execute({}, contextOf())).toBe('after the garbage');
    expect(await toolNamed(tools, 'rude.echo').execute({ text: 'still there' }, contextOf())).toBe('still there');
  });

  test('an answer over the limit fails the call that it answers, and the server goes on', async () => {
    const tools = await rude().connect();
    expect(await failureOf(toolNamed(tools, 'rude.oversized'))).toMatchObject({
      code: 'limit-exceeded',
      class: 'recoverable',
      effect: 'possible',
    });
    expect(await toolNamed(tools, 'rude.echo').execute({ text: 'still there' }, contextOf())).toBe('still there');
  });

  test('a tool that says it failed is an error that the model can act on', async () => {
    const tools = await rude().connect();
    const failure = await failureOf(toolNamed(tools, 'rude.fail'));
    expect(failure).toMatchObject({
      name: 'ToolError',
      code: 'tool-failed',
      class: 'recoverable',
      effect: 'possible',
      message: 'the account is locked',
    });
  });

  test('an error of the protocol and an unreadable answer are told apart, and only the second leaves the effect unknown', async () => {
    const tools = await rude().connect();
    expect(await failureOf(toolNamed(tools, 'rude.protocol-error'))).toMatchObject({
      code: 'mcp-protocol-error',
      effect: 'possible',
    });
    expect(await failureOf(toolNamed(tools, 'rude.unreadable'))).toMatchObject({
      code: 'mcp-protocol-error',
      effect: 'unknown',
    });
  });

  test('a call without an answer ends at its time limit, and the server is told that nobody waits any more', async () => {
    const tools = await rude({ requestTimeout: '300ms', env: { RUDE_LEDGER: ledger } }).connect();
    expect(await failureOf(toolNamed(tools, 'rude.silent'))).toMatchObject({
      code: 'tool-timed-out',
      class: 'retryable',
      effect: 'unknown',
    });
    await until(() => noted().length === 2, 'the server heard of the cancellation');
    expect(noted()[1]).toEqual({ cancelled: 'silent' });
  });

  test('an aborted call ends at once, and an answer that comes after it harms nobody', async () => {
    const tools = await rude({ env: { RUDE_LEDGER: ledger } }).connect();
    const abort = new AbortController();
    const failure = failureOf(toolNamed(tools, 'rude.late'), {}, contextOf({ signal: abort.signal }));
    await until(() => noted().length === 1, 'the server has the call');
    abort.abort();
    expect(await failure).toMatchObject({ code: 'aborted', effect: 'unknown' });
    expect(await toolNamed(tools, 'rude.echo').execute({ text: 'next' }, contextOf())).toBe('next');
    expect(noted()).toContainEqual({ cancelled: 'late' });
  });

  test('a call that is aborted before it is made is never sent', async () => {
    const tools = await rude({ env: { RUDE_LEDGER: ledger } }).connect();
    expect(
      await failureOf(toolNamed(tools, 'rude.echo'), {}, contextOf({ signal: AbortSignal.abort() })),
    ).toMatchObject({ effect: 'none' });
    await toolNamed(tools, 'rude.structured').execute({}, contextOf());
    expect(noted()).toEqual([{ called: 'structured', key: 'key-1' }]);
  });
});

describe('a server that ends', () => {
  test('a server that exits in the middle of calls fails all of them with what it last said, in doubt about their effect', async () => {
    const tools = await rude().connect();
    const silent = failureOf(toolNamed(tools, 'rude.silent'));
    const exit = failureOf(toolNamed(tools, 'rude.exit'));
    const expected = {
      code: 'mcp-unavailable',
      class: 'retryable',
      effect: 'unknown',
      message: containing('the disk is on fire'),
    };
    expect(await silent).toMatchObject(expected);
    expect(await exit).toMatchObject(expected);
  });

  test('an answer that was written before the exit counts', async () => {
    const tools = await rude().connect();
    expect(await toolNamed(tools, 'rude.answer-and-exit').execute({}, contextOf())).toBe('last words');
  });

  test('the next call after an exit starts the server again; when it keeps ending, calls fail unsent and say when to come back', async () => {
    const tools = await rude({ env: { RUDE_LEDGER: ledger } }).connect();
    await failureOf(toolNamed(tools, 'rude.exit'));
    expect(await toolNamed(tools, 'rude.echo').execute({ text: 'back' }, contextOf())).toBe('back');
    await failureOf(toolNamed(tools, 'rude.exit'));
    await failureOf(toolNamed(tools, 'rude.exit'));

    const refused = await failureOf(toolNamed(tools, 'rude.echo'));
    expect(refused).toMatchObject({
      code: 'mcp-unavailable',
      class: 'retryable',
      effect: 'none',
      retryAfterMs: anyNumber(),
    });
    expect(noted().map((row) => (row as { called: string }).called)).toEqual(['exit', 'echo', 'exit', 'exit']);
  });

  test('a server that cannot start is reported with its last words, and one that does not exist by its command', async () => {
    await expect(rude({ flags: ['--crash-at-start'] }).connect()).rejects.toMatchObject({
      code: 'mcp-unavailable',
      message: containing('no such database'),
    });
    await expect(rude({ command: '/nowhere/server' }).connect()).rejects.toMatchObject({
      code: 'mcp-unavailable',
      message: containing('/nowhere/server'),
    });
  });

  test('a server that does not answer is reported with what it said on its standard error', async () => {
    const mute = rude({ flags: ['--mute=Which account?'], requestTimeout: '500ms' });
    await expect(mute.connect()).rejects.toMatchObject({
      code: 'mcp-unavailable',
      message: containing('Which account?'),
    });
  });

  test('a closed source takes no calls and starts nothing', async () => {
    const source = rude();
    const tools = await source.connect();
    await source.close();
    expect(await failureOf(toolNamed(tools, 'rude.echo'))).toMatchObject({ code: 'closed', effect: 'none' });
    await expect(source.connect()).rejects.toMatchObject({ code: 'closed' });
    expect(source.processes).toEqual([]);
  });

  test('closing ends the whole tree: a server that ignores it, its child in a session of its own, and the watchdog', async () => {
    const source = rude({ flags: ['--stubborn'] });
    const tools = await source.connect();
    const { pid } = (await toolNamed(tools, 'rude.grand-child').execute({}, contextOf())) as { pid: number };
    const processes = [...source.processes, pid];
    expect(processes.map(lives)).toEqual([true, true, true]);
    await source.close();
    expect(processes.map(lives)).toEqual([false, false, false]);
  });

  test('a child that a server leaves behind when it exits is ended too', async () => {
    const source = rude();
    const tools = await source.connect();
    const { pid } = (await toolNamed(tools, 'rude.grand-child').execute({}, contextOf())) as { pid: number };
    const processes = [...source.processes, pid];
    await failureOf(toolNamed(tools, 'rude.exit'));
    await until(() => !processes.some(lives), 'nothing of the tree lives');
  });
});
