/** The names of entries, as values: the compiler holds them to the types in `entry.ts`. */
import type { EntryType } from './entry.ts';

const known: Readonly<Record<EntryType, true>> = {
  'run-accepted': true,
  'run-claimed': true,
  'run-held': true,
  'run-released': true,
  'contract-rebound': true,
  'contract-migrated': true,
  'run-finished': true,
  'model-started': true,
  'model-finished': true,
  'model-failed': true,
  'call-bound': true,
  'call-refused': true,
  'call-decided': true,
  'approval-answered': true,
  'approval-expired': true,
  'call-admitted': true,
  'admission-refused': true,
  'breaker-changed': true,
  'attempt-started': true,
  'attempt-finished': true,
  'retry-scheduled': true,
  'authorization-requested': true,
  'authorization-answered': true,
  'authorization-expired': true,
  'call-fell-back': true,
  'call-cached': true,
  'call-recorded': true,
  'call-doubted': true,
  'verify-started': true,
  'verify-finished': true,
  'call-resolved': true,
  'evidence-received': true,
  'call-settled': true,
  'timer-fired': true,
  'message-received': true,
  'cancel-requested': true,
  'post-refused': true,
};

/** Every entry type, in the order of a run's life. */
export const entryTypes: readonly string[] = Object.keys(known);

const typeNames: ReadonlySet<unknown> = new Set(entryTypes);

/** True for the name of an entry type. */
export function isEntryType(value: unknown): value is EntryType {
  return typeNames.has(value);
}
