import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { root } from '../house/imports.ts';
import { type Block, fencedBlocks } from '../house/markdown.ts';

/**
 * Code blocks of the documents, made into files and run.
 *
 * C1 The blocks of one document share a folder, so that a later one can import an earlier one's file (`<!-- file: agent.ts -->`) and find
 *    what an earlier one left behind.
 * C2 When a block replaces a file, the folder's next generation begins: the older text stays where it is, so that both are type-checked,
 *    and what was left behind is carried over.
 * C3 No block escapes: `ts` is run and must print what it promises (`<!-- expect: text -->`), or says why it prints
 *    nothing (`<!-- quiet: reason -->`); `sh` is run when it says `<!-- run -->`, and
 *    otherwise each line must be a command that exists; `<!-- not-run: reason -->` is the way to say otherwise.
 *    A block that says `<!-- needs: curl -->` runs after those that do not, where the machine has that program.
 * C4 Where a document makes a project of its own (`<!-- project -->`), its programs run in the project that its `axle init` line makes, and replace files of it.
 */
export interface Program {
  readonly kind: 'ts' | 'sh';
  /** Name of the document and the line of the block. */
  readonly place: string;
  /** Folder of the generation, inside the folder of the document. */
  readonly generation: string;
  readonly file: string;
  readonly text: string;
  /** What the standard output must contain. */
  readonly expected: readonly string[];
  readonly exitCode: number;
  /** Programs that not every machine has. */
  readonly needs: readonly string[];
}

export interface DocumentPlan {
  readonly programs: readonly Program[];
  /** The line that makes the project in which the programs run, where there is one. */
  readonly project: readonly string[];
  /** Lines of `sh` blocks that are not run, with their place. */
  readonly commands: readonly { readonly place: string; readonly line: string; readonly files: readonly string[] }[];
  readonly faults: readonly string[];
}

/** Which spellings of a language would let a block escape from being run, and what to write instead. */
const otherSpellings: ReadonlyMap<string, string> = new Map([
  ['typescript', 'ts'],
  ['tsx', 'ts'],
  ['js', 'ts'],
  ['javascript', 'ts'],
  ['mjs', 'ts'],
  ['bash', 'sh'],
  ['shell', 'sh'],
  ['console', 'sh'],
  ['zsh', 'sh'],
]);

/** Reads a document and says what is to be done with each of its blocks. Pure. */
export function planDocument(name: string, document: string): DocumentPlan {
  const programs: Program[] = [];
  const project: string[] = [];
  const commands: { place: string; line: string; files: readonly string[] }[] = [];
  const faults: string[] = [];
  let generation = 0;
  let files = new Map<string, string>();
  for (const block of fencedBlocks(document)) {
    const place = `${name}:${block.line}`;
    const spelling = otherSpellings.get(block.language);
    if (spelling !== undefined) faults.push(`${place}: write \`${spelling}\` instead of \`${block.language}\``);
    if (block.language !== 'ts' && block.language !== 'sh') continue;
    const reason = noteOf(block, 'not-run');
    if (reason !== undefined) {
      if (reason === '') faults.push(`${place}: not-run without a reason`);
      continue;
    }
    const runs = block.language === 'ts' || noteOf(block, 'run') !== undefined;
    const expected = block.notes.filter((note) => note.key === 'expect').map((note) => note.value);
    if (!runs) {
      const lines = block.text.split('\n').map((line) => line.trim());
      for (const line of lines) commands.push({ place, line, files: [...files.keys()] });
      if (noteOf(block, 'project') !== undefined) {
        project.push(...lines.filter((line) => initLine.test(line)));
      }
      continue;
    }
    const quiet = noteOf(block, 'quiet') ?? '';
    if (block.language === 'ts' && quiet === '' && expected.every((text) => text === '')) {
      faults.push(`${place}: a ts block needs <!-- expect: text --> above it, naming text that it prints`);
    }
    const file = noteOf(block, 'file') ?? `block-${block.line}.${block.language}`;
    const before = files.get(file);
    if (before !== undefined && before !== block.text) {
      generation += 1;
      files = new Map(files);
    }
    files.set(file, block.text);
    programs.push({
      kind: block.language,
      place,
      generation: String(generation),
      file,
      text: block.text,
      expected,
      exitCode: Number(noteOf(block, 'exit') ?? 0),
      needs: noteOf(block, 'needs')?.split(/\s+/) ?? [],
    });
  }
  return { programs, project, commands, faults };
}

/** Writes the files of a document; what a generation does not replace it takes from the one before. */
export function writeDocument(folder: string, plan: DocumentPlan): void {
  let current = '';
  for (const program of plan.programs) {
    const target = join(folder, program.generation);
    if (program.generation !== current) {
      if (current !== '') cpSync(join(folder, current), target, { recursive: true });
      mkdirSync(target, { recursive: true });
      current = program.generation;
    }
    writeFileSync(join(target, program.file), program.text);
  }
}

/** Which of these programs this machine has not. */
export function missingPrograms(names: readonly string[]): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}

