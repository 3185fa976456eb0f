/** What holds at upstreams. One process alone is judged: the limits in memory are those of one driver, over its lives. (R21, R22) */
import type { History, Request } from '../history/history.ts';
import { upstreamLimits } from '../world/tools.ts';
import { baseOf, type CallStory, type Evidence, lastBefore, type Line, named } from './evidence.ts';

/** R21, M6: what an upstream limits, or wants a lock, is announced only once it was admitted, in the epoch that announces it. */
export function* admittedFirst({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      if (call.terms.upstream === undefined && call.terms.locks === undefined) continue;
      for (const { entry, seq, from } of call.lines) {
        if (entry.type !== 'attempt-started') continue;
        const admitted = lastBefore(call.lines, 'call-admitted', seq);
        const isOwn = admitted?.entry.attempt === entry.attempt && admitted.from.append.epoch === from.append.epoch;
        if (!isOwn) yield `Attempt ${entry.attempt} of ${named(call)} was announced and had not been admitted.`;
      }
    }
  }
}

/** R21: in one life of a process, no more attempts at an upstream are under way than it allows. */
export function* concurrencyHolds({ history }: Evidence): Iterable<string> {
  for (const [upstream, requests] of byUpstream(history.requests)) {
    const most = upstreamLimits.get(upstream)?.concurrency ?? Infinity;
    for (const request of requests) {
      const underWay = requests.filter(
        (other) => other.by === request.by && other.at <= request.at && other.endedAt > request.at,
      );
      if (underWay.length > most) yield `${underWay.length} attempts at ${upstream} were under way in ${request.by}.`;
    }
  }
}

/**
 * R21: over all lives of a process, a stretch of time sees no more attempts than the burst and what the rate brings in it. A power cut may take the knowledge that
 * a bucket was in use, and a clock that is set forward fills it: each brings a burst. A clock that was set back is right again, so set forward, in the next life. Whoever
 * stands still between its admission and its attempt, or waits for a store that is slow, attempts later what was admitted in time: such schedules show nothing.
 */
export function* rateHolds({ history }: Evidence): Iterable<string> {
  if (history.disturbances.length > history.jumps.length || history.outages.length > 0) return;
  for (const [upstream, all] of byUpstream(history.requests)) {
    const { rate, burst } = upstreamLimits.get(upstream) ?? { rate: undefined, burst: 1 };
    if (rate === undefined) continue;
    for (const requests of Map.groupBy(all, ({ by }) => placeOf(by)).values()) {
      for (const [index, first] of requests.entries()) {
        for (const last of requests.slice(index)) {
          const stretch = requests.filter(({ at }) => at >= first.at && at <= last.at);
          const count = stretch.length;
          const isBetween = ({ at }: { readonly at: number }): boolean => at > first.at && at < last.at;
          const isRightAgain = ({ at, by }: { readonly at: number; readonly by: string }): boolean =>
            at < first.at && by !== last.by && stretch.some((request) => request.by === by);
          const refills =
            history.jumps.filter((jump) => isBetween(jump) || isRightAgain(jump)).length +
            history.crashes.filter((crash) => crash.by === 'the machine' && isBetween(crash)).length;
          const brought = ((last.atMs - first.atMs + bunchingMs) * rate.calls) / rate.perMs;
          if (count > burst * (1 + refills) + brought) {
            yield `${count} attempts at ${upstream} began within ${last.atMs - first.atMs} ms.`;
          }
        }
      }
    }
  }
}

/** Attempts begin a few operations of the store after their admission, each of which may have to be asked for twice. */
const bunchingMs = 250;
/** A permit is given back a little before the entry that tells of it is written. */
const slackMs = 60;

/** R21, L13: a permit comes back, so nobody waits for long where nobody stands still. */
export function* permitsComeBack({ history, stories }: Evidence): Iterable<string> {
  if (history.freezes.length > 0 || history.jumps.length > 0) return;
  for (const { lines, runId } of stories) {
    for (const { entry } of lines) {
      if (entry.type === 'admission-refused' && entry.failure.code === 'upstream-wait-too-long') {
        yield `The call ${runId}/${entry.callId} waited ${entry.waitedMs} ms for ${entry.upstream} in vain.`;
      }
    }
  }
}

