/**
 * Results of reads that are used again: looked up when a call may begin, kept when its result is committed.
 *
 *   ready ──(policy has allowed it)──► look up ──hit──► call-cached: settled, and no attempt was made
 *                                          └─────miss──► attempt-started, as without a cache
 *
 * Z1 Only what was declared a read, succeeded, and fits its schema is kept; it is kept after its own entry is committed. (R3)
 * Z2 A hit is younger than the contract's time to live, counted from the beginning of the attempt that brought it, and is a result of the same contract (by its
 *    hash, so a changed one finds nothing), the same arguments and the same scope. A result from the future is none: a clock was set back. (R22)
 * Z3 A cache that fails or is slow is a miss: it never fails a call.
 */
import type { Call } from '../call/call.ts';
import type { Contract } from '../contract/contract.ts';
import { messageOf } from '../error/axle-error.ts';
import type { CallCached, Entry } from '../journal/entry.ts';
import { sha256 } from '../util/hash.ts';
import { canonicalJson, copyOf, isJsonObject, type JsonValue, toJson } from '../util/json.ts';
import type { Engine } from './engine.ts';
import { standInOutcome } from './fall-back.ts';
import type { BeginMove } from './next.ts';
import type { RunCode } from './run-code.ts';
import { type CallState, findCall, type RunState } from './state.ts';

/** How long a look-up may take before it counts as a miss. */
export const lookUpLimitMs = 250;

/** The kept results as one driver uses them for its run. */
export class KeptResults {
  readonly #engine: Engine;
  /** What looking brought, for calls that are about to begin. */
  readonly #found = new Map<string, CallCached | undefined>();
  /** Attempts under way whose results are to be kept. */
  readonly #begun = new Map<string, { readonly call: Call; readonly startedAtMs: number }>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  hasLooked(move: BeginMove): boolean {
    return this.#found.has(attemptOf(move));
  }

  /** Looks whether a result is kept that answers a call which may begin. (Z2, Z3) */
  async lookUp(
    move: BeginMove,
    state: RunState,
    at: { readonly code: RunCode; readonly nowMs: number },
  ): Promise<void> {
    const callState = findCall(state, move.callId);
    let found: CallCached | undefined;
    try {
      if (callState !== undefined) found = await this.#find(callState, state, at);
    } catch (error) {
      this.#engine.log('warn', 'A kept result could not be looked up; the call is made.', {
        callId: move.callId,
        reason: messageOf(error),
      });
    }
    this.#found.set(attemptOf(move), found);
  }

  /** What the look brought. Asked once: the call begins now. */
  found(move: BeginMove): CallCached | undefined {
    const found = this.#found.get(attemptOf(move));
    this.#found.delete(attemptOf(move));
    return found;
  }

  /** An attempt of a call whose result is to be kept is under way. */
  begun(call: Call, state: RunState): void {
    const phase = findCall(state, call.callId)?.phase;
    const startedAtMs = phase?.kind === 'attempting' ? phase.startedAtMs : state.nowMs;
    this.#begun.set(call.callId, { call, startedAtMs });
  }

  /** Keeps the results that are now committed. Nobody waits for it. (Z1) */
  committed(entries: readonly Entry[], state: RunState, code: RunCode): void {
    if (this.#begun.size === 0) return;
    for (const entry of entries) {
      if (entry.type !== 'attempt-finished') continue;
      const attempted = this.#begun.get(entry.callId);
      this.#begun.delete(entry.callId);
      if (attempted === undefined || entry.result.status !== 'succeeded') continue;
      const { call, startedAtMs } = attempted;
      this.#keep({ call, startedAtMs, output: entry.result.output }, state, code).catch((error: unknown) =>
        this.#engine.log('warn', 'A result could not be kept.', { tool: call.tool, reason: messageOf(error) }),
      );
    }
  }

  async #find(
    callState: CallState,
    state: RunState,
    { code, nowMs }: { readonly code: RunCode; readonly nowMs: number },
  ): Promise<CallCached | undefined> {
    const { call, callId } = callState;
    const contract = call === undefined ? undefined : code.contracts.get(call.tool);
    if (call?.terms.cache === undefined || contract === undefined) return undefined;
    const key = keyOf(contract, call, state);
    const kept = await inTime(this.#engine, this.#engine.cache.get(key));
    const ageMs = kept === undefined ? Infinity : nowMs - kept.storedAtMs;
    if (kept === undefined || kept.key !== key || !(ageMs >= 0 && ageMs < call.terms.cache.ttlMs)) return undefined;
    if (contract.output?.check(kept.output).ok === false) return undefined;
    const output = call.link === undefined ? kept.output : standInOutput(callState, kept.output, code);
    if (output === undefined) return undefined;
    return { type: 'call-cached', callId, output, from: { runId: kept.runId, callId: kept.callId }, ageMs };
  }

  async #keep(
    { call, output, startedAtMs }: { readonly call: Call; readonly output: JsonValue; readonly startedAtMs: number },
    state: RunState,
    code: RunCode,
  ): Promise<void> {
    const contract = code.contracts.get(call.tool);
    if (call.terms.cache === undefined || contract === undefined) return;
    await this.#engine.cache.put({
      key: keyOf(contract, call, state),
      tool: call.tool,
      output,
      runId: state.runId,
      callId: call.callId,
      storedAtMs: startedAtMs,
      expiresAtMs: startedAtMs + call.terms.cache.ttlMs,
    });
  }
}

function attemptOf({ callId, entry }: BeginMove): string {
  return `${callId}#${entry.attempt}`;
}

function standInOutput(callState: CallState, kept: JsonValue, code: RunCode): JsonValue | undefined {
  const outcome = standInOutcome(callState, kept, code);
  if (outcome === undefined) return kept;
  return outcome.status === 'succeeded' ? outcome.output : undefined;
}

function keyOf(contract: Contract, call: Call, state: RunState): string {
  const { cacheKey } = contract;
  const args =
    typeof cacheKey === 'function' ? madeKey(cacheKey(copyOf(call.input))) : argumentsOf(call.input, cacheKey);
  return sha256(canonicalJson({ cache: 1, contract: contract.pin.hash, args, scope: scopeOf(call, state) }));
}

/** What tells nothing apart (a function that returns nothing, a promise, which has nothing in it) is no key: one caller would be given what another asked for. */
function madeKey(key: unknown): JsonValue {
  if (key === undefined || key instanceof Promise) {
    throw new Error(`cache.key gave ${key === undefined ? 'undefined' : 'a promise'}; it must give data at once.`);
  }
  return toJson(key);
}

function argumentsOf(input: JsonValue, names: readonly string[] | undefined): JsonValue {
  if (names === undefined || !isJsonObject(input)) return input;
  return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(input, name) ? [[name, input[name] ?? null]] : [])));
}

/** A run without a session shares with nobody. */
function scopeOf({ terms }: Call, { runId, session }: RunState): string {
  if (terms.cache?.scope === 'all') return 'all';
  return terms.cache?.scope === 'session' && session !== undefined ? `session ${session}` : `run ${runId}`;
}

async function inTime<T>(engine: Engine, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = engine.timers.after(lookUpLimitMs, () =>
      reject(new Error(`The cache did not answer within ${lookUpLimitMs} ms.`)),
    );
    answer.then(resolve, reject).finally(cancel);
  });
}
