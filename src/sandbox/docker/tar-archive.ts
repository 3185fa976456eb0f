/** Writes a tar archive (POSIX ustar): folders, files and links, all of root, in the order given. */

/** A folder (its path ends with `/`), a file with its source, or a symbolic link. */
export interface ArchiveEntry {
  /** Relative, at most 100 bytes. */
  readonly path: string;
  readonly from?: string;
  readonly to?: string;
}

const blockBytes = 512;

/** @param read Gives the content of a file */
export function* archive(entries: readonly ArchiveEntry[], read: (path: string) => Buffer): Generator<Buffer> {
  for (const entry of entries) {
    const content = entry.from === undefined ? undefined : read(entry.from);
    yield header(entry, content?.length ?? 0);
    if (content === undefined) continue;
    yield content;
    const over = content.length % blockBytes;
    if (over > 0) yield Buffer.alloc(blockBytes - over);
  }
  yield Buffer.alloc(2 * blockBytes);
}

function header({ path, from, to }: ArchiveEntry, sizeBytes: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`The path ${path} is too long for an archive.`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, length: number): void => {
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  };
  block.write(path, 0);
  octal(path === 'tmp/' || path === 'work/' ? 0o1777 : 0o755, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(sizeBytes, 124, 12);
  octal(0, 136, 12);
  block.write(from === undefined ? (to === undefined ? '5' : '2') : '0', 156);
  if (to !== undefined) block.write(to, 157);
  block.write('ustar\u000000', 257, 'latin1');
  // The sum is taken with blanks where it will stand.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
