/**
 * One append until it is known to be committed, or known to be impossible.
 *
 * K1 Whether an append without an answer was committed is read from the journal before anything else happens. (R32)
 * K2 A store that takes no writes is waited for, with growing pauses, as long as the driver is not told to close: nothing starts meanwhile. (R33)
 */
import { isAxleError, messageOf } from '../error/axle-error.ts';
import type { AppendBatch, Position, PostedItem } from '../journal/store.ts';
import type { Engine } from './engine.ts';

/** The journal has another owner. */
export class Fenced extends Error {}
/** Something was posted that the batch does not know of, and the batch ends the run. */
export class Outdated extends Error {}
/** The driver was told to close while the store took no writes. */
export class Closed extends Error {}

const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** @throws Fenced, Closed, Outdated, and what the store throws that waiting does not mend */
export function commit(engine: Engine, batch: AppendBatch, isClosing: () => boolean): Promise<Position> {
  return patiently(engine, isClosing, () =>
    engine.store.append(batch).catch((error: unknown) => {
      if (isAxleError(error, 'append-fenced')) throw new Fenced();
      if (isAxleError(error, 'append-outdated')) throw new Outdated();
      if (isAxleError(error, 'append-unconfirmed')) return readBack(engine, batch);
      throw error;
    }),
  );
}

/** What was posted to a run; a store that does not answer is waited for like one that takes no writes, since what is in hand must not be lost over it. */
export async function readPosts(
  engine: Engine,
  of: { readonly runId: string; readonly cursor: number; readonly isClosing: () => boolean },
): Promise<readonly PostedItem[]> {
  return patiently(engine, of.isClosing, () => engine.store.posts(of.runId, of.cursor));
}

/** Tries until there is an answer; undefined, and a store that is not available, stand for none. */
async function patiently<T>(
  engine: Engine,
  isClosing: () => boolean,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    let reason = 'It is not known whether the last append was committed.';
    try {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    } catch (error) {
      if (!isAxleError(error, 'store-unavailable')) throw error;
      reason = messageOf(error);
    }
    engine.log('warn', 'The store does not answer now; the run waits.', {
      reason,
      retryInMs: pauseMs,
    });
    if (isClosing()) throw new Closed();
    await new Promise<void>((resolve) => {
      engine.timers.after(pauseMs, resolve);
    });
  }
}

/** The position of an append that turns out to be in the journal (all that is committed by now stands for it); undefined when it is not there. */
async function readBack(engine: Engine, { runId, append }: AppendBatch): Promise<Position | undefined> {
  try {
    const [found] = await engine.store.read(runId, { afterSeq: append.firstSeq - 1, limit: 1 });
    if (found === undefined) return undefined;
    if (found.epoch === append.epoch && found.firstSeq === append.firstSeq) return Number.MAX_SAFE_INTEGER;
  } catch (error) {
    if (isAxleError(error, 'store-unavailable')) return undefined;
    throw error;
  }
  throw new Fenced();
}
