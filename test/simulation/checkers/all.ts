/** Every law that a schedule is judged by, with its names in docs and research. */
import { approvalsBind, denialsHold, peopleMeantIt } from './approvals.ts';
import { loginsAreAskedFor, loginsBind, peopleSaidSo } from './authorizations.ts';
import {
  comesToRest,
  historyIsWellFormed,
  nothingAcceptedIsLost,
  nothingBreaks,
  oneRunForAKey,
  outcomeBeforeUse,
  whatWasToldStays,
} from './callers.ts';
import {
  cancelStopsEverything,
  doubtBlocks,
  inDoubtIffUnknown,
  oneEffectAtATime,
  oneOutcome,
  probeAfterSettling,
  retriesAreEarned,
} from './calls.ts';
import { finishedStaysFinished, idempotentKeys, intentBeforeEffect, writesAtMostOnce } from './effects.ts';
import { fallsBackOnlyAfterNothing, keptResultsAreFresh, takenBackOnceInReverse } from './chains.ts';
import { decidedAgain } from './decided-again.ts';
import type { Evidence } from './evidence.ts';
import {
  bounded,
  denseAndAppendOnly,
  logicalTime,
  nothingTwice,
  oneFinish,
  oneWriter,
  replayIsPure,
} from './journal.ts';
import { doubtsKeepLocks, locksComeBack, locksExclude } from './locks.ts';
import { migratedOnce, performedAsBound } from './versions.ts';

import { admittedFirst, concurrencyHolds, oneTries, permitsComeBack, rateHolds, restartsKnow } from './upstreams.ts';

export interface Law {
  /** Numbers in the research notes (R) and the design (L). */
  readonly numbers: string;
  readonly check: (evidence: Evidence) => Iterable<string>;
}

export const laws: readonly Law[] = [
  { numbers: 'R1 R18', check: nothingAcceptedIsLost },
  { numbers: 'R2 L3', check: intentBeforeEffect },
  { numbers: 'R3', check: outcomeBeforeUse },
  { numbers: 'R3 L7', check: whatWasToldStays },
  { numbers: 'R4 L5', check: denseAndAppendOnly },
  { numbers: 'R5 L5', check: oneWriter },
  { numbers: 'R6 L6', check: replayIsPure },
  { numbers: 'R6 L6', check: decidedAgain },
  { numbers: 'R7 R14 L4', check: oneOutcome },
  { numbers: 'R8', check: idempotentKeys },
  { numbers: 'R9 L2', check: writesAtMostOnce },
  { numbers: 'L1', check: finishedStaysFinished },
  { numbers: 'R10 L4', check: inDoubtIffUnknown },
  { numbers: 'R11', check: doubtBlocks },
  { numbers: 'R12', check: probeAfterSettling },
  { numbers: 'R13', check: retriesAreEarned },
  { numbers: 'R15 R16 L8', check: approvalsBind },
  { numbers: 'R15 L8', check: peopleMeantIt },
  { numbers: 'R17 L8', check: denialsHold },
  { numbers: 'R13 R16', check: loginsAreAskedFor },
  { numbers: 'R15 R16 L8', check: loginsBind },
  { numbers: 'R17 L8', check: peopleSaidSo },
  { numbers: 'R21', check: admittedFirst },
  { numbers: 'R21', check: concurrencyHolds },
  { numbers: 'R21', check: rateHolds },
  { numbers: 'R21 L13', check: permitsComeBack },
  { numbers: 'R22', check: restartsKnow },
  { numbers: 'R22', check: oneTries },
  { numbers: 'N1', check: locksExclude },
  { numbers: 'N4', check: doubtsKeepLocks },
  { numbers: 'N3 L13', check: locksComeBack },
  { numbers: 'L2 R9', check: fallsBackOnlyAfterNothing },
  { numbers: 'R22', check: keptResultsAreFresh },
  { numbers: 'L2', check: takenBackOnceInReverse },
  { numbers: 'R23 R24 R25', check: logicalTime },
  { numbers: 'R26', check: oneEffectAtATime },
  { numbers: 'R29', check: oneFinish },
  { numbers: 'R30 L10', check: cancelStopsEverything },
  { numbers: 'R31', check: oneRunForAKey },
  { numbers: 'R32', check: nothingTwice },
  { numbers: 'R44', check: comesToRest },
  { numbers: 'R40', check: performedAsBound },
  { numbers: 'R39', check: migratedOnce },
  { numbers: 'L11', check: historyIsWellFormed },
  { numbers: 'L13', check: bounded },
  { numbers: 'R6', check: nothingBreaks },
];

export interface Violation {
  readonly law: string;
  readonly numbers: string;
  readonly message: string;
}

export function judge(evidence: Evidence): readonly Violation[] {
  const violations: Violation[] = [];
  for (const { numbers, check } of laws) {
    for (const message of check(evidence)) violations.push({ law: check.name, numbers, message });
  }
  return violations;
}
