/**
 * From the journal of a run to what probably went wrong in it, most likely first.
 *
 * D1 Everything comes from the journal: no model is asked and no tool is called, and the same journal gives the same faults.
 * D2 A fault names its evidence: entries that anybody can look at.
 * D3 A healthy run has no fault: one retry, one repair, one denied call are what Axle is for, and no fault.
 */
import type { Append } from '../journal/entry.ts';
import type { LikelyFault, Rule } from './likely-fault.ts';
import { factsOf, type RunFacts } from './run-facts.ts';
import { modelFailing, outputDrift, toolFailing, upstreamOverload } from './rules/failing-services.ts';
import { repeatAfterResume } from './rules/repeat-after-resume.ts';
import { slowTool } from './rules/slow-tool.ts';
import { tokenWaste } from './rules/token-waste.ts';
import { tooManySteps } from './rules/too-many-steps.ts';
import { claimWithoutCall, toolNeverCalled } from './rules/unused-tools.ts';
import { badArguments, inventedArguments, inventedTool } from './rules/wrong-arguments.ts';

const rules: readonly Rule<RunFacts>[] = [
  toolNeverCalled,
  claimWithoutCall,
  badArguments,
  inventedArguments,
  inventedTool,
  tooManySteps,
  slowTool,
  repeatAfterResume,
  upstreamOverload,
  outputDrift,
  toolFailing,
  modelFailing,
  tokenWaste,
];

export interface Diagnosis {
  readonly runId: string;
  /** True when the run may still change: what is found then holds for what has happened so far. */
  readonly isOpen: boolean;
  /** Most likely first; empty for a healthy run. */
  readonly faults: readonly LikelyFault[];
}

export function diagnose(appends: readonly Append[]): Diagnosis {
  const facts = factsOf(appends);
  const faults = rules.flatMap((rule) => rule(facts));
  return {
    runId: facts.trace.runId,
    isOpen: facts.trace.ending === undefined,
    faults: inOrder(faults),
  };
}

/** Most likely first; rules keep their order among equals. */
export function inOrder(faults: readonly LikelyFault[]): readonly LikelyFault[] {
  return faults.toSorted((left, right) => right.confidence - left.confidence);
}
