/** Tools whose body is a program, through the whole way of a call (T17). The drivers are the real ones, apart from where a test needs one that answers as told. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { type Axle, contractFolder, createAxle, defaultPolicy, type Policy, tool } from '../../src/axle.ts';
import type { Entry } from '../../src/journal/entry.ts';
import {
  quickjs,
  type SandboxDriver,
  type SandboxProperty,
  type SandboxResult,
  subprocess,
} from '../../src/sandbox.ts';
import { traceOf } from '../../src/trace/trace-of.ts';

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const;
const open: Axle[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((axle) => axle.close()));
});

async function axleWith(options: Omit<Parameters<typeof createAxle>[0], 'store'>): Promise<Axle> {
  const axle = await createAxle({ store: ':memory:', log: () => {}, ...options });
  open.push(axle);
  return axle;
}

async function entriesOf(axle: Axle, runId: string): Promise<readonly Entry[]> {
  return (await axle.store.read(runId, { afterSeq: 0, limit: 100 })).flatMap((append) => append.entries);
}

/** A driver that has proven what it is told to, and answers as it is told to. */
function answering(id: string, properties: readonly SandboxProperty[], result: Partial<SandboxResult>): SandboxDriver {
  return {
    id,
    runs: 'command',
    startMs: 1,
    isBoundary: false,
    grantsNetwork: false,
    probe: async () => ({ kind: 'proven', properties, probes: [], notes: [] }),
    run: async () => ({
      end: { kind: 'ok' },
      stdout: 'null',
      stderr: '',
      usage: { wallMs: 1, outputBytes: 4 },
      ...result,
    }),
    close: async () => {},
  };
}

