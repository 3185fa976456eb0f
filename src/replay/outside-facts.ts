/**
 * Facts from outside: what models, tools, people, clocks and other releases brought. Nothing can recompute them, but they have their place: a result belongs to an
 * attempt under way, an answer to an open question, a wait to its limits. What does not fit was never written by a driver.
 */
import { modelBackOff } from '../run/back-off.ts';
import { argsHashOf } from '../call/args-hash.ts';
import type { BoundCall } from '../call/call.ts';
import type { ContractMigrated, Entry, EntryType, ModelFailed, RunAccepted, VerifyFinished } from '../journal/entry.ts';
import type { PostedItem } from '../journal/store.ts';
import { agentHashOf } from '../run/agent-hash.ts';
import { maxVerifyRounds } from '../run/call-machine.ts';
import { takePost } from '../run/post-entry.ts';
import type { RunCode } from '../run/run-code.ts';
import { findCall, type RunState } from '../run/state.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { firstDifference, firstDifferenceOf, jsonOf } from './first-difference.ts';
import type { Misfit } from './misfit.ts';
import { upstreamFact } from './upstream-facts.ts';

export type OutsideEntry = Extract<Entry, { readonly type: OutsideType }>;

type OutsideType = (typeof outsideTypes)[number];

const outsideTypes = [
  'run-accepted',
  'run-claimed',
  'run-held',
  'run-released',
  'contract-rebound',
  'contract-migrated',
  'model-finished',
  'model-failed',
  'approval-answered',
  'call-admitted',
  'admission-refused',
  'breaker-changed',
  'authorization-answered',
  'attempt-finished',
  'call-cached',
  'verify-finished',
  'call-resolved',
  'evidence-received',
  'timer-fired',
  'message-received',
  'cancel-requested',
  'post-refused',
] as const satisfies readonly EntryType[];

/** True for an entry that no function of the state makes. */
export function isOutside(entry: Entry): entry is OutsideEntry {
  if (entry.type === 'call-resolved') return entry.by === 'person';
  return outsideTypes.some((type) => type === entry.type);
}

/** What is posted while a run ends takes the decision to end it back. */
export function isPosted({ type }: Entry): boolean {
  return postedTypes.has(type);
}

/** What a driver finds when it matches the run with the contracts that are here. */
export function isOfContracts({ type }: Entry): boolean {
  return type === 'run-held' || type === 'run-released' || type === 'contract-migrated';
}

const postedTypes: ReadonlySet<EntryType> = new Set([
  'approval-answered',
  'authorization-answered',
  'call-resolved',
  'evidence-received',
  'message-received',
  'cancel-requested',
  'post-refused',
]);

/** Why a fact cannot stand where it stands; undefined when it can. `state` has the time of the entry. */
export function misfitOf(entry: OutsideEntry, state: RunState, code: RunCode): Misfit | undefined {
  switch (entry.type) {
    case 'run-accepted':
      return misfitOfStart(entry, state);
    case 'model-finished':
      return isAsked(state) ? undefined : misplaced('No model call was under way.');
    case 'model-failed':
      return isAsked(state) ? misfitOfRetry(entry, state) : misplaced('No model call was under way.');
    case 'attempt-finished': {
      const phase = findCall(state, entry.callId)?.phase;
      if (phase?.kind !== 'attempting' || phase.epoch !== state.epoch) return misplaced('No attempt was under way.');
      return sameOf('/attempt', entry.attempt, phase.attempt);
    }
    case 'verify-finished':
      return misfitOfVerify(entry, state);
    case 'call-cached': {
      const call = findCall(state, entry.callId);
      const ttlMs = call?.call?.terms.cache?.ttlMs;
      const isOpen = call?.phase.kind === 'ready' || call?.phase.kind === 'settled';
      if (!isOpen) return misplaced('The call was not to begin.');
      if (ttlMs === undefined) return misplaced('Results of this call are not kept.');
      return entry.ageMs >= 0 && entry.ageMs < ttlMs
        ? undefined
        : { path: '/ageMs', recomputed: ttlMs, message: 'The kept result was too old.' };
    }
    case 'call-admitted':
    case 'admission-refused':
    case 'breaker-changed':
      return upstreamFact(entry, state);
    case 'approval-answered':
    case 'authorization-answered':
    case 'call-resolved':
    case 'evidence-received':
    case 'message-received':
    case 'cancel-requested':
      return misfitOfPost(entry, state, code);
    case 'contract-migrated':
      return misfitOfMigration(entry, state);
    case 'run-released':
      return state.held === undefined ? misplaced('The run was not held.') : undefined;
    case 'run-claimed':
    case 'run-held':
    case 'contract-rebound':
    case 'timer-fired':
    case 'post-refused':
      return undefined;
  }
}

