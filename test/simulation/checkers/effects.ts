/** What the world's ledger must say, given what the journals say (R2, R8, R9, L1). */
import type { Committed, Effect, History } from '../history/history.ts';
import { type CallStory, type Evidence, foundOutSince, lastBefore, type Line, named } from './evidence.ts';

/**
 * R2: every effect was announced by a durable entry of the same process, with the same arguments, before it was sent. A read may be sent while its announcement
 * waits for its commit: the next append of its driver has it, if there is one.
 */
export function* intentBeforeEffect({ history, startsOf }: Evidence): Iterable<string> {
  for (const effect of history.effects) {
    const own = startsOf(effect.runId, effect.callId, effect.attempt).filter(
      ({ from }) => from.by === effect.by && from.lostAt > effect.sentAt,
    );
    const starts = own.filter(({ from }) => from.at < effect.sentAt);
    const label = `effect of ${effect.tool} (${effect.runId}/${effect.callId}#${effect.attempt}, sent at moment ${effect.sentAt})`;
    if (starts.length === 0 && effect.kind === 'read') {
      const next = nextOfDriver(history, effect);
      if (next !== undefined && !own.some(({ from, args }) => from === next && args === effect.args)) {
        yield `The ${label} was not announced by the next entries that its driver committed.`;
      }
    } else if (starts.length === 0) yield `The ${label} was not announced by a committed entry.`;
    else if (!starts.some(({ args }) => args === effect.args)) {
      yield `The ${label} had other arguments than its call: ${effect.args}.`;
    } else if (effect.kind !== 'read' && !starts.some(({ from }) => from.syncedAt < effect.sentAt)) {
      yield `The ${label} was announced, and not synced.`;
    }
  }
}

/** What the driver that sent an effect committed next, as far as it can be told from drivers that its process had later. */
function nextOfDriver(history: History, { runId, by, sentAt }: Effect): Committed | undefined {
  const own = history.committed.filter((append) => append.runId === runId && append.by === by);
  const last = own.findLast(({ at }) => at < sentAt);
  const next = own.find(({ at }) => at > sentAt);
  return last?.append.epoch === next?.append.epoch ? next : undefined;
}

/** R8: all effects of an idempotent call carry one key and the same arguments, and the service did it once. */
export function* idempotentKeys({ history, stories, callOf, effects: performed }: Evidence): Iterable<string> {
  const meantBy = new Map<string, string>();
  // Here reads that are in no journal count: what was sent under a key was sent.
  for (const effect of history.effects) {
    const meaning = `${callOf(effect)}${effect.kind === 'read' ? ` with ${effect.args}` : ''}`;
    const other = meantBy.get(effect.key) ?? meaning;
    if (other !== meaning) yield `The calls ${other} and ${meaning} share an idempotency key.`;
    meantBy.set(effect.key, meaning);
  }
  for (const [call, effects] of Map.groupBy(performed, callOf)) {
    const [first] = effects;
    if (first === undefined || first.kind === 'read') continue;
    if (effects.some((effect) => effect.key !== first.key)) {
      yield `The call ${call} was sent with several idempotency keys.`;
    }
    if (!first.kind.startsWith('idempotent')) continue;
    if (effects.some((effect) => effect.args !== first.args)) {
      yield `The call ${call} was sent with several arguments under one key.`;
    }
    if (effects.filter((effect) => effect.isFirst).length > 1) {
      yield `The idempotent call ${call} had its effect more than once.`;
    }
  }
  if (stories.length === 0 && history.effects.length > 0) yield 'There are effects and no journals.';
}

/** R9: a write has at most one effect for each announced attempt, and a second attempt only by licence. */
export function* writesAtMostOnce({ stories, effectsOf }: Evidence): Iterable<string> {
  for (const { calls, appends } of stories) {
    // A journal that a power cut cut short answers for what happened until then.
    const endedAt = appends.at(-1)?.lostAt ?? Infinity;
    for (const call of calls) {
      if (call.terms.effect !== 'write') continue;
      const effects = effectsOf(call.runId, call.callId).filter((effect) => effect.at < endedAt);
      for (const [attempt, own] of Map.groupBy(effects, (effect) => effect.attempt)) {
        if (own.length > 1) yield `Attempt ${attempt} of ${named(call)} had ${own.length} effects.`;
      }
      for (const line of call.lines) {
        if (line.entry.type === 'attempt-started' && !hasLicence(call, line)) {
          yield `Attempt ${line.entry.attempt} of ${named(call)} began although the one before may have had its effect.`;
        }
      }
      yield* doubledEffects(call, effects);
    }
  }
}

/** True when nothing was attempted before, or it is proved, or a resolution says, that nothing happened. */
function hasLicence({ lines }: CallStory, start: Line): boolean {
  const before = lastBefore(lines, 'attempt-started', start.seq);
  if (before === undefined) return true;
  const finished = lastBefore(lines, 'attempt-finished', start.seq);
  const resolved = lastBefore(lines, 'call-resolved', start.seq);
  if (resolved !== undefined && resolved.seq > before.seq) {
    return resolved.entry.verdict.kind === 'not-happened' && resolved.entry.verdict.then === 'retry';
  }
  if (finished === undefined || finished.seq < before.seq || finished.entry.result.status !== 'failed') return false;
  const { failure } = finished.entry.result;
  const granted = lastBefore(lines, 'authorization-answered', start.seq);
  const isGranted = granted !== undefined && granted.seq > finished.seq && granted.entry.granted;
  return failure.evidence === 'none' && (failure.class === 'retryable' || isGranted);
}

/**
 * Two effects of one write are explained only by a late one: when somebody found out that nothing had happened, nothing had. It takes a process that stands
 * still over its own time limit, and wakes.
 */
function* doubledEffects(call: CallStory, effects: readonly Effect[]): Iterable<string> {
  if (effects.length < 2) return;
  const [first] = effects.toSorted((a, b) => a.at - b.at);
  const isOutrun = call.lines.some(
    (line) =>
      line.entry.type === 'call-resolved' &&
      line.entry.verdict.kind === 'not-happened' &&
      (foundOutSince(call.lines, line) ?? Infinity) < (first?.at ?? 0),
  );
  if (!isOutrun) {
    yield `The write ${named(call)} had more than one effect, and nobody had said, truly, that none had happened.`;
  }
}

/** L1: what has succeeded is never attempted again. */
export function* finishedStaysFinished({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      const success = call.lines.find(
        ({ entry }) => entry.type === 'attempt-finished' && entry.result.status === 'succeeded',
      );
      if (success === undefined) continue;
      if (call.lines.some(({ entry, seq }) => entry.type === 'attempt-started' && seq > success.seq)) {
        yield `${named(call)} was attempted again after it had succeeded.`;
      }
    }
  }
}

/** Writes that had more than one effect all the same: the price of letting a verification decide about a process that only stood still. */
export function countOutrun({ stories, effectsOf }: Evidence): number {
  return stories
    .filter((story) => story.isFinal)
    .flatMap(({ calls }) => calls)
    .filter((call) => call.terms.effect === 'write' && effectsOf(call.runId, call.callId).length > 1).length;
}

/** How many effects nothing explains: the `doubled` of a report. */
export function countDoubled(evidence: Evidence): number {
  return [...writesAtMostOnce(evidence)].length + [...idempotentKeys(evidence)].length;
}
