/** Alerts about drift, in memory. */
import { type DriftBook, type DriftNote, maxDrifts, type NotedDrift } from '../drift-book.ts';

/** A book that lives as long as the process. */
export function createMemoryDrifts(): DriftBook {
  const drifts = new Map<string, NotedDrift>();
  return {
    note: async ({ atMs, ...note }: DriftNote) => {
      const key = JSON.stringify([note.tool, note.version, note.shape]);
      const before = drifts.get(key);
      const count = (before?.count ?? 0) + 1;
      // Set anew, the entry stands last: the first one is the one that was not seen for longest.
      drifts.delete(key);
      drifts.set(key, { ...note, count, firstAtMs: before?.firstAtMs ?? atMs, lastAtMs: atMs });
      const [oldest] = drifts.keys();
      if (drifts.size > maxDrifts && oldest !== undefined) drifts.delete(oldest);
      return count;
    },
    list: async () => [...drifts.values()].toReversed(),
  };
}
