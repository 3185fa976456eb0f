/**
 * The memory of a process and everything below it, as Linux shows it: what the limits of the kernel, which count for each process, leave open.
 *
 * M1 Memory that processes share (after a fork, or on purpose) is counted once. That takes long to find out, so it is asked only when the sum that counts it for each is
 *    over the limit.
 * M2 A process that ended meanwhile has no memory; one that may not be looked at in detail counts with all it has.
 */
import { readdirSync } from 'node:fs';
import { readQuietly } from './read-quietly.ts';

/** True when they take more than the limit together. False where there is no `/proc` to ask. */
export function isTreeOver(rootId: number, limitBytes: number): boolean {
  const ids = treeOf(rootId);
  const own = ids.map((id) => ({
    id,
    bytes: kilobytes(readQuietly(`/proc/${id}/status`), /^(?:RssAnon|RssShmem|VmSwap):/),
  }));
  const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (sumOf(own.map(({ bytes }) => bytes)) <= limitBytes) return false;
  return sumOf(own.map(({ id, bytes }) => fairShare(id) ?? bytes)) > limitBytes;
}

/** A process and what it has started, and they in turn. */
function treeOf(rootId: number): readonly number[] {
  const ids = [rootId];
  // What is found is looked at in turn.
  for (const id of ids) {
    for (const thread of list(`/proc/${id}/task`)) {
      const children = readQuietly(`/proc/${id}/task/${thread}/children`);
      ids.push(...(children ?? '').split(' ').map(Number).filter(Boolean));
    }
  }
  return ids;
}

/** A process's share of its memory: what is shared by four counts for each with a quarter. */
function fairShare(id: number): number | undefined {
  const rollup = readQuietly(`/proc/${id}/smaps_rollup`);
  return rollup === undefined || rollup === '' ? undefined : kilobytes(rollup, /^(?:Pss_Anon|Pss_Shmem|SwapPss):/);
}

/** The sum of lines such as `RssAnon:   120 kB`, in bytes. */
function kilobytes(text: string | undefined, wanted: RegExp): number {
  const lines = (text ?? '').split('\n').filter((line) => wanted.test(line));
  return lines.reduce((sum, line) => sum + Number(/(\d+) kB/.exec(line)?.[1] ?? 0) * 1_024, 0);
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
