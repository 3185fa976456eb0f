/** A file of the system; undefined when it is not there, belongs to a process that has ended, or may not be looked at. */
import { readFileSync } from 'node:fs';

export function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
