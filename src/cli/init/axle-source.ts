/**
 * Where a new project gets Axle from: what its `package.json` says for `axle`.
 *
 *   a checkout  ──► the tarball that `npm pack` makes of it, made now when there is none or the sources are newer
 *   installed   ──► what it was installed from: its tarball while that is there, its version where a registry has it, else the folder that it was installed in
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';

export type AxleSource =
  | { readonly kind: 'version'; readonly version: string }
  /** A tarball or a folder. */
  | { readonly kind: 'path'; readonly path: string };

/** Milliseconds that packing may take, on the slowest of machines. */
const packLimitMs = 300_000;

/** `root` is the folder of the package of Axle; `onPack` is told before a tarball is made. @throws AxleError `package-not-made` */
export async function axleSource(root: string, onPack: () => void): Promise<AxleSource> {
  const own: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const version = isRecord(own) && typeof own['version'] === 'string' ? own['version'] : '';
  if (!existsSync(join(root, 'src'))) return installedFrom(root);
  const path = join(root, `axle-${version}.tgz`);
  if (!existsSync(path) || statSync(path).mtimeMs < newestOf(root)) {
    onPack();
    await pack(root);
  }
  return { kind: 'path', path };
}

/** Milliseconds since 1970. */
function newestOf(root: string): number {
  const sources = ['src', 'debugger/src'].filter((folder) => existsSync(join(root, folder)));
  const files = sources.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((found) => found.isFile())
      .map((found) => join(found.parentPath, found.name)),
  );
  return Math.max(...[join(root, 'package.json'), ...files].map((file) => statSync(file).mtimeMs));
}

async function pack(root: string): Promise<void> {
  const npm = process.env['npm_execpath'];
  const words = ['pack', '--silent'];
  const options = { cwd: root, timeout: packLimitMs };
  try {
    await (npm === undefined
      ? promisify(execFile)('npm', words, options)
      : promisify(execFile)(process.execPath, [npm, ...words], options));
  } catch (cause) {
    throw new AxleError('package-not-made', `\`npm pack\` did not end well in ${root}: ${messageOf(cause)}`, { cause });
  }
}

function installedFrom(root: string): AxleSource {
  const modules = dirname(root);
  try {
    const lock: unknown = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
    const packages = isRecord(lock) && isRecord(lock['packages']) ? lock['packages'] : {};
    const entry = packages['node_modules/axle'];
    if (isRecord(entry) && typeof entry['resolved'] === 'string') {
      const { resolved, version } = entry;
      if (/^https?:/.test(resolved) && typeof version === 'string') return { kind: 'version', version };
      const path = resolve(dirname(modules), resolved.replace(/^file:/, ''));
      if (resolved.startsWith('file:') && existsSync(path)) return { kind: 'path', path };
    }
  } catch {
    // Another package manager put it there, and says nothing that we could read.
  }
  return { kind: 'path', path: root };
}
