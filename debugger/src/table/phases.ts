/** What goes on inside of a bar: the parts of a call or of a model call, in order. */
import { durationOf, kindOf, nameOf, type RunTable, startOf, statusOf } from './run-table.ts';

export interface Phase {
  readonly row: number;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly startMs: number;
  readonly durationMs: number;
}

const withPhases = new Set(['call', 'model', 'doubt']);

/** More than a bar can show; the rows below it have them all. */
const most = 48;

/** True for a bar that is made of what is below its row. */
export function hasPhases(kind: string): boolean {
  return withPhases.has(kind);
}

/** The phases of a row; a doubt is opened up, since its waits and verifications are phases of the call. */
export function phasesOf(table: RunTable, row: number): readonly Phase[] {
  const { firstChild, nextSibling } = table.tree;
  const phases: Phase[] = [];
  const take = (parent: number): void => {
    for (let child = firstChild[parent] ?? -1; child >= 0 && phases.length < most; child = nextSibling[child] ?? -1) {
      const phase = phaseOf(table, child);
      phases.push(phase);
      if (phase.kind === 'doubt') take(child);
    }
  };
  take(row);
  return phases;
}

function phaseOf(table: RunTable, row: number): Phase {
  return {
    row,
    kind: kindOf(table, row),
    name: nameOf(table, row),
    status: statusOf(table, row),
    startMs: startOf(table, row),
    durationMs: durationOf(table, row),
  };
}
