/** Every file of a known format in a folder, record by record. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Format } from './format.ts';
import { formats, leftOut } from './formats.ts';
import { type Fields, RecordFault } from './fields.ts';
import { readRecords } from './read-records.ts';
import { type Tally, tallyOf, type Verdict, wrong } from './verdict.ts';

export interface FileReport extends Tally {
  /** Why each record that failed did. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly groups?: Readonly<Record<string, Tally>>;
  /** Lines that hold no record. */
  readonly faults?: readonly string[];
}

export interface Report {
  readonly files: Readonly<Record<string, FileReport>>;
  /** Files that were not measured, and why. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/** Measures a folder; `tell` hears of each file as it is done. @throws the error of the file system for a folder that cannot be read */
export async function measureFolder(
  folder: string,
  tell: (name: string, report: FileReport) => void = () => {},
): Promise<Report> {
  const files: Record<string, FileReport> = {};
  const left: Record<string, string> = {};
  const names = readdirSync(folder, { withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  for (const name of names) {
    const format = formatOf(name);
    if (format === undefined) {
      left[name] = whyLeftOut(name);
      continue;
    }
    const report = await measureFile(join(folder, name), format);
    files[name] = report;
    tell(name, report);
  }
  return { files, leftOut: left };
}

/** The format that a file's name begins with: the longest, where one begins with another. */
function formatOf(name: string): Format | undefined {
  if (!name.endsWith('.jsonl')) return undefined;
  return formats
    .filter((format) => name.startsWith(format.name))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
}

function whyLeftOut(name: string): string {
  for (const [format, why] of leftOut) {
    if (name.startsWith(format)) return why;
  }
  return 'its name begins with that of no known format, or it is not .jsonl';
}

async function measureFile(path: string, format: Format): Promise<FileReport> {
  const { records, faults } = readRecords(path);
  const verdicts = new Map<string, Verdict>();
  const groups = new Map<string, Map<string, Verdict>>();
  for (const { id, record } of records) {
    const verdict = await measured(format, record);
    verdicts.set(id, verdict);
    const group = groupOf(format, record);
    if (group !== undefined) groups.set(group, (groups.get(group) ?? new Map<string, Verdict>()).set(id, verdict));
  }
  const reasons = [...verdicts].flatMap(([id, { kind, why }]) =>
    kind === 'right' ? [] : [[id, why ?? kind] as const],
  );
  return {
    ...tallyOf(verdicts),
    reasons: Object.fromEntries(reasons),
    ...(groups.size === 0
      ? {}
      : { groups: Object.fromEntries([...groups].map(([group, each]) => [group, tallyOf(each)])) }),
    ...(faults.length === 0 ? {} : { faults }),
  };
}

/** Whatever a record makes go wrong is the verdict about that record, and the next one is measured. */
async function measured(format: Format, record: Fields): Promise<Verdict> {
  try {
    return await format.measure(record);
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return wrong(error instanceof RecordFault ? `it is not of the format: ${words}` : `it ended in an error: ${words}`);
  }
}

function groupOf(format: Format, record: Fields): string | undefined {
  try {
    return format.groupOf?.(record);
  } catch {
    return undefined;
  }
}
