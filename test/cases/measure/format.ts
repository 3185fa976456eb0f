/** A format of cases: the files whose names begin with its own, and what one record of them asks of Axle. */
import type { Fields } from './fields.ts';
import type { Verdict } from './verdict.ts';

export interface Format {
  readonly name: string;
  /** Tries one record. Throws `RecordFault` for a record that has another form. */
  measure(record: Fields): Promise<Verdict> | Verdict;
  /** The group a record is also counted in. */
  groupOf?(record: Fields): string;
}
