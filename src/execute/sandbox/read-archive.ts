/** Reads a tar archive (ustar, as GNU and busybox write it) that nobody vouches for. Pure. */

export interface ReadEntry {
  /** Without `./` before and `/` behind. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'a link' | 'no plain file';
  readonly bytes: Uint8Array;
}

const block = 512;

/** Undefined for what is no archive. */
export function readArchive(archive: Uint8Array): readonly ReadEntry[] | undefined {
  const entries: ReadEntry[] = [];
  for (let at = 0; at + block <= archive.length;) {
    const header = Buffer.from(archive.buffer, archive.byteOffset + at, block);
    if (header.every((byte) => byte === 0)) return entries;
    const sizeBytes = octal(header, 124, 12);
    if (sizeBytes === undefined || octal(header, 148, 8) !== sumOf(header)) return undefined;
    const from = at + block;
    if (from + sizeBytes > archive.length) return undefined;
    entries.push({ path: pathOf(header), kind: kindOf(header[156]), bytes: archive.slice(from, from + sizeBytes) });
    at = from + Math.ceil(sizeBytes / block) * block;
  }
  // One that was packed whole ends with empty blocks; nothing at all is packed when nothing was there.
  return archive.length === 0 ? [] : undefined;
}

function kindOf(type: number | undefined): ReadEntry['kind'] {
  switch (String.fromCharCode(type ?? 0)) {
    case '0':
    case '\0':
      return 'file';
    case '5':
      return 'folder';
    case '1':
    case '2':
      return 'a link';
    default:
      // A device, a pipe, or the head of a name that is too long for one block.
      return 'no plain file';
  }
}

function pathOf(header: Buffer): string {
  const prefix = text(header, 257, 6) === 'ustar' ? text(header, 345, 155) : '';
  const whole = prefix === '' ? text(header, 0, 100) : `${prefix}/${text(header, 0, 100)}`;
  return whole.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '');
}

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString('utf8');
}

function octal(header: Buffer, at: number, length: number): number | undefined {
  const digits = text(header, at, length).trim();
  return /^[0-7]{1,12}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

/** The sum of a header, with blanks where it stands itself. */
function sumOf(header: Buffer): number {
  return header.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}