/** Runs the programs of a document one after another and says what went wrong, one text each. */
export async function runDocument(folder: string, plan: DocumentPlan): Promise<readonly string[]> {
  const faults: string[] = [];
  let current = '';
  const [first] = plan.programs;
  if (first !== undefined && plan.project.length > 0) await makeProject(join(folder, first.generation), plan.project);
  for (const program of plan.programs) {
    const cwd = join(folder, program.generation);
    if (current !== '' && program.generation !== current) {
      cpSync(join(folder, current), cwd, { recursive: true, force: false });
    }
    current = program.generation;
    const words = program.kind === 'ts' ? ['node', program.file] : ['sh', '-eu', program.file];
    const result = await run(words, cwd, 60_000);
    const missing = program.expected.filter((text) => !result.output.includes(text));
    if (result.exitCode !== program.exitCode || missing.length > 0) {
      const wanted = missing.map((text) => `, without printing "${text}"`).join('');
      faults.push(`${program.place} ended with ${result.exitCode}${wanted}\n${result.output}${result.errors}`);
    }
  }
  return faults;
}

/** A project as somebody makes it who follows the document; what it would install is linked, and what the document replaces is there already. (C4) */
async function makeProject(folder: string, lines: readonly string[]): Promise<void> {
  const made = `${folder}-project`;
  rmSync(made, { recursive: true, force: true });
  for (const line of lines) {
    const words = [join(root, 'src/cli/main.ts'), 'init', made, '--axle', root];
    const result = await run(['node', ...words], root, 60_000);
    if (result.exitCode !== 0) throw new Error(`${line} ended with ${result.exitCode}\n${result.errors}`);
  }
  cpSync(made, folder, { recursive: true, force: false });
  rmSync(made, { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/axle'), 'dir');
}

const initLine = /^npm run (?:-s )?axle -- init \S+$/;

/** Type-checks every file below a folder of the repository under the repository's own settings; the compiler's words when something is wrong. */
export async function typeCheck(folder: string): Promise<string> {
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { noUnusedLocals: false, noPropertyAccessFromIndexSignature: false },
    include: ['**/*.ts'],
    exclude: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const result = await run(['tsc', '-p', 'tsconfig.json'], folder, 60_000);
  return result.exitCode === 0 ? '' : `${result.output}${result.errors}`;
}

/** What a line of a `sh` block that is not run names that does not exist; undefined when all is well. */
export async function commandFault(
  { line, files }: { readonly line: string; readonly files: readonly string[] },
  scripts: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const words = line.split(/\s+/);
  // Settings for one command may stand before it.
  while (/^[A-Z_]+=/.test(words[0] ?? '')) words.shift();
  const [command = '', first = '', ...rest] = words;
  switch (command) {
    case '':
    case '#':
    case 'cd':
    case 'export':
    case 'git':
    case 'mkdir':
      return undefined;
    case 'npm': {
      if (['install', 'i', 'ci', 'pack', 'init', 'pkg'].includes(first)) return undefined;
      const script = first === 'run' ? rest.find((word) => !word.startsWith('-')) : first;
      return script !== undefined && Object.hasOwn(scripts, script) ? undefined : `there is no script "${script}"`;
    }
    case 'npx': {
      if (first !== 'axle') return `npx of ${first}`;
      const subcommand = rest.find((word) => !word.startsWith('-'));
      const asked = subcommand === undefined ? ['--help'] : [subcommand, '--help'];
      const result = await run(['npx', 'axle', ...asked], root, 20_000);
      return result.exitCode === 0 ? undefined : `"axle ${asked.join(' ')}" ended with ${result.exitCode}`;
    }
    case 'node': {
      const file = [first, ...rest].find((word) => !word.startsWith('-')) ?? '';
      return files.includes(file) || existsSync(join(root, file)) ? undefined : `there is no ${file}`;
    }
    default:
      return command.startsWith('#') ? undefined : `"${command}" is not known here`;
  }
}

interface Result {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command as somebody would who has installed the package: `axle` is the source, and no real model can be reached. */
async function run(words: readonly string[], cwd: string, limitMs: number): Promise<Result> {
  const [command = '', ...rest] = words;
  const { OPENAI_API_KEY: _a, ANTHROPIC_API_KEY: _b, AXLE_MODEL: _c, NODE_OPTIONS: _d, ...inherited } = process.env;
  const child = spawn(command, rest, {
    cwd,
    // A group of its own, so that the time limit ends what the program has started as well.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...inherited,
      // As a shell sets it: a document may speak of the folder that it is in.
      PWD: cwd,
      NODE_OPTIONS: '--conditions=axle-source',
      NO_COLOR: '1',
      PATH: [shims(), join(root, 'node_modules/.bin'), inherited['PATH']].join(delimiter),
    },
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const timer = setTimeout(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, limitMs);
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? -1));
  });
  clearTimeout(timer);
  const textOf = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString('utf8');
  return { exitCode, output: textOf(output), errors: textOf(errors) };
}

/** A folder with an `npx` that knows `axle` without its being installed, and what the repository has installed. */
function shims(): string {
  const folder = join(root, '.scratch/shims');
  const npx = join(folder, 'npx');
  const text = [
    '#!/bin/sh',
    'case "$1" in @modelcontextprotocol/*) program="mcp-${1#@modelcontextprotocol/}"; shift; exec "$program" "$@" ;; esac',
    '[ "$1" = axle ] || { echo "npx $1 is not for documents" >&2; exit 127; }',
    'shift',
    `exec node '${join(root, 'src/cli/main.ts')}' "$@"`,
    '',
  ].join('\n');
  if (!existsSync(npx) || readFileSync(npx, 'utf8') !== text) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(npx, text);
    chmodSync(npx, 0o755);
  }
  return folder;
}

function noteOf(block: Block, key: string): string | undefined {
  return block.notes.find((note) => note.key === key)?.value;
}
