/** Takes a run file into a store, as a copy that nobody drives. */
import { AxleError } from '../error/axle-error.ts';
import type { Store } from '../journal/store.ts';
import { type ReadRun, readRunFile, type RunFileSource } from './read-run-file.ts';
import { linesOfParts, runFileLines } from './run-file.ts';

export interface ImportedRun {
  readonly runId: string;
  /** False when the store had exactly this run. */
  readonly created: boolean;
  readonly entries: number;
  /** False for a copy of a run that had not ended: it stays as it was. */
  readonly ended: boolean;
}

/**
 * Reads a run file and keeps the run, all of it or nothing. It is for looking at: a run that had not ended is not driven on, since its own store may do that.
 * @throws AxleError `run-file-invalid`, `run-file-too-new`, `entry-too-new`, `run-exists`, `limit-exceeded`, `store-unavailable`, `store-unusable`
 */
export async function importRun(store: Store, source: RunFileSource): Promise<ImportedRun> {
  if (store.keepCopy === undefined) {
    throw new AxleError('store-unusable', 'This store keeps no copies of runs.');
  }
  const read = await readRunFile(source);
  const { copy, declarations } = read;
  const created = await store.keepCopy(copy);
  if (!created && !(await isKept(store, read))) {
    throw new AxleError('run-exists', `The store has another journal of run ${copy.runId} than the file.`);
  }
  await store.keepDeclarations?.(declarations);
  return {
    runId: copy.runId,
    created,
    entries: copy.appends.reduce((sum, { entries }) => sum + entries.length, 0),
    ended: copy.ending !== undefined,
  };
}

/** Whether the store has the very run that a file holds. */
async function isKept(store: Store, { copy: { runId, appends }, declarations, sha256 }: ReadRun): Promise<boolean> {
  const kept = await checksumOf(runFileLines(store, runId));
  if (kept === sha256) return true;
  // A file of an older release has other bytes than one of this release with the same run.
  const texts = new Map(declarations.map(({ hash, text }) => [hash, text]));
  return kept === (await checksumOf(linesOfParts({ runId, appends, declaration: async (hash) => texts.get(hash) })));
}

/** That at the end of a run file. */
async function checksumOf(lines: AsyncIterable<string>): Promise<unknown> {
  let last = '';
  for await (const line of lines) last = line;
  const end: unknown = JSON.parse(last);
  return typeof end === 'object' && end !== null && 'sha256' in end ? end.sha256 : undefined;
}
