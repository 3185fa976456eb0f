/**
 * The data bus of a run: the values of context keys, each with who brought it forth. A part of the fold, derived from what stands in the journal anyway.
 *
 * B1 A key gets a value from a call that succeeded (its contract publishes it) or from whoever started the run; nothing else sets one.
 * B2 Outputs are on the bus too, under their step and tool; they are looked up in the conversation and not kept twice.
 * B3 It is bounded: 256 keys, 65,536 characters a value, 1 Mi characters in all. What does not fit is not kept, and whoever needs it is told `context-full`.
 * B4 A run whose contracts say nothing of the context has no bus, and pays nothing for it.
 */
import type { BoundCall, CallTerms } from '../call/call.ts';
import type { ContractPin } from '../call/pin.ts';
import type { Publication } from '../call/publication.ts';
import type { Selector } from '../call/selector.ts';
import { pointerMembers, valueAt } from '../contract/pointer.ts';
import type { RunAccepted } from '../journal/entry.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import type { Bus, BusValue, CallState, RunState } from './state.ts';
import type { Transcript } from './transcript.ts';

export const maxKeys = 256;
export const maxValueLength = 65_536;
export const maxBusLength = 1_048_576;

/** Who sets keys, and when. */
interface Write {
  readonly by: string;
  readonly tool?: string;
  readonly seq: number;
  readonly atMs: number;
}

/** The bus of a run that is accepted; undefined when nobody will use one (B4). */
export function firstBus({ task, context }: RunAccepted, state: RunState): Bus | undefined {
  const isUsed =
    context !== undefined ||
    task.contracts.some(
      ({ terms }) => terms.publishes !== undefined || terms.needs !== undefined || terms.fills === true,
    );
  if (!isUsed) return undefined;
  const empty: Bus = { values: {}, length: 0, full: [], migrated: {} };
  const given = Object.entries(context ?? {});
  return given.reduce(
    (bus, [key, { value, version }]) =>
      withValue(bus, { key, value, version }, { by: 'start', seq: state.seq, atMs: state.nowMs }),
    empty,
  );
}

/** What a call that succeeded publishes. */
export function publish(
  bus: Bus,
  { publications, output }: { readonly publications: readonly Publication[]; readonly output: JsonValue },
  write: Write,
): Bus {
  let after = bus;
  for (const { key, at, version } of publications) {
    const value = valueAt(output, at);
    if (value !== undefined) after = withValue(after, { key, value, version }, write);
  }
  return after;
}

/** The bus after a tool went to another version: what calls of the old one had set stands as the new one has it. */
export function brought(
  bus: Bus,
  by: {
    readonly tool: string;
    readonly publications: readonly Publication[];
    readonly outputs: readonly { readonly callId: string; readonly output: JsonValue }[];
  },
  when: Pick<Write, 'seq' | 'atMs'>,
): Bus {
  let after = bus;
  for (const { callId, output } of by.outputs) {
    for (const { key, at, version } of by.publications) {
      const before = heldBy(bus, key);
      const value = valueAt(output, at);
      if (before?.by !== callId || value === undefined) continue;
      after = withValue(after, { key, value, version }, { by: callId, tool: by.tool, ...when });
    }
    after = { ...after, migrated: { ...after.migrated, [by.tool]: { callId, output } } };
  }
  return after;
}

/** The publications of the tool that was asked for: a stand-in's answer is made into one of that tool. */
export function publicationsOf(call: CallState, contracts: readonly ContractPin[]): CallTerms['publishes'] {
  if (call.call?.link === undefined) return call.call?.terms.publishes;
  return contracts.find(({ name }) => name === call.toolName)?.terms.publishes;
}

