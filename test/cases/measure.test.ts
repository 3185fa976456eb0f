import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { formats } from './measure/formats.ts';
import { measureFolder } from './measure/measure-folder.ts';

const own = fileURLToPath(new URL('own', import.meta.url));
const recorded = fileURLToPath(new URL('data', import.meta.url));
const main = fileURLToPath(new URL('measure/main.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'axle-cases-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const few = ['bfcl_valid_args.jsonl', 'malformed_args.jsonl'];
const wholeOwn = measureFolder(own);

/** A folder that holds a few of the own records and one file more. */
function folderWith(name: string, text: string): string {
  const folder = mkdtempSync(join(scratch, 'folder-'));
  for (const file of few) cpSync(join(own, file), join(folder, file));
  writeFileSync(join(folder, name), text);
  return folder;
}

function run(...words: readonly string[]): {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=axle-source', main, ...words], {
    encoding: 'utf8',
  });
  return { status, out: stdout, err: stderr };
}

describe('the measure of a folder of cases', { timeout: 60_000 }, () => {
  test('knows a file of every format by the beginning of its name', async () => {
    const { files } = await wholeOwn;
    const names = Object.keys(files);
    // Whole runs are long; those of the airline stand with the recordings.
    for (const { name } of formats) {
      expect([...names, ...readdirSync(recorded)].filter((each) => each.startsWith(name))).not.toEqual([]);
    }
  });

  test('counts a kind that nobody knows apart, and nothing else of the own records fails', async () => {
    const { files } = await wholeOwn;
    const { 'issue_cases.jsonl': issues, ...others } = files;
    expect(issues).toMatchObject({ notCovered: ['OC3'], failed: [] });
    for (const [name, report] of Object.entries(others)) {
      expect({ name, failed: report.failed }).toEqual({ name, failed: [] });
      expect(report.right).toBe(report.records);
    }
  });

  test('calls wrong what did not come out as a record expects, and unsafe what ran although it must not', async () => {
    const folder = mkdtempSync(join(scratch, 'lies-'));
    const schema = '{"type":"object","properties":{"a":{"type":"string"}}}';
    writeFileSync(
      join(folder, 'bfcl_faulty_args.jsonl'),
      `{"id":"L1","tool":"t","inputSchema":${schema},"args":{"a":"x"},"allowed":[{"a":["y"]}],"class":"repairable"}\n`,
    );
    writeFileSync(
      join(folder, 'json_repair.jsonl'),
      '{"id":"L2","raw":"{\\"a\\":1}","expect":{"write":"reject","read":"execute"}}\n' +
        '{"id":"L3","raw":"{\\"a\\":","expect":{"write":"reject","read":"execute"}}\n',
    );
    writeFileSync(
      join(folder, 'json_schema_2020_12.jsonl'),
      '{"id":"L4","schema":{"type":"integer"},"tests":[["x",true]]}\n',
    );
    writeFileSync(
      join(folder, 'issue_cases_more.jsonl'),
      `{"id":"L5","kind":"args","input":{"tool":{"name":"t","inputSchema":${schema},"effect":"write"},"rawArguments":"{}"},"expect":{"outcome":"execute","args":{"a":"z"}}}\n`,
    );
    const { files } = await measureFolder(folder);
    expect(files).toMatchObject({
      'bfcl_faulty_args.jsonl': { right: 0, wrong: 1, unsafe: 1, failed: ['L1'] },
      'json_repair.jsonl': { right: 0, wrong: 1, unsafe: 1, failed: ['L2', 'L3'] },
      'json_schema_2020_12.jsonl': { wrong: 1, failed: ['L4'] },
      'issue_cases_more.jsonl': { wrong: 1, unsafe: 1, failed: ['L5'] },
    });
  });

  test('goes on after lines that hold no record and files that it does not know, and names both', async () => {
    const folder = folderWith('json_repair_more.jsonl', 'no json\n[1]\n{"id":"G1"}\n\n');
    const { files, leftOut } = await measureFolder(folder);
    expect(files['json_repair_more.jsonl']).toMatchObject({
      records: 1,
      failed: ['G1'],
      faults: ['line 1 is not a JSON object', 'line 2 is not a JSON object'],
    });
    expect(Object.keys(files)).toHaveLength(few.length + 1);
    const other = folderWith('recipes.txt', 'salt');
    expect((await measureFolder(other)).leftOut['recipes.txt']).toContain('no known format');
    expect(leftOut).toEqual({});
  });
});

describe('npm run cases', { timeout: 60_000 }, () => {
  test('prints one object with --json and ends well, also when records failed', () => {
    const { status, out, err } = run(folderWith('json_repair_more.jsonl', 'no json\n'), '--json');
    expect(err).toBe('');
    expect(status).toBe(0);
    const { files } = JSON.parse(out) as { files: Record<string, unknown> };
    expect(files['bfcl_valid_args.jsonl']).toMatchObject({
      records: 2,
      right: 2,
      wrong: 0,
      unsafe: 0,
      changed: 0,
      failed: [],
    });
  });

  test('says in words what was measured, and why a file was not', () => {
    const { out } = run(folderWith('redaction.jsonl', '{"id":"P1"}\n'));
    expect(out).toContain('malformed_args.jsonl: 4 records, 4 right, 0 wrong, 0 unsafe, 0 changed');
    expect(out).toContain('redaction.jsonl: left out, redaction is a capability to come');
  });

  test('ends with 1 for a folder that is not there and with 2 for words that make no sense', () => {
    const { status, err } = run(join(scratch, 'nowhere'));
    expect(status).toBe(1);
    expect(err).toContain('was not measured');
    expect(run().status).toBe(2);
    expect(run('--fast', own).status).toBe(2);
  });
});