describe('a tool whose body is a command', () => {
  const count = tool({
    name: 'count_words',
    description: 'Counts the words of a text.',
    effect: 'read',
    input: text,
    sandbox: 'none',
    run: { command: ['wc', '-w'], stdin: { input: 'text' }, stdout: 'text' },
  });

  test('runs, and the journal says in which sandbox', async () => {
    const axle = await axleWith({ tools: [count] });
    const result = await axle.call('count_words', { text: 'one two three' });
    expect(result).toMatchObject({ status: 'completed' });
    expect(result.status === 'waiting' ? '' : JSON.stringify(result.output)).toMatch(/^" *3"$/);
    const entries = await entriesOf(axle, result.runId);
    expect(entries.find(({ type }) => type === 'attempt-finished')).toMatchObject({ sandbox: 'subprocess' });
    const appends = await axle.store.read(result.runId, { afterSeq: 0, limit: 100 });
    const [call] = traceOf(appends).parts.filter((part) => part.kind === 'call');
    expect(call?.kind === 'call' ? call.children[0] : undefined).toMatchObject({
      kind: 'attempt',
      sandbox: 'subprocess',
    });
  });

  test('gets its input as JSON and answers with JSON, files of its contract beside it', async () => {
    const script =
      'let all = ""; process.stdin.on("data", (part) => (all += part)).on("end", () => { const { n } = JSON.parse(all); console.log(JSON.stringify({ twice: n * 2 })) })';
    const twice = tool({
      name: 'twice',
      description: 'Doubles a number.',
      effect: 'read',
      input: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      output: { type: 'object', properties: { twice: { type: 'number' } }, required: ['twice'] },
      sandbox: 'none',
      run: { command: ['node', 'lib/main.js'], files: { 'lib/main.js': script } },
    });
    const axle = await axleWith({ tools: [twice] });
    expect(await axle.call('twice', { n: 21 })).toMatchObject({ status: 'completed', output: { twice: 42 } });
  });

  test('takes a field as one argument, which no shell reads and which is no option', async () => {
    const say = tool({
      name: 'say',
      description: 'Says a text.',
      effect: 'read',
      input: text,
      sandbox: 'none',
      run: { command: ['printf', '%s|', { input: 'text' }], stdout: 'text' },
    });
    const axle = await axleWith({ tools: [say] });
    const hostile = '$(id) `id`; rm -rf / | "two words" \'';
    expect(await axle.call('say', { text: hostile })).toMatchObject({ status: 'completed', output: `${hostile}|` });
    const refused = await axle.call('say', { text: '--help' });
    expect(refused).toMatchObject({ status: 'failed', failure: { code: 'arguments-invalid', evidence: 'none' } });
  });

  test('is told of its call: the idempotency key stays the same over its attempts', async () => {
    const keyed = tool({
      name: 'keyed',
      description: 'Says what it is told.',
      effect: 'read',
      retry: { baseMs: 1 },
      input: text,
      sandbox: 'none',
      run: {
        command: ['sh', '-c', 'echo "$AXLE_RUN_ID $AXLE_CALL_ID $AXLE_ATTEMPT $AXLE_IDEMPOTENCY_KEY"'],
        stdout: 'text',
      },
    });
    const axle = await axleWith({ tools: [keyed] });
    const result = await axle.call('keyed', { text: '' });
    const [runId, callId, attempt, key] = (result.status === 'completed' ? JSON.stringify(result.output) : '')
      .replaceAll('"', '')
      .split(' ');
    expect([runId, callId, attempt]).toEqual([result.runId, '1.0', '1']);
    expect(key).toMatch(/^\S{16,}$/);
  });

  test('tells the model what it said when it failed', async () => {
    const fail = tool({
      name: 'fail',
      description: 'Fails.',
      effect: 'read',
      input: text,
      sandbox: 'none',
      run: { command: ['sh', '-c', 'echo the reason >&2; exit 4'] },
    });
    const axle = await axleWith({ tools: [fail] });
    const result = await axle.call('fail', { text: '' });
    expect(result).toMatchObject({ status: 'failed', failure: { code: 'tool-failed' } });
    expect(result.status === 'waiting' ? '' : result.failure?.message).toContain(
      'ended with code 4. It said: the reason',
    );
  });

  test('that is a write and was killed at its time limit is in doubt, and is not run again', async () => {
    const slow = tool({
      name: 'slow',
      description: 'Takes its time.',
      effect: 'write',
      risk: 'low',
      timeout: 400,
      input: text,
      sandbox: 'none',
      run: { command: ['sleep', '30'] },
    });
    const axle = await axleWith({ tools: [slow] });
    const result = await axle.call('slow', { text: '' });
    expect(result).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    const entries = await entriesOf(axle, result.runId);
    expect(entries.filter(({ type }) => type === 'attempt-started')).toHaveLength(1);
  });

  test.each([
    ['memory', { kind: 'memory' }, 'sandbox-limit-exceeded'],
    ['processor time', { kind: 'cpu' }, 'sandbox-limit-exceeded'],
    ['output', { kind: 'output-limit' }, 'sandbox-limit-exceeded'],
    ['a signal', { kind: 'killed', signal: 'SIGKILL' }, 'tool-failed'],
  ] as const)('that is a write and was ended by %s is in doubt', async (_, end, code) => {
    const write = tool({
      name: 'write',
      description: 'Writes.',
      risk: 'low',
      input: text,
      run: { command: ['true'] },
    });
    const axle = await axleWith({ tools: [write], sandboxes: [answering('told', allProperties, { end })] });
    const result = await axle.call('write', { text: '' });
    expect(result).toMatchObject({ status: 'waiting', on: [{ kind: 'doubt' }] });
    const finished = (await entriesOf(axle, result.runId)).find(({ type }) => type === 'attempt-finished');
    expect(finished).toMatchObject({ sandbox: 'told', result: { failure: { code, evidence: 'unknown' } } });
  });
});

const allProperties: readonly SandboxProperty[] = [
  'files',
  'environment',
  'network',
  'processes',
  'memory',
  'disk',
  'kernel',
  'treeKill',
];

