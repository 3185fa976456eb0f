/** An image without a registry: the busybox and the Node of this machine, with the libraries that they need. For proofs, and for tools that need no more. */
import { foldersAbove } from '../../execute/sandbox/folders-above.ts';
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import process from 'node:process';
import { Readable } from 'node:stream';
import { sha256 } from '../../util/hash.ts';
import { findProgram } from '../find-program.ts';
import { EngineFault, type EngineClient } from './engine-client.ts';
import { type ArchiveEntry, archive } from './tar-archive.ts';

/** The name of the image; made first when the engine does not have it. @throws EngineFault */
export async function hostImage(engine: EngineClient): Promise<string> {
  const busybox = findProgram('busybox');
  if (busybox === undefined) {
    throw new EngineFault(0, 'there is no busybox to make an image of; name an image, or install busybox-static');
  }
  const entries = imageEntries(realpathSync(busybox), realpathSync(process.execPath));
  const facts = entries.map(({ path, from }) => [path, from === undefined ? 0 : statSync(from).mtimeMs]);
  const tag = sha256(JSON.stringify(facts)).slice(0, 16);
  const name = `axle-host:${tag}`;
  const isThere = await engine.ask({ method: 'GET', path: `/images/${name}/json` }).then(
    () => true,
    (error: unknown) => {
      if (error instanceof EngineFault && error.status === 404) return false;
      throw error;
    },
  );
  if (!isThere) {
    await engine.ask({
      method: 'POST',
      path: `/images/create?fromSrc=-&repo=axle-host&tag=${tag}`,
      archive: Readable.from(archive(entries, (path) => readFileSync(path))),
      idleMs: 120_000,
    });
  }
  return name;
}

function imageEntries(busybox: string, node: string): readonly ArchiveEntry[] {
  const applets = execFileSync(busybox, ['--list'], { encoding: 'utf8' })
    .split('\n')
    .filter((name) => /^[\w.[-]+$/.test(name));
  const folders = ['bin', 'usr', 'usr/bin', 'lib', 'lib64', 'tmp', 'work', 'axle-files', 'proc', 'dev', 'sys', 'etc'];
  const libraries = [...new Set([...librariesOf(busybox), ...librariesOf(node)])];
  const parents = libraries.flatMap((path) => foldersAbove(path.slice(1)));
  return [
    ...[...new Set([...folders, ...parents])].sort().map((path): ArchiveEntry => ({ path: `${path}/` })),
    { path: 'bin/busybox', from: busybox },
    { path: 'usr/bin/node', from: node },
    ...applets
      .filter((name) => name !== 'busybox')
      .map((name): ArchiveEntry => ({ path: `bin/${name}`, to: 'busybox' })),
    ...libraries.map((path): ArchiveEntry => ({ path: path.slice(1), from: realpathSync(path) })),
  ];
}

/** Absolute paths that the loader would open. Nothing for a program that brings all of it. */
function librariesOf(program: string): readonly string[] {
  try {
    const text = execFileSync('ldd', [program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return [...text.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map((match) => match[1] ?? '').filter((path) => path !== '');
  } catch {
    return [];
  }
}
