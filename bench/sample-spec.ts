/** What one sample is: handed to a fresh process as JSON, and what comes back. */

/** Who is measured. */
export type Subject = 'floor' | 'axle' | 'axle-traced' | 'axle-followed' | 'ai-sdk' | 'lang-graph';

/** `runs` runs at the same time, each of `turns` turns. */
export interface Load {
  readonly turns: number;
  readonly runs: number;
}

/** Runs of an agent, each to its answer. Each load is one measurement, on a store of its own. */
export interface TurnsSpec {
  readonly kind: 'turns';
  readonly subject: Subject;
  readonly loads: readonly Load[];
  readonly effect: 'read' | 'write';
  /** What is kept synced. The floor knows only all (`strict`) and nothing. */
  readonly durability: 'effects' | 'strict';
  /** A load is repeated until this many milliseconds are measured, so that short runs are not lost in the clock. */
  readonly leastMs: number;
  /** Exactly so often instead. */
  readonly repetitions?: number;
  /** Milliseconds of short runs beforehand, so that compiled code is measured and not its compilation; 0 for none. */
  readonly warmUpMs: number;
  /** Milliseconds of each load beforehand, on the store that it is measured on. */
  readonly settleMs: number;
  readonly folder: string;
}

/** A record of 1 KB written and synced, again and again: what the disk can do in this minute. */
export interface ProbeSpec {
  readonly kind: 'probe';
  readonly syncs: number;
  readonly folder: string;
}

/** A run of that many finished turns, whose process was killed while the model was asked, taken up in a new process. */
export interface ResumeSpec {
  readonly kind: 'resume';
  readonly turns: number;
  readonly folder: string;
}

/** Runs that wait for an approval. */
export interface SuspendedSpec {
  readonly kind: 'suspended';
  readonly runs: number;
  readonly folder: string;
}

/** One run whose requests are made again from its store, each compared with what the model was handed. */
export interface SeenSpec {
  readonly kind: 'seen';
  readonly turns: number;
  readonly folder: string;
}

export type SampleSpec = TurnsSpec | ProbeSpec | ResumeSpec | SuspendedSpec | SeenSpec;

/** Figures by name, and how much of the machine others took meanwhile (null where that cannot be read). */
export interface Measurement {
  readonly values: Readonly<Record<string, number>>;
  readonly foreignCores: number | null;
}

/** What a sample's process answers: one measurement, or one for each load. */
export type Sample = readonly Measurement[];