describe('where a program runs', () => {
  const careful = tool({
    name: 'careful',
    description: 'Needs its files kept apart.',
    effect: 'read',
    input: text,
    sandbox: { needs: ['files', 'network'] },
    run: { command: ['true'], stdout: 'text' },
  });

  test('is the cheapest driver whose proof covers what the contract needs', async () => {
    const weak = answering('weak', ['files'], {});
    const strong = { ...answering('strong', allProperties, { stdout: 'strong' }), startMs: 100 };
    const fitting = { ...answering('fitting', ['files', 'network'], { stdout: 'fitting' }), startMs: 50 };
    const axle = await axleWith({ tools: [careful], sandboxes: [weak, strong, fitting] });
    expect(await axle.call('careful', { text: '' })).toMatchObject({ status: 'completed', output: 'fitting' });
  });

  test('is nowhere when no driver has proven it, and the tool says so before its start and at each call, never weaker', async () => {
    const warnings: string[] = [];
    const axle = await axleWith({
      tools: [careful],
      sandboxes: [subprocess(), answering('weak', ['files'], { stdout: 'ran' })],
      log: (level, message) => level === 'warn' && warnings.push(message),
    });
    const told = /careful needs a sandbox that holds back files, network.*weak does not hold back network.*subprocess/;
    expect(warnings.join('\n')).toMatch(told);
    const result = await axle.call('careful', { text: '' });
    expect(result).toMatchObject({ status: 'failed', failure: { code: 'sandbox-unavailable', evidence: 'none' } });
    expect((await entriesOf(axle, result.runId)).some((entry) => 'sandbox' in entry)).toBe(false);
  });

  test('is asked of each driver once, however many tools and calls there are', async () => {
    let probes = 0;
    const counted = answering('counted', allProperties, { stdout: '' });
    const driver: SandboxDriver = {
      ...counted,
      probe: () => {
        probes += 1;
        return counted.probe();
      },
    };
    const other = tool({ ...declared, name: 'other' });
    const axle = await axleWith({ tools: [careful, other], sandboxes: [driver] });
    await Promise.all([
      axle.call('careful', { text: '' }),
      axle.call('other', { text: '' }),
      axle.call('careful', { text: '' }),
    ]);
    expect(probes).toBe(1);
  });

  const declared = {
    description: 'Does it.',
    effect: 'read' as const,
    input: text,
    run: { command: ['true'], stdout: 'text' as const },
  };

  test('is demanded whole when nothing is declared: a command without a word about its sandbox needs everything', () => {
    const contract = tool({ ...declared, name: 'silent' });
    expect(contract.terms.sandbox).toEqual(allProperties);
    expect(contract.pin.terms.sandbox).toEqual(allProperties);
    expect(tool({ ...declared, name: 'loose', sandbox: 'none' }).terms.sandbox).toEqual([]);
  });

  test('is part of the contract: other needs, limits or another command make another hash', () => {
    const hashes = [
      tool({ ...declared, name: 'a' }),
      tool({ ...declared, name: 'a', sandbox: 'none' }),
      tool({ ...declared, name: 'a', sandbox: { limits: { memory: '64MB' } } }),
      tool({ ...declared, name: 'a', run: { command: ['false'], stdout: 'text' } }),
    ].map((contract) => contract.pin.hash);
    expect(new Set(hashes).size).toBe(4);
  });

  test('is seen by the policy, which may refuse a write that runs in process', async () => {
    const policy: Policy = (facts) =>
      facts.isolation === 'in-process' && facts.call.terms.effect === 'write'
        ? { kind: 'deny', rule: 'in-process-write', reason: 'Writes run apart here.' }
        : defaultPolicy(facts);
    const here = tool({ name: 'here', description: 'Writes here.', input: text, execute: () => 'written' });
    const apart = tool({ ...declared, name: 'apart', effect: 'write' });
    const loose = tool({ ...declared, name: 'loose', effect: 'write', sandbox: 'none' });
    const seen = { here: 'failed', apart: 'completed', loose: 'completed' };
    const axle = await axleWith({
      policy,
      tools: [here, apart, loose],
      sandboxes: [answering('any', allProperties, {})],
    });
    for (const [name, status] of Object.entries(seen)) {
      expect(await axle.call(name, { text: '' })).toMatchObject({ status });
    }
  });
});

