/** Writes a file so that whoever reads it finds the old one or the new one, and never half of either. */
import { randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

export async function writeWhole(path: string, text: string): Promise<void> {
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await writeFile(unfinished, text);
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
}
