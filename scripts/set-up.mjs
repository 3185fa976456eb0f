// Brings node_modules up to date before a script of package.json runs. Plain JavaScript with no dependency, because it is the one
// file that has to run on whatever Node the machine has; everything after it runs on the Node that node_modules pins.
// It speaks on standard error only, so that a script's `--json` on standard output stays clean.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The packages that a lock file names, each with a text that changes with its content; undefined when there is no such file. */
function packagesOf(file) {
  let text;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    return undefined;
  }
  const packages = new Map();
  for (const [path, entry] of Object.entries(JSON.parse(text).packages ?? {})) {
    if (path === '') continue;
    packages.set(path, { version: `${entry.version} ${entry.integrity ?? ''}`, optional: entry.optional === true });
  }
  return packages;
}

/** Why an install is needed, in words, or undefined when what is installed is what the lock file names. */
function reasonToInstall() {
  const wanted = packagesOf('package-lock.json');
  if (wanted === undefined) throw new Error('package-lock.json is missing: this is not a complete checkout');
  const installed = packagesOf('node_modules/.package-lock.json');
  if (installed === undefined) return 'node_modules is not there yet';
  for (const [path, entry] of wanted) {
    const present = installed.get(path);
    // An optional package is one for another platform unless npm chose it, so its absence proves nothing.
    const differs = present === undefined ? !entry.optional : present.version !== entry.version;
    if (differs) return 'node_modules is older than package-lock.json';
  }
  return undefined;
}

const pinnedNode = join(root, 'node_modules/.bin/node');
const reason = reasonToInstall() ?? (existsSync(pinnedNode) ? undefined : 'the pinned Node is missing');
if (reason !== undefined) {
  process.stderr.write(
    `Setting up: ${reason}, so \`npm ci\` installs the pinned packages and Node 24 (about a minute).\n`,
  );
  const npm = process.env.npm_execpath;
  const words = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--no-progress'];
  const options = { cwd: root, encoding: 'utf8' };
  const result =
    npm === undefined ? spawnSync('npm', words, options) : spawnSync(process.execPath, [npm, ...words], options);
  if (result.status !== 0) {
    process.stderr.write(`${[result.stdout, result.stderr].filter(Boolean).join('')}\n`);
    process.stderr.write(
      'Setting up failed: `npm ci` did not finish; its own message is above. Is the npm registry reachable?\n',
    );
    process.exit(result.status ?? 1);
  }
  if (!existsSync(pinnedNode)) {
    process.stderr.write(
      'Setting up failed: the pinned Node was not installed, because its install script did not run. ' +
        'Allow it with `npm rebuild node --ignore-scripts=false`.\n',
    );
    process.exit(1);
  }
}