/** R22: a later life of a process leaves alone what an earlier one knew to be down, or was asked to leave alone. */
export function* restartsKnow({ history, stories }: Evidence): Iterable<string> {
  // Of several drivers of one store each knows its own; clocks that jump are another matter.
  const drivers = new Set(history.claims.map(({ by }) => placeOf(by)));
  if (drivers.size > 1 || history.jumps.length > 0) return;
  for (const { calls } of stories) {
    for (const call of calls) {
      const { upstream } = call.terms;
      if (upstream === undefined) continue;
      for (const { entry, from } of call.lines) {
        const untilMs = quietUntilMs(entry, saidAtMs(history, call, { entry, from }));
        if (untilMs === undefined) continue;
        const early = history.requests.find(
          (request) =>
            request.upstream === upstream &&
            request.by !== from.by &&
            request.at > from.at &&
            request.at < from.lostAt &&
            request.atMs < untilMs &&
            !isCalledOff(stories, { upstream, after: from.at, before: request.at }),
        );
        if (early !== undefined) {
          yield `${early.by} went to ${upstream} ${untilMs - early.atMs} ms before it may, by ${entry.type} of ${named(call)}.`;
        }
      }
    }
  }
}

/** When the upstream said it: the entry that tells of it may be written much later, where the store is slow or away. */
function saidAtMs(
  history: History,
  { runId, callId }: CallStory,
  { entry, from }: Pick<Line, 'entry' | 'from'>,
): number {
  if (entry.type !== 'attempt-finished') return from.append.atMs;
  const asked = history.requests.find(
    (request) =>
      request.by === from.by &&
      request.runId === runId &&
      request.callId === baseOf(callId) &&
      request.attempt === entry.attempt,
  );
  return Math.min(from.append.atMs, asked?.endedAtMs ?? Infinity);
}

/** The time until which an entry says that its upstream is to be left alone. A pause begins a little before the entry that tells of it. */
function quietUntilMs(entry: Evidence['stories'][number]['lines'][number]['entry'], atMs: number): number | undefined {
  if (entry.type === 'breaker-changed' && entry.to === 'open') return entry.untilMs;
  if (entry.type !== 'attempt-finished' || entry.result.status !== 'failed') return undefined;
  const { retryAfterMs } = entry.result.failure;
  return retryAfterMs === undefined ? undefined : atMs + retryAfterMs - slackMs;
}

/** True when the breaker was seen closed in between: then what was said before counts no more. */
function isCalledOff(
  stories: Evidence['stories'],
  about: { readonly upstream: string; readonly after: number; readonly before: number },
): boolean {
  return stories.some(({ lines }) =>
    lines.some(
      ({ entry, from }) =>
        entry.type === 'breaker-changed' &&
        entry.upstream === about.upstream &&
        entry.to === 'closed' &&
        from.at > about.after &&
        from.at < about.before,
    ),
  );
}

/** R22, U4: while an upstream is tried, one call tries. */
export function* oneTries({ history, stories }: Evidence): Iterable<string> {
  const probes = new Set(
    stories.flatMap(({ runId, lines }) =>
      lines.flatMap(({ entry, from }) =>
        entry.type === 'call-admitted' && entry.probe === true
          ? [`${from.by} ${runId}/${entry.callId}#${entry.attempt}`]
          : [],
      ),
    ),
  );
  const trying = history.requests.filter(({ by, runId, callId, attempt }) =>
    probes.has(`${by} ${runId}/${callId}#${attempt}`),
  );
  for (const request of trying) {
    const others = trying.filter(
      (other) =>
        other !== request &&
        other.by === request.by &&
        other.upstream === request.upstream &&
        other.at < request.at &&
        other.endedAt > request.at,
    );
    if (others.length > 0) yield `${others.length + 1} calls tried ${request.upstream} at once in ${request.by}.`;
  }
}

function byUpstream(requests: readonly Request[]): ReadonlyMap<string, readonly Request[]> {
  return Map.groupBy(requests, ({ upstream }) => upstream);
}

/** Where a process runs, whichever life it is in: `w0` of `w0.2`. */
function placeOf(by: string): string {
  return by.split('.')[0] ?? by;
}
