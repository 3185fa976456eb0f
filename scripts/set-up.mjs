// Brings node_modules up to date before a script of package.json runs. Plain JavaScript with no dependency, because it is the one
// file that has to run on whatever Node the machine has; everything after it runs on the Node that node_modules pins.
// It speaks on standard error only, so that a script's `--json` on standard output stays clean.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The packages of a lock file that npm would install here, as one comparable text; undefined when the file is missing. */
function packagesOf(file) {
  let text
  try {
    text = readFileSync(join(root, file), 'utf8')
  } catch {
    return undefined
  }
  const packages = JSON.parse(text).packages ?? {}
  return new Map(
    Object.entries(packages)
      .filter(([path]) => path !== '')
      .map(([path, entry]) => [path, { version: `${entry.version} ${entry.integrity ?? ''}`, optional: entry.optional === true }]),
  )
}

/** Why an install is needed, in words, or undefined when what is installed is what the lock file names. */
function reasonToInstall() {
  const wanted = packagesOf('package-lock.json')
  const installed = packagesOf('node_modules/.package-lock.json')
  if (wanted === undefined) throw new Error('package-lock.json is missing: this is not a complete checkout')
  if (installed === undefined) return 'node_modules is not there yet'
  for (const [path, entry] of wanted) {
    const present = installed.get(path)
    // An optional package is one for another platform unless npm chose it, so its absence proves nothing.
    if (present === undefined ? !entry.optional : present.version !== entry.version) return 'node_modules is older than package-lock.json'
  }
  return undefined
}

const reason = reasonToInstall()
if (reason !== undefined) {
  process.stderr.write(`Setting up: ${reason}, so \`npm ci\` installs the pinned packages and Node 24 (about a minute).\n`)
  const npm = process.env.npm_execpath
  const arguments_ = ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--no-progress']
  const options = { cwd: root, encoding: 'utf8', env: { ...process.env, npm_config_loglevel: 'error' } }
  const result = npm === undefined ? spawnSync('npm', arguments_, options) : spawnSync(process.execPath, [npm, ...arguments_], options)
  if (result.status !== 0) {
    process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}\n`)
    process.stderr.write('Setting up failed: `npm ci` did not finish. Its own message is above; is the npm registry reachable?\n')
    process.exit(result.status ?? 1)
  }
}
