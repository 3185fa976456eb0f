// Builds src/ into dist/ and debugger/ into dist/debugger/. The new build replaces the old one only when it is whole, so that a failed build leaves nothing half done
// and a deleted source leaves nothing behind.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = join(root, '.scratch');
mkdirSync(scratch, { recursive: true });
const work = mkdtempSync(join(scratch, 'build-'));
try {
  const status =
    run('tsc', '-p', 'tsconfig.build.json', '--outDir', join(work, 'dist')) ||
    run(
      'vite',
      'build',
      '--config',
      'debugger/vite.config.ts',
      '--outDir',
      join(work, 'dist/debugger'),
      '--logLevel',
      'warn',
    );
  if (status !== 0) {
    process.exitCode = status;
  } else {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    renameSync(join(work, 'dist'), join(root, 'dist'));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Runs a command of node_modules/.bin and gives its exit code. */
function run(name: string, ...words: readonly string[]): number {
  const command = join(root, 'node_modules/.bin', name);
  const { status } = spawnSync(command, words, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  return status ?? 1;
}
