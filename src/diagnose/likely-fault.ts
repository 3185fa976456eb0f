/** What `diagnose` says of a run. */

/** A likely fault. Each code stands in `docs/diagnose.md` with what it takes to be found. */
export type FaultCode = (typeof faultCodes)[number];

export const faultCodes = [
  'tool-never-called',
  'claim-without-call',
  'bad-arguments',
  'invented-arguments',
  'invented-tool',
  'loop',
  'lost-context',
  'tools-too-fine',
  'task-too-big',
  'slow-tool',
  'repeat-after-resume',
  'upstream-overload',
  'output-drift',
  'tool-failing',
  'model-failing',
  'token-waste',
  'unstable-results',
] as const;

/** One fact out of a journal. */
export interface Evidence {
  /** The run, where a fault speaks of several. */
  readonly runId?: string;
  /** The entry that shows it. */
  readonly seq: number;
  /** The span to look at. */
  readonly spanId: string;
  readonly text: string;
}

export interface LikelyFault {
  readonly code: FaultCode;
  /** How much speaks for it, 0 to 1. Not a probability: it only orders faults, by rules that the documentation gives. */
  readonly confidence: number;
  /** What happened, in one sentence. */
  readonly summary: string;
  /** At most `maxEvidence` facts, oldest first. */
  readonly evidence: readonly Evidence[];
  /** What to do about it. */
  readonly remedy: string;
}

/** A rule: looks for one kind of fault. No fault when there is none. */
export type Rule<Facts> = (facts: Facts) => readonly LikelyFault[];

/** Facts of one fault that are told. */
const maxEvidence = 8;

/** The first facts, and the last one, so that beginning and end are told of a long row. */
export function someOf(evidence: readonly Evidence[]): readonly Evidence[] {
  if (evidence.length <= maxEvidence) return evidence;
  return [...evidence.slice(0, maxEvidence - 1), ...evidence.slice(-1)];
}
