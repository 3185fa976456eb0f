/** What holds of named locks. One process alone is judged: the locks are those of one driver, over its lives. (S8) */
import type { Request } from '../history/history.ts';
import { lockModeOf } from '../world/locked-tools.ts';
import { isRecord } from '../../../src/util/json.ts';
import { type CallStory, type Evidence, named } from './evidence.ts';

/** N1: in one life of a process, attempts with the lock overlap only where all of them share it. */
export function* locksExclude({ history }: Evidence): Iterable<string> {
  const requests = history.requests.filter(({ tool }) => lockModeOf(tool) !== undefined);
  for (const request of requests) {
    const other = requests.find(
      (before) =>
        before !== request &&
        before.by === request.by &&
        before.at < request.at &&
        before.endedAt > request.at &&
        !(isShared(before) && isShared(request)),
    );
    if (other !== undefined) yield `${nameOf(request)} had the lock while ${nameOf(other)} had it in ${request.by}.`;
  }
}

/**
 * N4: from the announcement of an attempt that keeps its lock until it is known what became of it, no other attempt has the lock: not in this life of the process, and
 * not in the next. A power cut may take what was known, and of several drivers each has locks of its own.
 */
export function* doubtsKeepLocks({ history, stories }: Evidence): Iterable<string> {
  const drivers = new Set(history.claims.map(({ by }) => by.split('.')[0]));
  if (drivers.size > 1 || history.crashes.some(({ by }) => by === 'the machine')) return;
  for (const { calls } of stories) {
    for (const call of calls) {
      if (call.terms.locks?.some(({ keptInDoubt }) => keptInDoubt === true) !== true) continue;
      for (const { since, until } of timesOfDoubt(call)) {
        const other = history.requests.find(
          (request) =>
            lockModeOf(request.tool) !== undefined &&
            request.at > since &&
            request.at < until &&
            !(request.runId === call.runId && request.callId === call.callId),
        );
        if (other !== undefined) yield `${nameOf(other)} had the lock that ${named(call)} keeps.`;
      }
    }
  }
}

/** N3, L13: a lock comes back, so nobody waits in vain but for a doubt, where nobody stands still. */
export function* locksComeBack({ history, stories }: Evidence): Iterable<string> {
  if (history.freezes.length > 0 || history.jumps.length > 0) return;
  for (const { lines, runId } of stories) {
    for (const { entry } of lines) {
      if (entry.type !== 'admission-refused' || entry.failure.code !== 'lock-wait-too-long') continue;
      const { details } = entry.failure;
      const isForDoubt = isRecord(details) && details['inDoubt'] === true;
      if (!isForDoubt) yield `The call ${runId}/${entry.callId} waited ${entry.waitedMs} ms for its lock in vain.`;
    }
  }
}

/** From each announcement to the append that says what became of it, in moments. */
function timesOfDoubt({ lines }: CallStory): readonly { readonly since: number; readonly until: number }[] {
  return lines.flatMap((line, index) => {
    if (line.entry.type !== 'attempt-started') return [];
    const known = lines.slice(index + 1).find(({ entry }) => {
      if (entry.type === 'call-resolved' || entry.type === 'call-settled') return true;
      if (entry.type !== 'attempt-finished') return false;
      return entry.result.status === 'succeeded' || entry.result.failure.evidence === 'none';
    });
    return [{ since: line.from.at, until: known?.from.at ?? Infinity }];
  });
}

function isShared({ tool }: Request): boolean {
  return lockModeOf(tool) === 'shared';
}

function nameOf({ runId, callId, attempt, tool }: Request): string {
  return `attempt ${attempt} of ${runId}/${callId} (${tool})`;
}
