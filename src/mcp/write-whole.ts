/** Writes a file so that whoever reads it finds the old one or the new one, and never half of either. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** @param mode Who may read it @defaultValue what the process gives its files */
export async function writeWhole(path: string, content: string | Uint8Array, mode?: number): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, content, { mode });
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
}
