// `npm run check`: everything that can be judged without running Axle, plus the tests that hold the documents to the code.
// One short line a stage; what a failed stage said follows its line. `npm run check -- lint unused` runs the named stages only.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

interface Stage {
  readonly name: string;
  /** What the stage holds, in a few words. */
  readonly about: string;
  readonly run: () => Promise<Finding>;
}

interface Finding {
  readonly ok: boolean;
  readonly output: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = join(root, '.scratch');

/** Runs a command of node_modules/.bin (or any on the path) and keeps what it said. */
function command(name: string, ...words: readonly string[]): Promise<Finding> {
  return new Promise((resolve) => {
    const child = spawn(name, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: environment });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ ok: false, output: String(error) }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

const environment = {
  ...process.env,
  PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
  NO_COLOR: '1',
};

/** Node and the browser know different globals, so what is for browsers has programs of its own. */
async function typesStage(): Promise<Finding> {
  const programs = ['tsconfig.json', 'debugger/tsconfig.json'];
  const findings = await Promise.all(programs.map((program) => command('tsc', '--noEmit', '-p', program)));
  return { ok: findings.every((each) => each.ok), output: findings.map((each) => each.output).join('') };
}

/** Packs the build and lets two package linters read the tarball that a user would get. */
async function packageStage(): Promise<Finding> {
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'package-'));
  try {
    const packed = await command('npm', 'pack', '--ignore-scripts', '--pack-destination', folder);
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
    if (!packed.ok || tarball === undefined) return { ok: false, output: packed.output };
    const path = join(folder, tarball);
    const findings = await Promise.all([
      command('publint', 'run', path, '--strict'),
      command('attw', path, '--profile', 'esm-only', '--format', 'ascii'),
    ]);
    return { ok: findings.every((each) => each.ok), output: findings.map((each) => each.output).join('\n') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const stages: readonly Stage[] = [
  { name: 'types', about: 'TypeScript, everything', run: typesStage },
  { name: 'lint', about: 'oxlint: types, cycles, bans of the core', run: () => command('oxlint') },
  { name: 'format', about: 'oxfmt', run: () => command('oxfmt', '--check') },
  { name: 'unused', about: 'knip: files, exports, dependencies', run: () => command('knip', '--no-progress') },
  { name: 'build', about: 'src and debugger to dist', run: () => command('node', 'scripts/build.ts') },
  { name: 'package', about: 'publint and attw on the tarball', run: packageStage },
  {
    name: 'documents',
    about: 'layers, codes, events, requirements, code blocks',
    run: () => command('vitest', 'run', 'test/house', 'test/docs'),
  },
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !stages.some((stage) => stage.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `No such stage: ${unknown.join(', ')}. Stages: ${stages.map((stage) => stage.name).join(', ')}.\n`,
  );
  process.exit(2);
}

let failed = 0;
const chosen = wanted.length === 0 ? stages : stages.filter((stage) => wanted.includes(stage.name));
for (const stage of chosen) {
  const startedMs = performance.now();
  const finding = await stage.run();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const verdict = finding.ok ? 'ok    ' : 'FAILED';
  process.stdout.write(`${verdict} ${stage.name.padEnd(10)} ${stage.about} (${seconds} s)\n`);
  if (!finding.ok) {
    failed += 1;
    process.stdout.write(`${finding.output.trimEnd()}\n\n`);
  }
}
process.stdout.write(
  failed === 0 ? `check: all ${chosen.length} stages passed\n` : `check: ${failed} of ${chosen.length} stages failed\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
