/**
 * Brings a run from one version of a tool to another: what the declared functions make of its open calls, as one entry.
 *
 * G4 A call that has begun is finished under the version it began under, unless it is a read: a second attempt with other arguments could do something twice. (L2, R8)
 * G5 An answer of a person counts for the arguments it was given for: a call with new arguments is judged anew, and asks anew. (L8)
 */
import { argsHashOf } from '../call/args-hash.ts';
import type { BoundCall } from '../call/call.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Contract } from '../contract/contract.ts';
import { migrateValue } from '../contract/migrate.ts';
import type { ContractMigrated } from '../journal/entry.ts';
import { defined } from '../util/defined.ts';
import { newestOutput } from './data-bus.ts';
import { jsonObjectIn, type JsonValue } from '../util/json.ts';
import { needsItsVersion } from './call-machine.ts';
import type { CallState, RunState } from './state.ts';

/** A call that only the old version can go on with (G4). */
export function callInTheWay(state: RunState, pin: ContractPin): CallState | undefined {
  return state.turn?.calls.find((callState) => {
    const { call, phase, toolName } = callState;
    // A call that fell back has begun, and its asked tool makes the answer of the stand-in its own.
    if (call?.link !== undefined) return phase.kind !== 'settled' && (isOf(callState, pin) || toolName === pin.name);
    return isOf(callState, pin) && needsItsVersion(callState, state.epoch);
  });
}

export type MigratedRun =
  | { readonly kind: 'migrated'; readonly entry: ContractMigrated }
  | { readonly kind: 'refused'; readonly reason: string };

/** The entry that says so, or why there is none. Nothing is in the way. */
export function migrateRun(state: RunState, pin: ContractPin, next: Contract): MigratedRun {
  const calls: BoundCall[] = [];
  for (const callState of state.turn?.calls ?? []) {
    const { call, phase } = callState;
    // What has an outcome, or merely waits for it to be written down, stays as it is.
    if (call === undefined || !isOf(callState, pin) || phase.kind === 'settled' || phase.kind === 'resolved') continue;
    const migrated = migrateValue(next, { version: pin.version, what: 'input', value: call.input });
    if (!migrated.ok) return { kind: 'refused', reason: `call ${call.callId}: ${migrated.reason}.` };
    const { callId, toolCallId, tool } = call;
    const argsHash = argsHashOf({ tool, toolVersion: next.version, input: migrated.value });
    const { filled } = call;
    calls.push({ callId, toolCallId, tool, input: migrated.value, argsHash, ...defined({ filled }) });
  }
  const outputs = outputsOf(state, pin, next);
  if ('reason' in outputs) return { kind: 'refused', reason: outputs.reason };
  const intents = intentsOf(state, pin, next);
  return {
    kind: 'migrated',
    entry: {
      type: 'contract-migrated',
      fromVersion: pin.version,
      contract: { ...next.pin, ...defined({ hidden: pin.hidden }) },
      ...(calls.length === 0 ? {} : { calls }),
      ...(intents.length === 0 ? {} : { intents }),
      ...(outputs.list.length === 0 ? {} : { outputs: outputs.list }),
    },
  };
}

/** Outputs of the old version that others may still read: those behind context keys, and the newest. */
function outputsOf(
  state: RunState,
  pin: ContractPin,
  next: Contract,
): { readonly list: NonNullable<ContractMigrated['outputs']> } | { readonly reason: string } {
  const { bus } = state;
  if (bus === undefined) return { list: [] };
  const behindKeys = Object.values(bus.values).flatMap(({ by, tool }) => (tool === pin.name ? [by] : []));
  const newest = newestOutput(state, (_, tool) => tool === pin.name)?.by;
  const list: { readonly callId: string; readonly output: JsonValue }[] = [];
  for (const callId of new Set([...behindKeys, ...(newest === undefined ? [] : [newest])])) {
    const found = newestOutput(state, (id) => id === callId);
    if (found === undefined) continue;
    const known = bus.migrated[pin.name];
    const value = known?.callId === callId ? known.output : found.value;
    const migrated = migrateValue(next, { version: pin.version, what: 'output', value });
    if (!migrated.ok) return { reason: `the output of call ${callId}: ${migrated.reason}.` };
    list.push({ callId, output: migrated.value });
  }
  return { list };
}

function isOf({ call }: CallState, pin: ContractPin): boolean {
  return call?.tool === pin.name && call.toolVersion === pin.version;
}

/** What was asked for and is not bound yet. Arguments that cannot be brought over are left: binding says what is wrong with them, and to whom. */
function intentsOf(state: RunState, pin: ContractPin, next: Contract): NonNullable<ContractMigrated['intents']> {
  const { turn } = state;
  if (turn === undefined) return [];
  const asked = turn.parts.filter((part) => part.kind === 'call');
  return asked.flatMap(({ toolName, argumentsText }, place) => {
    if (place < turn.taken || toolName !== pin.name) return [];
    const value = jsonObjectIn(argumentsText);
    const migrated =
      value === undefined ? undefined : migrateValue(next, { version: pin.version, what: 'input', value });
    return migrated?.ok === true ? [{ place, argumentsText: JSON.stringify(migrated.value) }] : [];
  });
}
