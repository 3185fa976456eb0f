/** A project as `axle init` makes it: run, tested, compiled and changed under the eyes of `axle dev`, with the packages that are here. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { axleSource } from '../../src/cli/init/axle-source.ts';
import { writeProject } from '../../src/cli/init/new-project.ts';
import { packageName } from '../../src/cli/init/project-manifest.ts';
import { root } from '../house/imports.ts';
import { Folder } from './command.ts';

const limits = { timeout: 60_000 };

interface Made {
  readonly folder: string;
  readonly files: readonly string[];
  readonly axle: string;
  readonly next: readonly string[];
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'axle-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Makes a project in a folder, and puts the packages there that it asks for: those of this repository. */
async function makeProject(folder: Folder): Promise<string> {
  const { code, value } = await folder.json('init', 'my notes', '--axle', root);
  expect(code).toBe(0);
  const project = (value as Made).folder;
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/axle'), 'dir');
  return project;
}

/** Runs a program of `node_modules/.bin` in a project; throws with all it said when it fails. */
async function run(project: string, program: string, ...words: readonly string[]): Promise<string> {
  const env = {
    PATH: [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
    NODE_OPTIONS: '--conditions=axle-source',
  };
  return (await promisify(execFile)(program, [...words], { cwd: project, env, timeout: 50_000 })).stdout;
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_600; tries += 1) {
    if (await holds()) return;
    await sleep(25);
  }
  throw new Error('It never came to that.');
}

function notesOf(project: string): readonly string[] {
  const notes = join(project, 'notes');
  return existsSync(notes) ? readdirSync(notes).map((name) => readFileSync(join(notes, name), 'utf8')) : [];
}

