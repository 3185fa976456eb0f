/**
 * The floor: the least that a durable agent loop can cost on the same SQLite. Bare: no contracts, no policy, no machine of calls, no recovery, no limits.
 * What it shares with Axle: one row for each append, the result of a tool committed before the model sees it, one transaction for all runs that moved since the last
 * one, a history that only grows at its end. It commits the model's answer before the tool runs, as Axle does for a tool that is not known to answer at once.
 */
import { DatabaseSync } from 'node:sqlite';
import { createModel, instructions, type Page, pageTool, question } from './workload.ts';

export interface Floor {
  /** Drives one run of `turns` turns to its answer. */
  run(runKey: number, turns: number): Promise<string>;
  readonly commits: number;
  close(): void;
}

/** `isSynced` puts every commit on the disk before anyone hears of it. */
export function openFloor(path: string, readPage: () => Page, isSynced: boolean): Floor {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${isSynced ? 'FULL' : 'NORMAL'}`);
  database.exec(
    'CREATE TABLE IF NOT EXISTS journal (id INTEGER PRIMARY KEY, run_key INTEGER, seq INTEGER, entry TEXT); CREATE UNIQUE INDEX IF NOT EXISTS run_seq ON journal (run_key, seq)',
  );
  const [begin, commit] = [database.prepare('BEGIN'), database.prepare('COMMIT')];
  const insert = database.prepare('INSERT INTO journal (run_key, seq, entry) VALUES (?, ?, ?)');
  let queue: { readonly row: [number, number, string]; readonly done: () => void }[] = [];
  let commits = 0;

  const flush = (): void => {
    const group = queue;
    queue = [];
    begin.run();
    for (const { row } of group) insert.run(...row);
    commit.run();
    commits += 1;
    for (const { done } of group) done();
  };
  const append = (runKey: number, seq: number, entry: unknown): Promise<void> =>
    new Promise((resolve) => {
      if (queue.length === 0) setImmediate(flush);
      queue.push({ row: [runKey, seq, JSON.stringify(entry)], done: resolve });
    });

  const run = async (runKey: number, turns: number): Promise<string> => {
    const model = createModel(turns, pageTool.name);
    const prompt: unknown[] = [
      { role: 'system', content: instructions },
      { role: 'user', content: [{ type: 'text', text: question }] },
    ];
    for (let seq = 0; ; seq += 2) {
      const { content } = await model.doGenerate({ prompt });
      await append(runKey, seq, { content });
      const [part] = content;
      if (part?.type !== 'tool-call') return part?.text ?? '';
      const { toolCallId, toolName } = part;
      const input: unknown = JSON.parse(part.input);
      const value = readPage();
      await append(runKey, seq + 1, { toolCallId, value });
      prompt.push(
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'json', value } }] },
      );
    }
  };
  return {
    run,
    get commits() {
      return commits;
    },
    close: () => database.close(),
  };
}
