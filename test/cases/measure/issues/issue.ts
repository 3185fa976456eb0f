/** A record of a fault that people met elsewhere, as far as a module of its kind reads it. */
import type { Fields } from '../fields.ts';
import type { Verdict } from '../verdict.ts';

export interface Issue {
  readonly input: Fields;
  readonly expect: Fields;
}

/** What measures the records of one kind. */
export type IssueKind = (issue: Issue) => Promise<Verdict> | Verdict;
