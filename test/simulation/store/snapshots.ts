/** Writes snapshots more often than drivers do, so that short runs are resumed from them too. A snapshot is only a cache: one is right beside any append. */
import type { AppendBatch } from '../../../src/journal/store.ts';
import { toSnapshot } from '../../../src/run/load-run.ts';
import type { FakeDisk } from './fake-disk.ts';
import { fold } from '../history/fold.ts';
import type { JournalWatch } from './journal-watch.ts';

export function withSnapshots(
  disk: FakeDisk,
  { every, watch }: { readonly every: number; readonly watch: JournalWatch },
): FakeDisk {
  if (every === 0) return disk;
  const append = disk.append.bind(disk);
  // Every n-th append carries the state before it; the driver's own snapshot wins.
  disk.append = (batch: AppendBatch, by: string): number => {
    const tip = watch.tip(batch.runId);
    if (tip === undefined || batch.snapshot !== undefined || batch.append.firstSeq % every !== 0) {
      return append(batch, by);
    }
    return append({ ...batch, snapshot: toSnapshot(fold(tip)) }, by);
  };
  return disk;
}
