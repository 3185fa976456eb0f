/** The names of entries, as values: the compiler holds them to the types in `entry.ts`. */
import type { Entry, EntryType } from './entry.ts';

type TypeWithCall = Extract<Entry, { readonly callId: string }>['type'];

/** For each type, whether its entries have a `callId`. */
const known: { readonly [Type in EntryType]: Type extends TypeWithCall ? true : false } = {
  'run-accepted': false,
  'run-claimed': false,
  'run-held': false,
  'run-released': false,
  'contract-rebound': false,
  'contract-migrated': false,
  'run-finished': false,
  'model-started': false,
  'model-finished': false,
  'model-failed': false,
  'call-bound': false,
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
  'timer-fired': false,
  'message-received': false,
  'cancel-requested': false,
  'post-refused': false,
};

/** Every entry type, in the order of a run's life. */
export const entryTypes: readonly string[] = Object.keys(known);

/** Those whose entries have a `callId`. */
export const typesWithCall: readonly string[] = Object.entries(known).flatMap(([type, hasCall]) =>
  hasCall ? [type] : [],
);

const typeNames: ReadonlySet<unknown> = new Set(entryTypes);

/** True for the name of an entry type. */
export function isEntryType(value: unknown): value is EntryType {
  return typeNames.has(value);
}
