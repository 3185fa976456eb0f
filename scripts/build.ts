// Builds src/ into dist/. The new build replaces the old one only when it is whole, so that a failed build leaves nothing half done
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
  const compiler = join(root, 'node_modules/.bin/tsc');
  const built = spawnSync(compiler, ['-p', 'tsconfig.build.json', '--outDir', join(work, 'dist')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (built.status !== 0) {
    process.exitCode = built.status ?? 1;
  } else {
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    renameSync(join(work, 'dist'), join(root, 'dist'));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