function misplaced(message: string): Misfit {
  return { path: '', message };
}

function sameOf(path: string, recorded: JsonValue, recomputed: JsonValue): Misfit | undefined {
  return recorded === recomputed ? undefined : { path, recomputed, message: 'It speaks of another one.' };
}

function isAsked({ model, epoch }: RunState): boolean {
  return model.kind === 'asking' && model.epoch === epoch;
}

function misfitOfStart({ runId, task, fork }: RunAccepted, state: RunState): Misfit | undefined {
  if (state.seq > 0) return misplaced('A run is accepted once.');
  if (runId !== state.runId) return { path: '/runId', recomputed: state.runId, message: 'It names another run.' };
  if (task.kind !== 'agent') return undefined;
  const asked = fork?.history.find((item) => item.kind === 'user')?.text ?? task.input;
  if (asked !== task.input) {
    return { path: '/task/input', recomputed: asked, message: 'Its history begins with other words.' };
  }
  const { hash, ...declared } = task.agent;
  const recomputed = agentHashOf(declared, task.contracts);
  return hash === recomputed
    ? undefined
    : { path: '/task/agent/hash', recomputed, message: 'The agent that the run pins has another hash.' };
}

/** A wait for a model is drawn, so only its limits can be told. */
function misfitOfRetry({ failure, retryAtMs }: ModelFailed, state: RunState): Misfit | undefined {
  if (retryAtMs === undefined) return undefined;
  if (failure.class !== 'retryable') {
    return { path: '/retryAtMs', message: 'A failure that does not pass is not waited out.' };
  }
  // What the driver saw of the time between the append before and this one is not known.
  const latestMs =
    state.nowMs + (failure.retryAfterMs === undefined ? modelBackOff.capMs : Math.ceil(failure.retryAfterMs));
  return retryAtMs <= latestMs
    ? undefined
    : { path: '/retryAtMs', recomputed: latestMs, message: 'It waits too long for a clock that was not set back.' };
}

function misfitOfVerify(entry: VerifyFinished, state: RunState): Misfit | undefined {
  const { callId, round, verdict, retryAtMs, tookMs } = entry;
  const phase = findCall(state, callId)?.phase;
  if (phase?.kind !== 'doubtful' || phase.verify.kind !== 'running') return misplaced('No verification was under way.');
  const mayRetry = verdict.kind === 'unknown' && round < maxVerifyRounds;
  // Where the contract was not there, nobody was asked, and nobody is to be asked again.
  const wasAsked = retryAtMs !== undefined || tookMs > 0;
  if (wasAsked && (retryAtMs !== undefined) !== mayRetry) {
    const message = mayRetry ? 'It would be asked again.' : 'It is not asked again.';
    return { path: '/retryAtMs', message };
  }
  return sameOf('/round', round, phase.verify.round);
}

