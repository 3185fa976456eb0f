/** What is done, how often, and what becomes of it: calls, stand-ins, kept results, what is taken back. */
import { driver, machine, perform, evolveCall } from './places.ts';
import { bug, type PlantedBug } from './planted-bug.ts';

/** Order of intent, effect and outcome. */
export const order: readonly PlantedBug[] = [
  bug(
    'effect before begun',
    driver,
    'if (!(await this.#commit(next))) continue;',
    "if (next.kind === 'rest') for (const work of next.work) this.#begin(work);\n      if (!(await this.#commit(next))) continue;",
  ),
  {
    name: 'effect ahead of its commit',
    patches: [
      { file: 'src/run/next.ts', find: "work.call.terms.effect === 'read' && ", replace: '' },
      { file: driver, find: '.filter((read) => this.#isQuick(read))', replace: '' },
    ],
  },
  bug(
    'model asked ahead of the commit',
    driver,
    'if (await this.#readAhead(next)) continue;',
    "if (next.kind === 'rest') for (const work of next.work) if (work.kind === 'ask-model') this.#begin(work);\n      if (await this.#readAhead(next)) continue;",
  ),
  bug(
    'begun not awaited',
    driver,
    'this.#position = await commit(this.#engine, batch, () => this.#isClosing);',
    'commit(this.#engine, batch, () => this.#isClosing).catch(() => {});',
  ),
  bug(
    'begun not synced',
    perform,
    'await synced(context);\n    /* @crashpoint effect-after-sync */',
    'synced(context).catch(() => {});',
  ),
  bug(
    'result told before it is synced',
    driver,
    '    /* @crashpoint run-finished-before-sync */\n    await this.#engine.store.synced(this.#position);',
    '',
  ),
  bug(
    '* result read and told before it is synced',
    'src/facade/run-handle.ts',
    'await this.#access.store.synced(Number.MAX_SAFE_INTEGER);',
    '',
  ),
  bug('run acknowledged before it is synced', 'src/facade/axle.ts', 'await store.synced(made.position);', ''),
  bug(
    '* question shown before it is synced',
    'src/facade/answers.ts',
    'await this.#store.synced(Number.MAX_SAFE_INTEGER);',
    '',
  ),
  bug(
    'results out of order',
    'src/run/evolve-turn.ts',
    'turn.calls.map(historyResultOf)',
    'turn.calls.toReversed().map(historyResultOf)',
  ),
];