function withValue(
  bus: Bus,
  { key, value, version }: { readonly key: string; readonly value: JsonValue; readonly version: number },
  write: Write,
): Bus {
  const before = heldBy(bus, key);
  const length = JSON.stringify(value).length;
  const total = bus.length + length - (before === undefined ? 0 : JSON.stringify(before.value).length);
  const others = bus.full.filter((name) => name !== key);
  const isFull =
    length > maxValueLength ||
    total > maxBusLength ||
    (before === undefined && Object.keys(bus.values).length >= maxKeys);
  // An old value must not pass for the new one.
  if (isFull) return { ...without(bus, key), full: [...others, key].slice(-maxKeys) };
  const next: BusValue = { value, version, ...write, writes: (before?.writes ?? 0) + 1 };
  return { ...bus, values: { ...bus.values, [key]: next }, length: total, full: others };
}

function without(bus: Bus, key: string): Bus {
  const gone = heldBy(bus, key);
  if (gone === undefined) return bus;
  const { [key]: _gone, ...values } = bus.values;
  return { ...bus, values, length: bus.length - JSON.stringify(gone.value).length };
}

/** Keys may have names that every object inherits, such as `toString`. */
function heldBy({ values }: Bus, key: string): BusValue | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** A value that a selector names, and who brought it forth. */
export interface Found {
  readonly value: JsonValue;
  readonly by: string;
  /** The version of the key; absent for an output. */
  readonly version?: number;
}

/** What a selector names now. */
export function lookUp(state: RunState, selector: Selector): Found | undefined {
  const found = selector.kind === 'key' ? keyOf(state.bus, selector.key) : outputOf(state, selector);
  const value = found === undefined ? undefined : valueAt(found.value, selector.at);
  return found === undefined || value === undefined ? undefined : { ...found, value };
}

function keyOf(bus: Bus | undefined, key: string): Found | undefined {
  const known = bus === undefined ? undefined : heldBy(bus, key);
  return known === undefined ? undefined : { value: known.value, by: known.by, version: known.version };
}

function outputOf(state: RunState, selector: Exclude<Selector, { kind: 'key' }>): Found | undefined {
  const isMeant = (callId: string, toolName: string): boolean =>
    toolName === selector.tool && (selector.kind === 'tool' || callId.startsWith(`${selector.step}.`));
  const newest = newestOutput(state, isMeant);
  if (newest === undefined) return undefined;
  const migrated = state.bus?.migrated[selector.tool];
  return migrated?.callId === newest.by ? { ...newest, value: migrated.output } : newest;
}

/** The output of the last call that succeeded and is meant. */
export function newestOutput(
  state: RunState,
  isMeant: (callId: string, toolName: string) => boolean,
): { readonly by: string; readonly value: JsonValue } | undefined {
  const open = state.turn?.calls.findLast(
    ({ callId, toolName, phase }) =>
      phase.kind === 'settled' && phase.outcome.status === 'succeeded' && isMeant(callId, toolName),
  );
  if (open?.phase.kind === 'settled' && open.phase.outcome.status === 'succeeded') {
    return { by: open.callId, value: open.phase.outcome.output };
  }
  return newestIn(state.transcript, isMeant);
}

function newestIn(
  transcript: Transcript,
  isMeant: (callId: string, toolName: string) => boolean,
): { readonly by: string; readonly value: JsonValue } | undefined {
  // By place: a copy of all items for every call would cost more than most of what is looked up.
  for (let place = transcript.length - 1; place >= 0; place -= 1) {
    const item = transcript.at(place);
    if (item?.kind !== 'results') continue;
    for (const { callId, toolName, outcome } of item.results.toReversed()) {
      if (outcome.status === 'succeeded' && isMeant(callId, toolName)) return { by: callId, value: outcome.output };
    }
  }
  return undefined;
}

/** What a brain wrote of a call's input: what was filled in is not its own, and history does not show it. */
export function inputAsWritten({ input, filled }: BoundCall): JsonValue {
  if (filled === undefined || !isJsonObject(input)) return input;
  const names = new Set(filled.map(({ path }) => pointerMembers(path)[0]));
  const kept: JsonObject = Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)));
  return kept;
}
