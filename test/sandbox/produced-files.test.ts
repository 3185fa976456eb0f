/** Files into a job and out of it (T17), in every place where commands run. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAxle, tool } from '../../src/axle.ts';
import { collected } from '../../src/execute/sandbox/collect-files.ts';
import { bubblewrap, docker, type SandboxDriver, subprocess } from '../../src/sandbox.ts';
import { archive } from '../../src/sandbox/docker/tar-archive.ts';
import { cannotRun, proofOf } from './available.ts';

type Run = Extract<Parameters<typeof tool>[0], { readonly run: unknown }>['run'];

interface Settings {
  readonly produces: unknown;
  readonly files?: unknown;
  readonly output?: number;
  readonly stdout?: 'json' | 'text';
}

describe.each([
  ['subprocess', subprocess],
  ['bubblewrap', bubblewrap],
  ['docker', docker],
] as const)('a program in %s that leaves files', (_, make) => {
  let driver: SandboxDriver;
  let isUsable = false;
  beforeAll(async () => {
    driver = make();
    isUsable = (await proofOf(driver, false)) !== undefined;
  }, 60_000);
  beforeEach(({ skip }) => skip(!isUsable, cannotRun(driver)));
  afterAll(() => driver.close());

  /** What a call of a shell script comes to. */
  const call = async (script: string, settings: Settings, input: object = {}): Promise<unknown> => {
    const { output, stdout = 'text', ...more } = settings;
    const leave = tool({
      name: 'leave',
      description: 'Leaves files.',
      effect: 'read',
      input: { type: 'object' },
      sandbox: { needs: [], ...(output === undefined ? {} : { limits: { output } }) },
      // The settings of a test are plain data, as in a file.
      run: { command: ['sh', '-c', script], stdout, ...more } as Run,
    });
    await using axle = await createAxle({
      store: ':memory:',
      log: () => undefined,
      tools: [leave],
      sandboxes: [{ ...driver, close: async () => undefined }],
      aliases: { orders_db: 'orders_prod' },
    });
    const result = await axle.call('leave', input);
    return result.status === 'completed' ? result.output : result.status === 'failed' ? result.failure : result;
  };

  test('hands them over as text or base64, beside what it wrote, each in its folder and by its whole name', async () => {
    const script =
      'echo done; mkdir -p parts; echo one > parts/1.csv; echo "a b" > "parts/2 b.csv"; echo no > parts/3.txt; printf "\\377\\000x" > bin.dat; echo x > -dash.txt';
    expect(await call(script, { produces: ['bin.dat', 'parts/?*.csv'] })).toEqual({
      output: 'done',
      files: [
        { path: 'bin.dat', sizeBytes: 3, base64: Buffer.from([0xff, 0, 0x78]).toString('base64') },
        { path: 'parts/1.csv', sizeBytes: 4, text: 'one\n' },
        { path: 'parts/2 b.csv', sizeBytes: 4, text: 'a b\n' },
      ],
    });
  });

  test('gets them from its input, text and bytes', async () => {
    const settings = {
      files: { 'in/a.txt': { input: 'text' }, 'in/b.bin': { input: 'bytes', encoding: 'base64' } },
      produces: ['out.txt'],
    };
    const bytes = Buffer.from([1, 0, 255]).toString('base64');
    expect(
      await call('wc -c < in/b.bin > out.txt; cat in/a.txt >> out.txt', settings, { text: 'ä', bytes }),
    ).toMatchObject({
      files: [{ text: expect.stringMatching(/^\s*3\nä$/) }],
    });
    expect(await call('true', settings, { text: 'ä', bytes: 'no base64!' })).toMatchObject({
      code: 'arguments-invalid',
    });
  }, 60_000);

  test('is not believed about links, pipes and folders that are links', async () => {
    const secret = '/etc/shadow';
    for (const [script, path] of [
      [`ln -s ${secret} out.txt`, 'out.txt'],
      ['ln -s / root', 'root/etc/passwd'],
      ['mkdir a; ln -s /etc a/b', 'a/b/passwd'],
      ['ln -s /proc/self/environ out.txt', 'out.txt'],
      ['mkfifo out.txt', 'out.txt'],
      ['echo x > a.txt; ln a.txt out.txt; rm a.txt; ln out.txt b.txt', '*.txt'],
    ] as const) {
      const told = await call(script, { produces: [path] });
      expect([script, told]).toMatchObject([script, { code: 'program-file-refused' }]);
      expect(JSON.stringify(told)).not.toMatch(/root:|PATH=/);
    }
  }, 60_000);

  test('is told which one is missing, and in a failure nothing is taken', async () => {
    expect(await call('echo x > a.txt', { produces: ['a.txt', 'b/*.txt'] })).toMatchObject({
      code: 'program-file-missing',
      message: 'leave ended well and left no file b/*.txt.',
      evidence: 'possible',
    });
    expect(await call('mkdir a.txt', { produces: ['a.txt'] })).toMatchObject({ code: 'program-file-missing' });
    expect(await call('echo x > a.txt; echo why >&2; exit 3', { produces: ['a.txt'] })).toMatchObject({
      code: 'tool-failed',
      message: 'leave ended with code 3. It said: why',
    });
  }, 60_000);

  test('has a limit on their number, on their size, and on what it writes beside them', async () => {
    const many = 'for n in 1 2 3; do head -c 400 /dev/zero | tr "\\0" a > $n.txt; done';
    const code = 'sandbox-limit-exceeded';
    expect(await call(many, { produces: { paths: ['*.txt'], count: 2 } })).toMatchObject({ code });
    expect(await call(many, { produces: { paths: ['*.txt'], size: 1_000 } })).toMatchObject({ code });
    expect(await call(many, { produces: { paths: ['*.txt'], size: 1_200, count: 3 } })).toMatchObject({
      files: [{ path: '1.txt' }, { path: '2.txt' }, { path: '3.txt' }],
    });
    const large = 'head -c 3000000 /dev/zero > a.txt';
    expect(await call(large, { produces: ['a.txt'] })).toMatchObject({
      code,
      message: expect.stringContaining('in them'),
    });
    const loud = 'echo x > a.txt; head -c 5000 /dev/zero | tr "\\0" a';
    expect(await call(loud, { produces: ['a.txt'], output: 4_000 })).toMatchObject({
      code,
      message: expect.stringContaining('4000 bytes'),
    });
  }, 60_000);

  test('gives no real value of an alias away in them', async () => {
    expect(await call('echo in orders_prod > a.txt', { produces: ['a.txt'] })).toMatchObject({
      files: [{ text: 'in orders_db\n' }],
    });
    expect(await call('printf "\\000orders_prod" > a.txt', { produces: ['a.txt'] })).toMatchObject({
      code: 'program-file-refused',
    });
  }, 60_000);

  test('may write the mark and an archive of its own, and gains nothing by it', async () => {
    // The script that packs stands among the arguments of its parent.
    const script =
      'echo x > a.txt; m=$(tr "\\0" "\\n" < /proc/$PPID/cmdline | sed -n "s/^printf %s \\(axle-files-.*\\)/\\1/p"); printf %s $m';
    expect(await call(script, { produces: ['a.txt'] })).toMatchObject({
      code: expect.stringMatching(/^program-file-/),
    });
  }, 60_000);
});

