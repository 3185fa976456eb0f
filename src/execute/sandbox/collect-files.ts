/**
 * Files out of a job: a command around its command packs them, in the sandbox, behind what it writes.
 *
 *     what the command wrote · mark · a tar archive in base64
 *
 * K1 Nothing outside of the sandbox reads a file of the job: a link shows what the job itself could see, and is refused all the same, as is everything that is no plain file.
 * K2 The command can write a mark and an archive of its own, which gives it nothing: what is in there is what it might have written into its files.
 * K3 Count and size have limits, which hold while it is read.
 */
import { foldersAbove } from './folders-above.ts';
import type { ProducedFiles } from '../../contract/program.ts';
import { readArchive } from './read-archive.ts';

/** One file that a job has left. */
export interface CollectedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export type Collected =
  | { readonly kind: 'files'; readonly files: readonly CollectedFile[] }
  /** The place has no `tar` or no `base64`. */
  | { readonly kind: 'no-tools' }
  | { readonly kind: 'missing'; readonly path: string }
  | { readonly kind: 'refused'; readonly path: string; readonly reason: string }
  | { readonly kind: 'too-many' | 'too-large' | 'unreadable' };

/** Processes that pack: the shell around the command, `tar` and `base64`. */
export const collectingProcesses = 3;

/** The command that runs a command and packs what it has left, when it ended well. @param mark A text that nothing else writes */
export function collecting(command: readonly string[], { paths }: ProducedFiles, mark: string): readonly string[] {
  // Folders on the way are packed without what is in them: a link in the place of one shows.
  const wanted = [...new Set([...paths.flatMap(foldersAbove), ...paths])].map((path) => `./${path}`).join(' ');
  const script = [
    '"$@" || exit $?',
    `printf %s ${mark}`,
    '{ command -v tar && command -v base64; } > /dev/null || { printf none; exit 0; }',
    // A name may hold anything: it is split nowhere, and begins with a dot.
    'IFS=',
    `tar --no-recursion -cf - ${wanted} 2> /dev/null | base64`,
    'exit 0',
  ].join('\n');
  return ['sh', '-c', script, 'sh', ...command];
}

/** Bytes that the archive takes at most, beside the mark. */
export function archiveBytes({ maxBytes, maxCount, paths }: ProducedFiles): number {
  // A header and the rest of a block for each file and each folder on its way, the end, a last record; then base64 with its line ends.
  const entries = maxCount + 10 * paths.length + maxCount * 10;
  return Math.ceil((maxBytes + entries * 1_024 + 20_480) * 1.4) + 1_024;
}

/** What the command wrote, and what it left; `packed` is absent when it was not packed. */
export function splitAtMark(text: string, mark: string): { readonly said: string; readonly packed?: string } {
  const at = text.indexOf(mark);
  return at < 0 ? { said: text } : { said: text.slice(0, at), packed: text.slice(at + mark.length) };
}

/** The files of an archive. */
export function collected(packed: string, { paths, maxCount, maxBytes }: ProducedFiles): Collected {
  if (packed === 'none') return { kind: 'no-tools' };
  const entries = readArchive(Buffer.from(packed, 'base64'));
  if (entries === undefined) return { kind: 'unreadable' };
  const folders = new Set(entries.filter(({ kind }) => kind === 'folder').map(({ path }) => path));
  const files: CollectedFile[] = [];
  let sizeBytes = 0;
  for (const { path, kind, bytes } of entries) {
    if (kind === 'folder') continue;
    if (kind !== 'file') return { kind: 'refused', path, reason: `it is ${kind}` };
    if (!paths.some((pattern) => isMatch(path, pattern))) continue;
    const parent = foldersAbove(path).find((each) => !folders.has(each));
    if (parent !== undefined) return { kind: 'refused', path, reason: `${parent} is no folder of its own` };
    sizeBytes += bytes.length;
    if (sizeBytes > maxBytes) return { kind: 'too-large' };
    if (files.push({ path, bytes }) > maxCount) return { kind: 'too-many' };
  }
  const missing = paths.find((pattern) => !files.some(({ path }) => isMatch(path, pattern)));
  return missing === undefined ? { kind: 'files', files } : { kind: 'missing', path: missing };
}

/** As a shell matches: `*` and `?` stand for anything within one name. */
function isMatch(path: string, pattern: string): boolean {
  const source = pattern
    .replaceAll('.', String.raw`\.`)
    .replaceAll('*', '[^/]*')
    .replaceAll('?', '[^/]');
  return new RegExp(`^${source}$`, 'u').test(path);
}
