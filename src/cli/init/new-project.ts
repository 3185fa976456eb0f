/**
 * Makes a project in a folder.
 *
 *   the folder is missing, empty, or holds only .git ──► all files
 *   it holds a package.json                          ──► the other files; what is missing in the package.json is for its owner to add
 *   anything else, or one of the files is there      ──► refused, and nothing is written
 *
 * J1 A file that is there is never touched, also one that appears while the others are written.
 * J2 What was written is taken away again when the rest cannot be.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import { isRecord } from '../../util/json.ts';

/** What a folder is before a project is made in it. */
export type ProjectPlace =
  | { readonly kind: 'new' }
  | { readonly kind: 'package'; readonly manifest: Readonly<Record<string, unknown>> };

/**
 * Whether these files may be made in a folder.
 * @throws AxleError `folder-taken` with the `files` that are there, `usage-invalid` where the folder cannot be read
 */
export function inspectFolder(folder: string, files: readonly string[]): ProjectPlace {
  const there = namesIn(folder);
  const wanted = files.filter((file) => file !== manifestName);
  const taken = wanted.filter((file) => there.includes(file));
  if (taken.length > 0) throw refused(folder, taken);
  if (!there.includes(manifestName)) {
    const others = there.filter((name) => name !== '.git');
    if (others.length === 0) return { kind: 'new' };
    throw new AxleError(
      'folder-taken',
      `${folder} is not empty, and no project: it holds ${others.slice(0, namedAtMost).join(', ')}${others.length > namedAtMost ? ` and ${others.length - namedAtMost} more` : ''}.`,
      { details: { folder, files: others.slice(0, namedAtMost) } },
    );
  }
  return { kind: 'package', manifest: readManifest(join(folder, manifestName)) };
}

/** Writes the files, and makes the folder where it is missing. @throws AxleError `folder-taken`, `usage-invalid` */
export function writeProject(folder: string, files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of files) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    }
  } catch (cause) {
    for (const path of written) rmSync(path, { force: true });
    const isThere = isRecord(cause) && cause['code'] === 'EEXIST';
    const next = [...files.keys()][written.length] ?? '';
    if (isThere && next !== '') throw refused(folder, [next], cause);
    throw unusable(folder, cause);
  }
}

const manifestName = 'package.json';
/** How many names a message lists. */
const namedAtMost = 10;

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    if (isRecord(cause) && cause['code'] === 'ENOENT') return [];
    throw unusable(folder, cause);
  }
}

function readManifest(path: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(manifest)) return manifest;
  } catch (cause) {
    throw new AxleError('usage-invalid', `${path} cannot be read: ${messageOf(cause)}`, {
      cause,
      remedy: 'Mend it, or choose another folder.',
    });
  }
  throw new AxleError('usage-invalid', `${path} is no package.json: it holds no object.`, {
    remedy: 'Mend it, or choose another folder.',
  });
}

function refused(folder: string, files: readonly string[], cause?: unknown): AxleError {
  return new AxleError('folder-taken', `${folder} has ${files.join(', ')} already, so nothing was written.`, {
    details: { folder, files: [...files] },
    cause,
  });
}

function unusable(folder: string, cause: unknown): AxleError {
  return new AxleError('usage-invalid', `No project can be made in ${folder}: ${messageOf(cause)}`, {
    cause,
    remedy: 'Choose another folder.',
  });
}