describe('a project that axle init made', () => {
  test('runs as it is, passes its test and is sound for the compiler', limits, async () => {
    const folder = new Folder('');
    const project = await makeProject(folder);
    const manifest: unknown = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    expect(readFileSync(join(project, 'README.md'), 'utf8')).toContain('`npm install ../../..` takes it in');
    expect(manifest).toMatchObject({ name: 'my-notes', type: 'module', dependencies: { axle: 'file:../../..' } });
    const words = ['run', 'keeper', '--input', 'Remember to buy milk tomorrow.'];
    const ended = await folder.startIn(project, ...words).ended;
    expect(ended).toMatchObject({ code: 0, stdout: 'I have saved your note.\n' });
    expect(notesOf(project)).toEqual(['Remember to buy milk tomorrow.\nDue in 1 day(s).\n']);
    const [tested] = await Promise.all([
      run(project, 'node', '--test'),
      run(project, 'tsc', '--customConditions', 'axle-source'),
    ]);
    expect(tested).toContain('pass 1');
  });

  test('takes a changed tool in while axle dev runs', limits, async () => {
    const folder = new Folder('');
    const project = await makeProject(folder);
    const server = folder.startIn(project, 'dev', '--port', '0', '--json');
    await server.says('"url"');
    await server.says('\n');
    const url = /"url":"([^"]+)"/.exec(server.printed())?.[1] ?? '';
    const description = async (): Promise<string | undefined> => {
      const tools = (await (await fetch(`${url}/v1/tools`)).json()) as { items: { description: string }[] };
      return tools.items[0]?.description;
    };
    expect(await description()).toContain('Saves a note.');
    const file = join(project, 'save-note.ts');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('Saves a note.', 'Keeps a note.').replace('Due in', 'To be done in'));
    await until(async () => (await description())?.includes('Keeps a note.') === true);
    await server.says('Loaded anew in');
    const response = await fetch(`${url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'first' },
      body: JSON.stringify({ agent: 'keeper', input: 'Buy milk.' }),
    });
    const { runId } = (await response.json()) as { readonly runId: string };
    expect(await (await fetch(`${url}/v1/runs/${runId}/result?wait=20`)).json()).toMatchObject({ status: 'completed' });
    expect(notesOf(project)).toEqual(['Buy milk.\nTo be done in 1 day(s).\n']);
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  test('asks a real model where the environment has a key, and says what a wrong name should be', limits, async () => {
    const folder = new Folder('');
    const project = await makeProject(folder);
    const ask = `import { chooseModel } from './model.ts'; const { provider, modelId, id } = await chooseModel(); console.log(provider ?? id, modelId ?? '');`;
    const modelFor = async (variables: string): Promise<string> =>
      run(project, 'sh', '-c', `${variables} exec node --input-type=module --eval "$0"`, ask);
    expect(await modelFor('')).toContain('script/one');
    expect(await modelFor('OPENAI_API_KEY=k')).toMatch(/^openai\S* gpt-5\n$/);
    expect(await modelFor('ANTHROPIC_API_KEY=k')).toMatch(/^anthropic\S* claude-sonnet-4-5\n$/);
    expect(await modelFor('OPENAI_API_KEY=k AXLE_MODEL=anthropic/some-model')).toMatch(/^anthropic\S* some-model\n$/);
    await expect(modelFor('AXLE_MODEL=gpt-5')).rejects.toThrow('AXLE_MODEL is gpt-5; write openai/<model>');
  });
});

describe('axle init', () => {
  test('says what to do next, the same as the README of the project', limits, async () => {
    const folder = new Folder('');
    const { stdout, code } = await folder.axle('init', 'a', '--axle', '0.1.0');
    expect(code).toBe(0);
    const next =
      stdout
        .split('Go on with:\n')[1]
        ?.trimEnd()
        .split('\n')
        .map((line) => line.trim()) ?? [];
    expect(next.slice(0, 2)).toEqual(['cd a', 'npm install']);
    const readme = readFileSync(join(folder.path, 'a/README.md'), 'utf8');
    for (const line of next.slice(1)) expect(readme.replaceAll('"', "'")).toContain(line);
    expect(readme).not.toContain('takes it in');
  });

  test('is asked nothing and writes nothing where a file is that it would make, and names it', limits, async () => {
    const folder = new Folder('');
    mkdirSync(join(folder.path, 'a'));
    folder.write('a/package.json', '{}');
    folder.write('a/model.ts', 'mine');
    folder.write('a/README.md', 'mine too');
    const { code, value } = await folder.json('init', 'a', '--axle', '0.1.0');
    expect(code).toBe(1);
    expect(value).toMatchObject({ error: { code: 'folder-taken', details: { files: ['model.ts', 'README.md'] } } });
    expect(readdirSync(join(folder.path, 'a')).sort()).toEqual(['README.md', 'model.ts', 'package.json']);
    expect(readFileSync(join(folder.path, 'a/model.ts'), 'utf8')).toBe('mine');
  });

  test('leaves a folder alone that holds something else', limits, async () => {
    const folder = new Folder('');
    folder.write('letter.txt', 'dear');
    const { code, value } = await folder.json('init', '--axle', '0.1.0');
    expect(code).toBe(1);
    expect(value).toMatchObject({ error: { code: 'folder-taken', details: { files: ['bin', 'letter.txt'] } } });
    expect((await folder.axle('init', 'letter.txt')).code).toBe(2);
    expect(readdirSync(folder.path).sort()).toEqual(['bin', 'letter.txt']);
  });

  test('joins a package, whose package.json stays as it is, and says what it lacks', limits, async () => {
    const folder = new Folder('');
    folder.write('package.json', '{"name":"mine","dependencies":{"zod":"4.6.7"}}');
    const { value } = await folder.json('init', '--axle', '0.1.0');
    const { files, next } = value as Made;
    expect(files).toContain('axle.config.ts');
    expect(files).not.toContain('package.json');
    expect(readFileSync(join(folder.path, 'package.json'), 'utf8')).toBe(
      '{"name":"mine","dependencies":{"zod":"4.6.7"}}',
    );
    expect(next[0]).toBe('npm pkg set type=module');
    expect(next[1]).toMatch(/^npm install --save-exact axle@0\.1\.0 hono@/);
    expect(next[1]).not.toContain('zod');
    expect(next[2]).toMatch(/^npm install --save-dev --save-exact .*node@24/);
  });

  test('takes its own files away again when one of them appears while they are written', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'b.ts'), 'mine');
    const files = new Map([
      ['a.ts', 'a'],
      ['b.ts', 'b'],
    ]);
    expect(() => writeProject(folder, files)).toThrow(expect.objectContaining({ code: 'folder-taken' }));
    expect(readdirSync(folder)).toEqual(['b.ts']);
    expect(readFileSync(join(folder, 'b.ts'), 'utf8')).toBe('mine');
  });

  test.each([
    ['My Notes', 'my-notes'],
    ['.hidden', 'hidden'],
    ['笔记', 'axle-project'],
    ['axle', 'axle-project'],
    ['zod', 'zod-project'],
    ['...', 'axle-project'],
  ])('calls the package of the folder %s %s', (folder, name) => {
    expect(packageName(folder)).toBe(name);
  });
});

describe('a project gets Axle', () => {
  /** A checkout with one source file. */
  function checkout(): string {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'package.json'), '{"name":"axle","version":"1.2.3","files":["src"]}');
    writeFileSync(join(folder, 'src/a.ts'), 'export {};\n');
    return folder;
  }

  test(
    'from a checkout as a tarball, which is packed when there is none and when the sources are newer',
    limits,
    async () => {
      const folder = checkout();
      const path = join(folder, 'axle-1.2.3.tgz');
      let packed = 0;
      const source = (): ReturnType<typeof axleSource> => axleSource(folder, () => (packed += 1));
      expect(await source()).toEqual({ kind: 'path', path });
      expect(existsSync(path)).toBe(true);
      await source();
      expect(packed).toBe(1);
      const later = new Date(Date.now() + 60_000);
      utimesSync(join(folder, 'src/a.ts'), later, later);
      await source();
      expect(packed).toBe(2);
    },
  );

  test('from a checkout that cannot be packed not at all, and is told so', limits, async () => {
    const folder = checkout();
    writeFileSync(join(folder, 'package.json'), '{"name":"axle","version":"1.2.3","scripts":{"prepack":"exit 3"}}');
    await expect(axleSource(folder, () => {})).rejects.toMatchObject({ code: 'package-not-made' });
  });

  test.each([
    ['the tarball that it was installed from', { resolved: 'file:../axle.tgz' }, { kind: 'path', path: '../axle.tgz' }],
    [
      'its folder where that tarball is gone',
      { resolved: 'file:../none.tgz' },
      { kind: 'path', path: 'node_modules/axle' },
    ],
    [
      'the version that a registry has',
      { resolved: 'https://r.example/axle.tgz', version: '1.2.3' },
      { kind: 'version', version: '1.2.3' },
    ],
    ['its folder where nobody says more', undefined, { kind: 'path', path: 'node_modules/axle' }],
  ])('from %s', async (_, entry, expected) => {
    const user = join(temporaryFolder(), 'user');
    const own = join(user, 'node_modules/axle');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'package.json'), '{"name":"axle","version":"1.2.3"}');
    writeFileSync(join(dirname(user), 'axle.tgz'), '');
    if (entry !== undefined) {
      const lock = { packages: { 'node_modules/axle': entry } };
      writeFileSync(join(user, 'node_modules/.package-lock.json'), JSON.stringify(lock));
    }
    const found = await axleSource(own, () => expect.unreachable());
    const path = 'path' in expected ? { path: join(user, expected.path) } : {};
    expect(found).toEqual({ ...expected, ...path });
  });
});
