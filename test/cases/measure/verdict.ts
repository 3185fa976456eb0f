/** What came of one record, and how the records of a file are counted. */

/**
 * - `right`: what the record expects.
 * - `wrong`: something else happened, or ran.
 * - `missed`: nothing ran that should have; it went back to the model, which costs a turn and harms nobody.
 * - `not-covered`: nobody can say yet; the record is counted apart.
 */
export interface Verdict {
  readonly kind: 'right' | 'wrong' | 'missed' | 'not-covered';
  /** What happened instead, in words. */
  readonly why?: string;
  /** True when a tool with a side effect ran with what nobody meant, or an answer was believed that was none. */
  readonly unsafe?: boolean;
  /** True when a call that was right all along was changed. */
  readonly changed?: boolean;
}

export const right: Verdict = { kind: 'right' };

export function wrong(why: string, marks: Pick<Verdict, 'unsafe' | 'changed'> = {}): Verdict {
  return { kind: 'wrong', why, ...marks };
}

export function missed(why: string): Verdict {
  return { kind: 'missed', why };
}

export function notCovered(why: string): Verdict {
  return { kind: 'not-covered', why };
}

/** The first verdict that is not right, marked with what is bad about any of them. */
export function together(verdicts: readonly Verdict[]): Verdict {
  const worst =
    verdicts.find(({ kind }) => kind === 'not-covered') ??
    verdicts.find(({ kind }) => kind === 'wrong') ??
    verdicts.find(({ kind }) => kind === 'missed') ??
    right;
  return {
    ...worst,
    ...(verdicts.some(({ unsafe }) => unsafe === true) ? { unsafe: true } : {}),
    ...(verdicts.some(({ changed }) => changed === true) ? { changed: true } : {}),
  };
}

export interface Tally {
  readonly records: number;
  readonly right: number;
  readonly wrong: number;
  readonly unsafe: number;
  readonly changed: number;
  /** Records that came out neither right nor not covered. */
  readonly failed: readonly string[];
  readonly notCovered?: readonly string[];
}

export function tallyOf(verdicts: ReadonlyMap<string, Verdict>): Tally {
  const all = [...verdicts];
  const count = (is: (verdict: Verdict) => boolean): number => all.filter(([, verdict]) => is(verdict)).length;
  const idsOf = (is: (verdict: Verdict) => boolean): readonly string[] =>
    all.filter(([, verdict]) => is(verdict)).map(([id]) => id);
  const uncovered = idsOf(({ kind }) => kind === 'not-covered');
  return {
    records: all.length,
    right: count(({ kind }) => kind === 'right'),
    wrong: count(({ kind }) => kind === 'wrong'),
    unsafe: count(({ unsafe }) => unsafe === true),
    changed: count(({ changed }) => changed === true),
    failed: idsOf(({ kind }) => kind === 'wrong' || kind === 'missed'),
    ...(uncovered.length === 0 ? {} : { notCovered: uncovered }),
  };
}
