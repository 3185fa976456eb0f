/** Identity as a port. */
export interface Ids {
  /** A new id that no other process will make: a prefix that says what it names, then sortable unique text. */
  create(prefix: 'run' | 'worker'): string;
}
