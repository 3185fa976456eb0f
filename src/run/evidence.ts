/** Results that nobody waits for any more: kept, because they may settle a doubt. (R14) */
import type { AttemptResult } from '../call/outcome.ts';
import { messageOf } from '../error/axle-error.ts';
import type { JsonValue } from '../util/json.ts';
import type { Engine } from './engine.ts';

export interface LateResult {
  readonly runId: string;
  readonly callId: string;
  readonly attempt: number;
  readonly result: AttemptResult;
}

/** Posts a late result of an effect to its run; whoever owns the run now takes it in. It is never an entry of its own making. */
export function handInEvidence(engine: Engine, { runId, callId, attempt, result }: LateResult): void {
  const post = {
    runId,
    kind: 'evidence',
    body: bodyOf(callId, attempt, result),
    uniqueKey: `evidence:${callId}#${attempt}`,
    atMs: engine.clock.nowMs(),
  } as const;
  /* @crashpoint evidence-before-post */
  engine.store.post(post).then(
    () => {
      /* @crashpoint evidence-after-post */
      engine.log('info', 'A late result was kept as evidence.', { callId, attempt });
    },
    (error: unknown) =>
      engine.log('warn', 'A late result could not be kept.', { callId, attempt, reason: messageOf(error) }),
  );
}

function bodyOf(callId: string, attempt: number, result: AttemptResult): JsonValue {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a result is JSON data (attempt.ts saw to that); the interface hides it from the compiler.
  const data = result as AttemptResult & JsonValue;
  return { callId, attempt, result: data };
}
