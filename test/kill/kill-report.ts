/** From everything that was seen to the verdict. */
import { checkEffects } from './laws/effect-laws.ts';
import { checkJournal } from './laws/journal-laws.ts';
import type { LedgerLine } from './programs/ledger-lines.ts';
import { entriesOfType, type RunJournal } from './laws/run-journal.ts';
import { checkTold } from './laws/told-laws.ts';
import type { Told } from './laws/told.ts';
import type { Find, Violation } from './laws/verdict.ts';

export interface Seen {
  readonly journals: readonly RunJournal[];
  readonly told: Told;
  readonly ledger: readonly LedgerLine[];
  readonly violations: readonly Violation[];
  readonly kills: { readonly worker: number; readonly client: number };
  readonly points: { readonly hit: number; readonly unhit: readonly string[] };
  /** Keys of requests that nobody acknowledged, however often they were asked for. */
  readonly missing: readonly string[];
  readonly tookMs: number;
}

export interface KillReport {
  /** SIGKILLs of a driver. */
  readonly kills: number;
  readonly clientKills: number;
  /** Lines of the ledger: effects that really happened. */
  readonly effects: number;
  readonly lost: number;
  readonly doubled: number;
  readonly inDoubt: number;
  /** How many of the calls in doubt had had their effect. */
  readonly inDoubtHappened: number;
  readonly points: { readonly hit: number; readonly total: number; readonly unhit: readonly string[] };
  readonly runs: number;
  readonly takeovers: number;
  readonly approvals: number;
  readonly snapshots: number;
  readonly seconds: number;
  readonly violations: readonly Violation[];
}

export function report(seen: Seen): KillReport {
  const violations = [...seen.violations];
  const find: Find = (kind, text) => void violations.push({ kind, text });
  for (const journal of seen.journals) checkJournal(journal, find);
  const doubts = checkEffects(seen.journals, seen.ledger, find);
  checkTold(seen.journals, seen.told, find);
  for (const text of seen.told.surprises) find('process', text);
  for (const key of seen.missing) find('lost', `The request ${key} was never acknowledged.`);
  const sum = (count: (journal: RunJournal) => number): number =>
    seen.journals.reduce((total, journal) => total + count(journal), 0);
  const countOf = (kind: Violation['kind']): number => violations.filter((violation) => violation.kind === kind).length;
  return {
    kills: seen.kills.worker,
    clientKills: seen.kills.client,
    effects: seen.ledger.length,
    lost: countOf('lost'),
    doubled: countOf('doubled'),
    inDoubt: doubts.inDoubt,
    inDoubtHappened: doubts.hadHappened,
    points: { hit: seen.points.hit, total: seen.points.hit + seen.points.unhit.length, unhit: seen.points.unhit },
    runs: seen.journals.length,
    takeovers: sum((journal) => entriesOfType(journal, 'run-claimed').length),
    approvals: sum((journal) => entriesOfType(journal, 'approval-answered').length),
    snapshots: sum((journal) => (journal.hasSnapshot ? 1 : 0)),
    seconds: Math.round(seen.tookMs / 100) / 10,
    violations,
  };
}

/** What must be seen in a minute for the absence of violations to mean anything. */
export interface Bar {
  readonly kills: number;
  readonly effects: number;
  readonly points: number;
}

/** The report, with a violation for each thing of which too little was seen. (R45) */
export function heldTo(bar: Bar, seen: KillReport): KillReport {
  const { points } = seen;
  const short = (what: string, found: number, wanted: number): readonly Violation[] =>
    found >= wanted
      ? []
      : [{ kind: 'vacuous', text: `Only ${found} ${what} were seen; at least ${wanted} are wanted.` }];
  return {
    ...seen,
    violations: [
      ...seen.violations,
      ...short('kills', seen.kills, bar.kills),
      ...short('effects', seen.effects, bar.effects),
      ...short('crash points', points.total, bar.points),
      ...short(`crash points hit (all but ${points.unhit.join(', ')})`, points.hit, points.total),
      ...short('calls in doubt', seen.inDoubt, 1),
      ...short('calls in doubt that had happened', seen.inDoubtHappened, 1),
      ...short('takeovers', seen.takeovers, 1),
      ...short('approvals', seen.approvals, 1),
    ],
  };
}
