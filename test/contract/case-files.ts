import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const committed = fileURLToPath(new URL('../cases/data/', import.meta.url));
/** Cases that may be measured but not committed: their source has no licence. */
const measured = process.env['AXLE_CASES'] ?? fileURLToPath(new URL('../../../shared/cases/', import.meta.url));

/** The records of a JSON Lines file that is part of the repository. */
export function committedCases(file: string): readonly unknown[] {
  return recordsOf(join(committed, file));
}

/** The records of a JSON Lines file beside the repository; undefined when it is not there. */
export function measuredCases(file: string): readonly unknown[] | undefined {
  const path = join(measured, file);
  return existsSync(path) ? recordsOf(path) : undefined;
}

function recordsOf(path: string): readonly unknown[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