/** What was posted says in its entry all that it said: taken in again, it becomes the same entry. */
function misfitOfPost(
  entry: Extract<
    OutsideEntry,
    {
      readonly type:
        | 'approval-answered'
        | 'authorization-answered'
        | 'call-resolved'
        | 'evidence-received'
        | 'message-received'
        | 'cancel-requested';
    }
  >,
  state: RunState,
  code: RunCode,
): Misfit | undefined {
  // One answer may be that of several calls: of those that are left, this entry's is the first.
  const [taken] = takePost(state, postOf(entry, state.runId), code);
  const edited = entry.type === 'approval-answered' ? entry.edited : undefined;
  const recorded = edited === undefined ? entry : { ...entry, edited: undefined };
  const difference = taken === undefined ? firstDifference(jsonOf(recorded), null) : firstDifferenceOf(recorded, taken);
  if (difference !== undefined) {
    const { path, right } = difference;
    const message = 'What was posted cannot be taken in here, or becomes something else.';
    return { path, message, ...(right === undefined ? {} : { recomputed: right }) };
  }
  return edited === undefined ? undefined : misfitOfCall(edited, state, { at: '/edited' });
}

function misfitOfMigration(
  { fromVersion, contract, calls = [] }: ContractMigrated,
  state: RunState,
): Misfit | undefined {
  const from = state.contracts.find(({ name }) => name === contract.name)?.version;
  if (from === undefined) return misplaced('The run has pinned no such tool.');
  const { version } = contract;
  return (
    sameOf('/fromVersion', fromVersion, from) ??
    calls
      .map((call, index) => misfitOfCall(call, state, { at: `/calls/${index}`, version }))
      .find((misfit) => misfit !== undefined)
  );
}

/** New arguments of a call that is open: under its ids, and with their own hash. */
function misfitOfCall(
  changed: BoundCall,
  state: RunState,
  { at, version }: { readonly at: string; readonly version?: number },
): Misfit | undefined {
  const call = findCall(state, changed.callId)?.call;
  if (call === undefined) return { path: `${at}/callId`, message: 'No such call is open.' };
  return (
    sameOf(`${at}/toolCallId`, changed.toolCallId, call.toolCallId) ??
    misfitOfArguments(changed, version ?? call.toolVersion, at)
  );
}

function misfitOfArguments(
  { tool, input, argsHash }: BoundCall,
  toolVersion: number,
  path: string,
): Misfit | undefined {
  if (argsHash === undefined) return undefined;
  const recomputed = argsHashOf({ tool, toolVersion, input });
  return argsHash === recomputed
    ? undefined
    : { path: `${path}/argsHash`, recomputed, message: 'It is the hash of other arguments.' };
}

type PostedEntry = Parameters<typeof misfitOfPost>[0];

function postOf(entry: PostedEntry, runId: string): PostedItem {
  const { kind, body } = postedBy(entry);
  return { inboxId: 0, runId, atMs: 0, kind, body };
}

function postedBy(entry: PostedEntry): { readonly kind: PostedItem['kind']; readonly body: JsonObject } {
  const { type: _, ...said } = entry;
  const body = objectOf(said);
  switch (entry.type) {
    case 'approval-answered':
      return { kind: 'approval', body: { ...without(body, 'edited'), decision: entry.verdict } };
    case 'authorization-answered':
      return { kind: 'authorization', body };
    case 'call-resolved': {
      const { verdict, person, note } = entry;
      const { callId } = entry;
      const named = {
        callId,
        ...(note === undefined ? {} : { note }),
        ...(person === undefined ? {} : { by: person }),
      };
      return verdict.kind === 'happened'
        ? { kind: 'resolve', body: { ...named, happened: true, output: verdict.output } }
        : {
            kind: 'resolve',
            body: { ...named, happened: false, then: verdict.kind === 'told' ? 'fail' : verdict.then },
          };
    }
    case 'evidence-received':
      return { kind: 'evidence', body };
    case 'message-received':
      return { kind: 'message', body };
    case 'cancel-requested':
      return { kind: 'cancel', body };
  }
}

function objectOf(value: Readonly<Record<string, unknown>>): JsonObject {
  const json = jsonOf(value);
  return isJsonObject(json) ? json : {};
}

function without(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}