describe('an archive that nobody vouches for', () => {
  const produces = { paths: ['a.txt', 'd/*'], maxCount: 10, maxBytes: 100 };
  const packed = (...entries: Parameters<typeof archive>[0]): Buffer =>
    Buffer.concat([...archive(entries, (path) => Buffer.from(path))]);

  test('is read as far as it is one', () => {
    const good = packed({ path: './a.txt', from: 'content' }, { path: './d/' }, { path: './d/x', from: 'y' });
    expect(collected(good.toString('base64'), produces)).toMatchObject({
      kind: 'files',
      files: [{ path: 'a.txt' }, { path: 'd/x' }],
    });
    for (let length = 1; length < 1_536; length += 97) {
      expect(collected(good.subarray(0, length).toString('base64'), produces).kind).toBe('unreadable');
    }
    const bent = Buffer.from(good);
    bent[0] = 65;
    expect(collected(bent.toString('base64'), produces)).toEqual({ kind: 'unreadable' });
    expect(collected('', produces)).toEqual({ kind: 'missing', path: 'a.txt' });
  });

  test('names no file that was not asked for', () => {
    const stray = packed(
      { path: '../a.txt', from: 'x' },
      { path: '/etc/a.txt', from: 'x' },
      { path: 'd/' },
      { path: 'd/e/f', from: 'x' },
    );
    expect(collected(stray.toString('base64'), produces)).toEqual({ kind: 'missing', path: 'a.txt' });
    const below = packed({ path: 'd/x', from: 'x' });
    expect(collected(below.toString('base64'), produces)).toMatchObject({ kind: 'refused', path: 'd/x' });
  });
});

describe('files that a program leaves', () => {
  test.each([
    ['a path that leads out', ['../a']],
    ['an absolute path', ['/etc/passwd']],
    ['a path for a shell', ['$(id)']],
    ['no path', []],
    ['too much', { paths: ['a'], size: '2MB' }],
    ['a field that is none', { paths: ['a'], most: 2 }],
  ])('are declared, and %s is refused', (_, produces) => {
    // What a program without types may hand in.
    const run = { command: ['true'], produces } as Run;
    expect(() => tool({ name: 'n', description: 'N.', input: { type: 'object' }, run })).toThrow(
      expect.objectContaining({ code: 'contract-invalid' }),
    );
  });

  test('are nothing that JavaScript in an engine could leave, which is said', () => {
    const run = { source: 'export default () => 1', produces: ['a'] } as Run;
    expect(() => tool({ name: 'n', description: 'N.', input: { type: 'object' }, run })).toThrow(/no field produces/);
  });
});
