/** What people decide, and logins that calls wait for. */
import { driver, evolveCall, disk } from './places.ts';
import { bug, type PlantedBug } from './planted-bug.ts';

const authorization = 'src/run/authorization.ts';
const posts = 'src/run/post-entry.ts';

/** People's decisions, and coming to rest. */
export const people: readonly PlantedBug[] = [
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
    'const call = entry.edited === undefined ? {}',
    'const call = entry.approvalId !== undefined ? {}',
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
  bug('* timer starved by a clock that was set back', 'src/run/nap.ts', 'this.reachedMs = wakeAtMs;', ''),
  bug(
    '* waiting caller looks all the time',
    'src/facade/look-pause.ts',
    'rests ? Math.min(this.#pauseMs * 2, this.#longestMs) : shortestMs',
    'shortestMs',
  ),
  bug(
    '* closing driver writes down every tick',
    driver,
    'this.#isClosing ? undefined : next.wakeAtMs;',
    'next.wakeAtMs;',
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

/** Logins that calls wait for. */
export const logins: readonly PlantedBug[] = [
  bug(
    'write waits for a login without proof',
    authorization,
    "failure.evidence !== 'none' || callState.mayHaveHappened",
    'call.terms.settleMs < 0',
  ),
  bug(
    'login that was refused counts as granted',
    authorization,
    "entry.type === 'authorization-answered' && entry.granted;",
    "entry.type === 'authorization-answered';",
  ),
  {
    name: 'word about a login counts for the next one too',
    patches: [
      {
        file: 'src/facade/answers.ts',
        find: 'const uniqueKey = `authorization:${authorizationId}`;',
        replace: 'const uniqueKey = `authorization:${authorizationId} ${note}`;',
      },
      {
        file: posts,
        find: "const authorizationId = textOf(body, 'authorizationId') ?? '';",
        replace: "const authorizationId = authorizingCalls(state)[0]?.phase.authorizationId ?? '';",
      },
    ],
  },
  bug(
    'word about a login taken after its question expired',
    posts,
    'if (first.phase.expiresAtMs <= state.nowMs)',
    'if (first.phase.expiresAtMs < 0)',
  ),
  bug(
    'word about a login frees one call only',
    posts,
    'return waiting.map(({ callId }) =>',
    'return waiting.slice(0, 1).map(({ callId }) =>',
  ),
  bug(
    'asked for a login for ever',
    authorization,
    'if (authorizations >= maxAuthorizations ||',
    'if (authorizations > 1_000 ||',
  ),
];
