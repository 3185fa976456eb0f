/** Reads a file of JSON Lines that nobody here has seen: what is no record is counted and named by its line, and stops nothing. */
import { readFileSync, statSync } from 'node:fs';
import { type Fields, isFields } from './fields.ts';

export interface Records {
  readonly records: readonly { readonly id: string; readonly record: Fields }[];
  /** Lines that hold no record, in words. */
  readonly faults: readonly string[];
}

/** Larger files are none of cases. */
const maxFileBytes = 256 * 1024 * 1024;

export function readRecords(path: string): Records {
  const { size } = statSync(path);
  if (size > maxFileBytes) return { records: [], faults: [`it is larger than ${maxFileBytes} bytes and was not read`] };
  const records: { readonly id: string; readonly record: Fields }[] = [];
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const [index, line] of readFileSync(path, 'utf8')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const record = parsed(line);
    const given = isFields(record) ? record['id'] : undefined;
    if (!isFields(record)) faults.push(`line ${index + 1} is not a JSON object`);
    else {
      const id = typeof given === 'string' && given !== '' && !ids.has(given) ? given : `line ${index + 1}`;
      ids.add(id);
      records.push({ id, record });
    }
  }
  return { records, faults };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
