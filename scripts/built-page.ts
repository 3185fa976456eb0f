// The page of the debugger as the sources make it, for whoever serves it from a checkout: the main job, tests, benches.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Milliseconds that a build may take, on the slowest of machines. */
const limitMs = 300_000;

/** The folder of the built page. Built once for each state of the sources, whoever asks first; `onBuild` is told when it is. */
export async function builtPage(onBuild: () => void = () => {}): Promise<string> {
  const sources = globSync(['debugger/**/*.{ts,tsx,css,html,svg,json}', 'src/trace/**/*.ts', 'src/server/wire.ts'], {
    cwd: root,
  })
    .filter((path) => !path.includes('node_modules'))
    .sort();
  const stamp = createHash('sha256');
  for (const path of sources) stamp.update(`${path} ${statSync(join(root, path)).mtimeMs}\n`);
  const scratch = join(root, '.scratch');
  const folder = join(scratch, `page-${stamp.digest('hex').slice(0, 16)}`);
  if (existsSync(join(folder, 'index.html'))) return folder;
  onBuild();
  mkdirSync(scratch, { recursive: true });
  const work = mkdtempSync(join(scratch, 'page-work-'));
  const words = ['build', '--config', 'debugger/vite.config.ts', '--outDir', work, '--logLevel', 'warn'];
  // The NODE_ENV of tests would make a build for development.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(join(root, 'node_modules/.bin/vite'), words, { cwd: root, env, timeout: limitMs });
  for (const old of globSync('page-????????????????', { cwd: scratch })) {
    // The same page may stand there already, built at the same time, and be served.
    if (join(scratch, old) !== folder) rmSync(join(scratch, old), { recursive: true, force: true });
  }
  try {
    renameSync(work, folder);
  } catch {
    // Somebody else was first.
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}
