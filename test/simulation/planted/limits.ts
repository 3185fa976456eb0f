/** Limits, breakers and locks. */
import { driver, machine, perform, evolveCall } from './places.ts';
import { bug, type PlantedBug } from './planted-bug.ts';

const upstream = 'src/execute/upstreams/upstream.ts';
const lock = 'src/execute/locks/named-lock.ts';

/** Limits and breakers. */
export const upstreams: readonly PlantedBug[] = [
  bug(
    'one admission for every attempt',
    evolveCall,
    '...(before.admission === undefined ? before : withoutAdmission(before)), attempts: entry.attempt,',
    '...(before.admission === undefined ? before : { ...before, admission: { ...before.admission, attempt: entry.attempt + 1 } }), attempts: entry.attempt,',
  ),
  bug(
    'attempt announced before it is admitted',
    machine,
    'if (needsAdmission(call) && !(isAdmitted(state, callState)',
    'if (needsAdmission(call) && attempt > 1 && !(isAdmitted(state, callState)',
  ),
  bug('one permit too many', upstream, 'this.#permits.size >= (', 'this.#permits.size > ('),
  bug(
    'permit kept by a driver that lost its run',
    'src/run/admissions.ts',
    'for (const { permit } of this.#held.values()) {',
    'for (const { permit } of [] as Held[]) {',
  ),
  bug(
    'permit kept by an attempt that failed',
    perform,
    'if (permit !== undefined) changes = await',
    "if (permit !== undefined && end.kind !== 'failed') changes = await",
  ),
  bug(
    'bucket full after a crash',
    upstream,
    'wasUsed ? (state.bucket ?? empty) : full',
    'wasUsed ? (state.bucket ?? full) : full',
  ),
  bug('tokens never taken', upstream, 'this.#bucket?.take();', ''),
  bug(
    'breaker forgotten by a restart',
    'src/execute/upstreams/kept-state.ts',
    '  return {\n    breaker,\n',
    "  return {\n    breaker: { kind: 'closed', sinceMs: breaker.sinceMs, reason: breaker.reason },\n",
  ),
  bug(
    'Retry-After forgotten by a restart',
    upstream,
    'untilMs: Math.min(state.pausedUntilMs ?? 0, nowMs + longestPauseMs)',
    'untilMs: 0',
  ),
  bug(
    'state of an upstream not kept with its entries',
    driver,
    '...(upstreams.length === 0 ? {} : { upstreams }),',
    '',
  ),
  bug(
    'two calls try at once',
    'src/execute/upstreams/breaker.ts',
    "{ kind: this.#isProbing ? 'wait' : 'probe' }",
    "{ kind: 'probe' }",
  ),
];

/** Locks, and what a doubt keeps. */
export const locks: readonly PlantedBug[] = [
  bug('lock given to two', lock, 'this.#holders.size === 0 || (mode', 'this.#holders.size <= 1 || (mode'),
  bug('one who shares a lock does not look who has it', lock, '[...this.#holders.values()].every(isShared)', 'true'),
  bug(
    'lock of a doubt forgotten by a restart',
    'src/run/decide.ts',
    'kept.length === 0 ? status : { ...status, keptLocks: kept }',
    'status',
  ),
  bug(
    'lock given back while its attempt is under way',
    'src/run/call-locks.ts',
    "if (phase.kind === 'attempting' && phase.epoch === state.epoch) return 'needed';",
    '',
  ),
  bug(
    'lock kept by a driver that rests',
    'src/run/admissions.ts',
    "(kept.has(callId) ? 'in-doubt' : 'over'));",
    "(kept.has(callId) ? 'in-doubt' : 'needed'));",
  ),
  bug(
    'locks never asked for',
    'src/run/admitted.ts',
    'terms.upstream !== undefined || terms.locks !== undefined',
    'terms.upstream !== undefined',
  ),
];