/** What becomes of a call. */
export const calls: readonly PlantedBug[] = [
  bug(
    'write cut off by a crash runs again',
    machine,
    "if (call.terms.effect === 'write') {\n    // A paused",
    "if (call.terms.effect === 'write' && call.terms.settleMs < 0) {\n    // A paused",
  ),
  bug(
    'write cut off by a crash is called failed',
    machine,
    '// A paused owner may still be at it until the time limit of its attempt.',
    "if (call.terms.settleMs >= 0) return settle(callState, { status: 'failed', failure: didNotHappen, effectMayHaveHappened: false });",
  ),
  {
    name: 'write retried after a time-out',
    patches: [
      {
        file: machine,
        find: "if (terms.effect === 'write' && failure.evidence === 'unknown') {",
        replace: "if (terms.effect === 'write' && failure.evidence === 'unknown' && failure.class !== 'retryable') {",
      },
      {
        file: machine,
        find: "(terms.effect !== 'write' || failure.evidence === 'none');\n  const used",
        replace: 'true;\n  const used',
      },
    ],
  },
  bug(
    'what succeeded is attempted again',
    machine,
    "if (phase.result.status === 'succeeded') return",
    "if (phase.result.status === 'succeeded' && call.terms.effect === 'idempotent' && callState.attempts === 1) return [{ type: 'retry-scheduled', callId, attempt: 2, dueAtMs: state.nowMs }];\n  if (phase.result.status === 'succeeded') return",
  ),
  bug('tried more often than declared', machine, 'used < terms.maxAttempts', 'used < terms.maxAttempts + 3'),
  bug(
    'late result reopens a settled call',
    evolveCall,
    'return { ...before, mayHaveHappened, evidence: { attempt, result } };',
    "return before.phase.kind === 'settled' ? { ...before, phase: { kind: 'answered', attempt, result } } : { ...before, mayHaveHappened, evidence: { attempt, result } };",
  ),
  bug(
    'late result replaces the outcome',
    evolveCall,
    'return { ...before, mayHaveHappened, evidence: { attempt, result } };',
    "return { ...before, mayHaveHappened, phase: { kind: 'answered', attempt, result } };",
  ),
  bug(
    'evidence of another attempt settles a doubt',
    machine,
    'evidence.attempt === attempt || ',
    'evidence.attempt > 0 || ',
  ),
  bug(
    'doubt resolved by time',
    machine,
    "return { kind: 'wait', on: { kind: 'doubt', callId: callState.callId } };",
    "return record({ type: 'call-resolved', callId: callState.callId, verdict: { kind: 'not-happened', then: 'fail' }, by: 'policy' });",
  ),
  bug(
    'verified before it has settled',
    machine,
    'const verifyAtMs = Math.ceil(about.fromMs + call.terms.settleMs);',
    'const verifyAtMs = 0;',
  ),
  bug(
    'retried before it is due',
    machine,
    'if (phase.dueAtMs > state.nowMs)',
    'if (phase.dueAtMs > state.nowMs + 60_000)',
  ),
  bug(
    'cancelled run starts new calls',
    machine,
    'if (state.cancel !== undefined && mayCancel(',
    "if (state.cancel !== undefined && callState.phase.kind !== 'ready' && mayCancel(",
  ),
  bug(
    'cancelled write under way is settled',
    machine,
    "if (state.cancel !== undefined && (terms.effect !== 'write' || failure.evidence === 'none')) {",
    'if (state.cancel !== undefined) {',
  ),
  bug(
    '* cancelled is said of what may have happened',
    machine,
    "const mayHaveHappened = callState.mayHaveHappened || callState.phase.kind === 'attempting';",
    'const mayHaveHappened = false;',
  ),
  bug(
    '* earlier attempt forgotten when the last proves nothing',
    machine,
    "terms.effect !== 'read' && callState.mayHaveHappened;",
    "terms.effect !== 'read' && failure.evidence !== 'none';",
  ),
  bug(
    'effects overlap',
    'src/run/decide-turn.ts',
    "return call.call !== undefined && (call.call.terms.effect === 'read' || call.call.terms.parallel);",
    'return call.call !== undefined;',
  ),
  bug(
    '* call back from its doubt overlaps',
    'src/run/decide-turn.ts',
    ' && !overlaps(state, turn, call);',
    ' && turn.calls.length > 0;',
  ),
];

/** Stand-ins, kept results, and what is taken back. */
export const chains: readonly PlantedBug[] = [
  bug(
    'falls back after an effect that may have happened',
    'src/run/fall-back.ts',
    'return end.outcome.effectMayHaveHappened ? undefined : end.outcome.failure;',
    'return end.outcome.failure;',
  ),
  bug(
    'stand-in is handed the key of the tool before it',
    'src/call/chain.ts',
    'return link === undefined ? callId : `${callId}~${link}`;',
    'return link === undefined ? callId : callId;',
  ),
  bug(
    'kept result older than its time',
    'src/run/kept-result.ts',
    'ageMs < call.terms.cache.ttlMs)',
    'ageMs < Infinity)',
  ),
  bug(
    'kept result of other arguments',
    'src/run/kept-result.ts',
    'contract: contract.pin.hash, args, scope:',
    'contract: contract.pin.hash, args: args === null, scope:',
  ),
  bug(
    'kept result of another run',
    'src/run/kept-result.ts',
    "if (terms.cache?.scope === 'all') return 'all';",
    "if (terms.cache !== undefined) return 'all';",
  ),
  bug('taken back in the order of success', 'src/run/undo-steps.ts', 'return found.toReversed();', 'return found;'),
  {
    name: 'taken back again by whoever asks again',
    patches: [
      {
        file: 'src/facade/undo-run.ts',
        find: 'options.again !== true && (await asksFor(',
        replace: "last.status.state !== 'ended' && (await asksFor(",
      },
      {
        file: 'src/facade/undo-run.ts',
        find: '.filter(({ step }) => !before.undone.has(step.callId))',
        replace: '',
      },
    ],
  },
  bug(
    'undo goes on while one is open',
    'src/run/decide-undo.ts',
    "if (turn?.calls.some(({ phase }) => phase.kind !== 'settled') === true)",
    "if (turn?.calls.some(({ phase }) => phase.kind !== 'settled' && phase.kind !== 'doubtful') === true)",
  ),
];
