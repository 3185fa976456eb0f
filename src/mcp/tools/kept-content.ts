/**
 * Where what a server answers is kept when it is too large for a model, or no text: files in one folder, named by their content.
 *
 * K1 Equal content is kept once, under the same reference, whoever keeps it.
 * K2 The folder has a limit; what has not been kept or read for longest goes first.
 * K3 A reference names nothing but a file of the folder: it is a hash and holds no path.
 */
import { hash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { writeWhole } from '../write-whole.ts';

const form = /^kept:([A-Za-z0-9_-]{43})$/;

/** How much one folder keeps, in bytes. */
const keptLimitBytes = 1024 * 1024 * 1024;

/** The folder that is used when none is named: of this user, in the folder for temporary files. */
export function defaultKeepFolder(): string {
  return join(tmpdir(), `axle-kept-${process.getuid?.() ?? 'user'}`);
}

export class KeptContent {
  readonly #folder: string;
  readonly #limitBytes: number;
  #sizeBytes = 0;
  #isReady = false;

  constructor(folder: string, limitBytes: number = keptLimitBytes) {
    this.#folder = folder;
    this.#limitBytes = limitBytes;
  }

  /** Keeps content and gives its reference. Rejects when the folder cannot be used or written. */
  async keep(content: Uint8Array): Promise<string> {
    const name = hash('sha256', content, 'base64url');
    const path = join(this.#folder, name);
    await this.#ready();
    if (!(await touched(path))) {
      await writeWhole(path, content, 0o600);
      this.#sizeBytes += content.byteLength;
      if (this.#sizeBytes > this.#limitBytes) this.#sizeBytes = await this.#makeRoom();
    }
    return `kept:${name}`;
  }

  /** What a reference stands for; undefined when it is none, or no longer kept. */
  async read(reference: string): Promise<Buffer | undefined> {
    const name = form.exec(reference)?.[1];
    if (name === undefined) return undefined;
    const path = join(this.#folder, name);
    return (await touched(path)) ? readFile(path) : undefined;
  }

  async #ready(): Promise<void> {
    if (this.#isReady) return;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const folder = await lstat(this.#folder);
    // In a shared folder somebody else may have been first, to read along.
    if (!folder.isDirectory() || (process.getuid !== undefined && folder.uid !== process.getuid())) {
      throw new Error(`${this.#folder} is not a folder of this user`);
    }
    this.#sizeBytes = await this.#makeRoom();
    this.#isReady = true;
  }

  /** Removes the oldest until the limit holds, and gives the size of what is left. */
  async #makeRoom(): Promise<number> {
    const files = [];
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found?.isFile() === true) files.push({ path, sizeBytes: found.size, usedAtMs: found.mtimeMs });
    }
    let sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
    for (const file of files.toSorted((one, other) => one.usedAtMs - other.usedAtMs)) {
      if (sizeBytes <= this.#limitBytes) break;
      await rm(file.path, { force: true });
      sizeBytes -= file.sizeBytes;
    }
    return sizeBytes;
  }
}

/** Marks a file as used now; false when there is none. */
async function touched(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch {
    return false;
  }
}