describe('a tool whose body is JavaScript', () => {
  test('runs in quickjs, with all that a sandbox can hold back held back', async () => {
    const total = tool({
      name: 'total',
      description: 'Adds up numbers.',
      effect: 'read',
      input: {
        type: 'object',
        properties: { numbers: { type: 'array', items: { type: 'number' } } },
        required: ['numbers'],
      },
      run: { source: 'export default ({ numbers }) => ({ total: numbers.reduce((sum, each) => sum + each, 0) })' },
    });
    const axle = await axleWith({ tools: [total], sandboxes: [quickjs()] });
    const result = await axle.call('total', { numbers: [1, 2, 39] });
    expect(result).toMatchObject({ status: 'completed', output: { total: 42 } });
    const finished = (await entriesOf(axle, result.runId)).find(({ type }) => type === 'attempt-finished');
    expect(finished).toMatchObject({ sandbox: 'quickjs' });
  });
});

describe('a contract file with a program', () => {
  const folder = mkdtempSync(join(tmpdir(), 'axle-programs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = {
    name: 'half',
    description: 'Halves.',
    effect: 'read',
    input: { type: 'object', properties: { n: { type: 'number' } } },
  };

  test('is a tool, and runs in a sandbox', async () => {
    const run = { source: 'export default ({ n }) => n / 2' };
    writeFileSync(join(folder, 'half.json'), JSON.stringify({ ...file, run }));
    const axle = await axleWith({ tools: [contractFolder(folder)], sandboxes: [quickjs()] });
    expect(await axle.call('half', { n: 5 })).toMatchObject({ status: 'completed', output: 2.5 });
  });

  test('cannot say that it is trusted', async () => {
    writeFileSync(join(folder, 'half.json'), JSON.stringify({ ...file, run: { command: ['true'] }, sandbox: 'none' }));
    await expect(axleWith({ tools: [contractFolder(folder)] })).rejects.toThrow(
      /only a program can say that it is trusted/,
    );
  });
});

describe('the declaration of a program', () => {
  const base = { name: 'p', description: 'P.', input: { type: 'object' } as const };

  test.each([
    [
      'a sandbox for a function',
      { execute: (): number => 1, sandbox: { needs: ['files'] } },
      /sandbox must be 'none' or left out beside execute/,
    ],
    ['two bodies', { execute: (): number => 1, run: { command: ['true'] } }, /run must be left out beside execute/],
    ['an empty command', { run: { command: [] } }, /command must be a list of 1 to 200 texts/],
    ['a command that the input chooses', { run: { command: [{ input: 'text' }] } }, /the program first/],
    ['a file outside of the folder', { run: { command: ['true'], files: { '../x': '' } } }, /relative paths/],
    ['an absolute file', { run: { command: ['true'], files: { '/etc/x': '' } } }, /relative paths/],
    ['a variable of the loader', { run: { command: ['true'], environment: { LD_PRELOAD: 'x' } } }, /LD_PRELOAD/],
    ['a property that there is not', { run: { command: ['true'] }, sandbox: { needs: ['magic'] } }, /"magic" is none/],
    [
      'a limit out of range',
      { run: { command: ['true'] }, sandbox: { limits: { memory: '1B' } } },
      /memory must be bytes or a text such as '64MB'/,
    ],
    ['an unknown word', { run: { command: ['true'], shell: true } }, /there is no field shell/],
    ['source that is none', { run: { source: '' } }, /source must be JavaScript/],
  ])('is refused for %s', (_, declared, message) => {
    // A program without types may hand in anything.
    expect(() => tool({ ...base, ...declared } as unknown as Parameters<typeof tool>[0])).toThrow(message);
  });
});
