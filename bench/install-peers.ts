/** Installs the other loops from their own lock file, once. They are no dependency of anything else here. */
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./peers/', import.meta.url));

/** Undefined when the peers are there; else why they are not. */
export async function installPeers(tell: (line: string) => void): Promise<string | undefined> {
  const installed = `${folder}node_modules/.package-lock.json`;
  const lockedMs = statSync(`${folder}package-lock.json`).mtimeMs;
  if (existsSync(installed) && statSync(installed).mtimeMs >= lockedMs) return undefined;
  tell('Installing the loops to compare with (bench/peers, about 110 MB) ...');
  // None of them needs an install script: better-sqlite3 13 brings its binaries along.
  const { code, said } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
  return code === 0 ? undefined : `npm ci in bench/peers failed: ${said.trim().split('\n').at(-1) ?? ''}`;
}

function run(command: string, words: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: 10 * 60_000 });
    let said = '';
    const hear = (part: Buffer): void => {
      said = `${said}${part.toString()}`.slice(-4_000);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', (error) => resolve({ code: 1, said: error.message }));
    child.once('close', (code) => resolve({ code: code ?? 1, said }));
  });
}
