/** Tells of an answer in another form than declared: a line of the log, and one more in the count of its tool and version. */
import type { Call } from '../call/call.ts';
import type { Drift } from '../call/drift.ts';
import { messageOf } from '../error/axle-error.ts';
import type { Engine } from './engine.ts';

/** Nobody waits for it, and nothing depends on it. */
export function noteDrift(engine: Engine, call: Call, about: { readonly runId: string; readonly drift: Drift }): void {
  const { tool, toolVersion: version, callId } = call;
  const { runId } = about;
  const { shape, missing, unexpected, changed, rawHash } = about.drift;
  const atMs = engine.clock.nowMs();
  const difference = { missing, unexpected, changed };
  engine.drifts.note({ tool, version, shape, difference, runId, callId, atMs }).then(
    (count) =>
      engine.log('warn', 'A tool answered in another form than it declares.', {
        tool,
        version,
        callId,
        count,
        isNew: count === 1,
        missing,
        unexpected,
        changed: changed.map(({ path, declared, came }) => `${path}: ${came} instead of ${declared}`),
        rawHash,
      }),
    (error: unknown) =>
      engine.log('warn', 'A drift could not be counted.', { tool, version, reason: messageOf(error) }),
  );
}
