/**
 * The port to the alerts about drift: how often a version of a tool answered in another form than it declares. The answers themselves are in the journals.
 * It only counts: a count that is lost changes no run.
 */
import type { ShapeDifference } from '../call/drift.ts';

export interface DriftNote {
  readonly tool: string;
  readonly version: number;
  /** What tells one drift from another. */
  readonly shape: string;
  readonly difference: ShapeDifference;
  /** The call that it was seen in. */
  readonly runId: string;
  readonly callId: string;
  readonly atMs: number;
}

/** One drift of one version of a tool, with the call that showed it last. */
export interface NotedDrift extends Omit<DriftNote, 'atMs'> {
  readonly count: number;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

export interface DriftBook {
  /** Counts it. Resolves with the count of this drift: 1 for one that was not seen before. */
  note(note: DriftNote): Promise<number>;
  /** All drifts, the last seen first. */
  list(): Promise<readonly NotedDrift[]>;
}

/** Drifts that a book holds; the one that was not seen for longest makes room. */
export const maxDrifts = 1_000;
