/**
 * Bugs that are put into the code on purpose, by changing its text as it is loaded: each must be found, or the simulation proves nothing.
 * Shipped code has no switch for them. A text that is not found exactly once means that the code has changed and the bug must be planted anew.
 * Those marked with a star were once real, and were found by the simulation.
 */
export interface Patch {
  /** Under the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface PlantedBug {
  readonly name: string;
  readonly patches: readonly Patch[];
}

const driver = 'src/run/run-driver.ts';
const machine = 'src/run/call-machine.ts';
const perform = 'src/run/perform.ts';
const evolveCall = 'src/run/evolve-call.ts';
const disk = 'test/simulation/store/fake-disk.ts';

function bug(name: string, file: string, find: string, replace: string): PlantedBug {
  return { name, patches: [{ file, find, replace }] };
}

/** Order of intent, effect and outcome. */
const order: readonly PlantedBug[] = [
  bug(
    'effect before begun',
    driver,
    'if (!(await this.#commit(next))) continue;',
    "if (next.kind === 'rest') for (const work of next.work) this.#begin(work);\n      if (!(await this.#commit(next))) continue;",
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
    'await context.synced();\n    /* @crashpoint effect-after-sync */',
    'context.synced().catch(() => {});',
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
  bug('run acknowledged before it is synced', 'src/facade/create-axle.ts', 'await store.synced(made.position);', ''),
  bug(
    '* question shown before it is synced',
    'src/facade/answers.ts',
    'await this.#store.synced(Number.MAX_SAFE_INTEGER);',
    '',
  ),
  bug('results out of order', 'src/run/evolve-turn.ts', 'results.push(', 'results.unshift('),
];

/** Identity and fencing. */
const identity: readonly PlantedBug[] = [
  bug(
    'random idempotency key',
    'src/run/idempotency-key.ts',
    'return sha256(`axle/idempotency/1 ${runId} ${callId}`);',
    'draws += 1;\n  return sha256(`${draws} ${runId} ${callId}`);\n}\nlet draws = 0;\n{',
  ),
  bug(
    'idempotency key includes the attempt',
    perform,
    'idempotencyKey: idempotencyKeyOf(runId, callId)',
    'idempotencyKey: idempotencyKeyOf(runId, `${callId}#${work.attempt}`)',
  ),
  bug('no epoch check', disk, 'append.epoch !== summary.epoch || append.firstSeq', 'append.firstSeq'),
  {
    name: 'epoch check outside the transaction',
    patches: [
      { file: disk, find: 'append.epoch !== summary.epoch || append.firstSeq', replace: 'append.firstSeq' },
      {
        file: 'test/simulation/store/fake-store.ts',
        find: "return this.#do('append', 'write', () => this.#disk.append(batch, this.#gate.name));",
        replace: `return this.#do('run', 'read', () => this.#disk.summary(batch.runId)?.epoch).then((epoch) => {
      if (epoch !== batch.append.epoch) throw new AxleError('append-fenced', 'The run has another owner.');
      return this.#do('append', 'write', () => this.#disk.append(batch, this.#gate.name));
    });`,
      },
    ],
  },
  bug(
    'claim does not raise the epoch',
    disk,
    'epoch: row.summary.epoch + 1 }',
    'epoch: Math.max(1, row.summary.epoch) }',
  ),
  bug(
    '* overtaken claim performs what it reads',
    driver,
    'if (this.#state.epoch > this.#epoch) return',
    'if (this.#state.epoch > 1_000_000) return',
  ),
  bug(
    '* entries behind the end of a run',
    driver,
    "if (this.#state.stage === 'ended') return await this.#ended();",
    '',
  ),
  bug(
    'unconfirmed append believed',
    'src/run/commit.ts',
    'return readBack(engine, batch);',
    'return Number.MAX_SAFE_INTEGER;',
  ),
  bug(
    'unconfirmed append made again behind itself',
    'src/run/commit.ts',
    'return readBack(engine, batch);',
    'return engine.store.append({ ...batch, append: { ...batch.append, firstSeq: batch.append.firstSeq + batch.append.entries.length } }).catch(() => readBack(engine, batch));',
  ),
  bug(
    'part of a snapshot is skipped',
    'src/run/load-run.ts',
    'append.firstSeq > control.seq)',
    'append.firstSeq > control.seq + 1)',
  ),
  bug(
    'snapshot ahead of its entries',
    'src/run/load-run.ts',
    'return { seq: state.seq, state: { version: snapshotVersion, control: data } };',
    'return { seq: state.seq + 1, state: { version: snapshotVersion, control: { ...data, seq: state.seq + 1 } } };',
  ),
  bug(
    'snapshot forgets what people refused',
    'src/run/load-run.ts',
    'control: data } };',
    'control: { ...data, denied: [] } } };',
  ),
];

/** Faults of a store. */
const store: readonly PlantedBug[] = [
  bug(
    'one key, two runs',
    disk,
    'run.key !== undefined && other.run.key === run.key',
    'run.key !== undefined && other.run.key === run.key && other.run.runId === run.runId',
  ),
  bug(
    'power cut takes what was synced',
    disk,
    'const length = this.#synced + Math.round((open * kept) / 255);',
    'const length = Math.max(0, this.#synced - 1 + Math.round((open * kept) / 255));',
  ),
  bug(
    'append changes what stands before it',
    disk,
    'row.rows.push(written);',
    'row.rows.push(written.lastSeq % 5 === 0 ? { ...written, text: written.text.replace(\'"tookMs":\', \'"tookMs":1\') } : written);',
  ),
];

/** What becomes of a call. */
const calls: readonly PlantedBug[] = [
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
        find: "(terms.effect !== 'write' || failure.evidence === 'none');\n  const attemptsUsed",
        replace: 'true;\n  const attemptsUsed',
      },
    ],
  },
  bug(
    'what succeeded is attempted again',
    machine,
    "if (phase.result.status === 'succeeded') return",
    "if (phase.result.status === 'succeeded' && call.terms.effect === 'idempotent' && callState.attempts === 1) return [{ type: 'retry-scheduled', callId, attempt: 2, dueAtMs: state.nowMs }];\n  if (phase.result.status === 'succeeded') return",
  ),
  bug(
    'tried more often than declared',
    machine,
    'attemptsUsed < terms.maxAttempts',
    'attemptsUsed < terms.maxAttempts + 3',
  ),
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

/** People's decisions, and coming to rest. */
const people: readonly PlantedBug[] = [
  bug(
    'denial ignored',
    evolveCall,
    'if (denial !== undefined) return to(',
    "if (denial !== undefined && entry.note === '') return to(",
  ),
  bug(
    'approval counts for the tool',
    'src/run/pipeline.ts',
    'const decided = decisionOf(engine.policy,',
    "const decided = state.transcript.items().some((item) => item.kind === 'results' && item.results.some((result) => result.toolName === call.tool && result.outcome.status === 'succeeded')) ? ({ kind: 'allow', rule: 'planted' } as const) : decisionOf(engine.policy,",
  ),
  bug(
    'approval not used up',
    'src/run/pipeline.ts',
    'const decided = decisionOf(engine.policy,',
    "const decided = state.transcript.items().some((item) => item.kind === 'assistant' && item.calls.some((other) => other.toolName === call.tool && canonicalJson(other.input) === canonicalJson(call.input))) ? ({ kind: 'allow', rule: 'planted' } as const) : decisionOf(engine.policy,",
  ),
  bug(
    '* answer taken after its question expired',
    driver,
    'until its question had expired. this.#passTime();',
    'until its question had expired.',
  ),
  bug(
    'edited arguments not used',
    evolveCall,
    'const call = edited === undefined ? {}',
    'const call = edited !== undefined || edited === undefined ? {}',
  ),
  bug(
    'waiting run never woken',
    'src/dispatch/in-process.ts',
    'if (wakeAtMs < Infinity) this.#sleep(',
    'if (wakeAtMs < 0) this.#sleep(',
  ),
  bug(
    '* overdue run spun upon',
    'src/dispatch/in-process.ts',
    'const overduePauseMs = 100;',
    'const overduePauseMs = 0;',
  ),
  bug(
    '* dispatcher cannot close over a failed start',
    'src/dispatch/in-process.ts',
    '    } catch (error) {\n      this.#letGo(run.runId);',
    '    } catch (error) {\n      this.#active.delete(run.runId);',
  ),
  {
    name: '* start without an answer is never driven',
    patches: [
      { file: 'src/dispatch/in-process.ts', find: 'drives it. (R1) this.#look();', replace: '' },
      { file: 'src/dispatch/in-process.ts', find: 'is asked again soon. this.#sleep(1_000);', replace: '' },
    ],
  },
  bug('* timer starved by a clock that was set back', driver, 'this.#reachedMs = wakeAtMs;', ''),
  bug(
    '* closing driver writes down every tick',
    driver,
    'this.#stirred(this.#isClosing ? undefined : next.wakeAtMs)',
    'this.#stirred(next.wakeAtMs)',
  ),
  bug(
    'run closed in the middle sleeps for ever',
    driver,
    "return { kind: 'rest', work: [], waitingOn: [{ kind: 'timer', dueAtMs: nowMs }], wakeAtMs: nowMs };",
    "return { kind: 'rest', work: [], waitingOn: nowMs < 0 ? [{ kind: 'timer', dueAtMs: nowMs }] : [] };",
  ),
  bug(
    'post not noticed at the end',
    disk,
    'lastPost > (batch.inboxCursor ?? 0)',
    'lastPost > (batch.inboxCursor ?? 0) + 1_000',
  ),
];

export const plantedBugs: readonly PlantedBug[] = [...order, ...identity, ...store, ...calls, ...people];
