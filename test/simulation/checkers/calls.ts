/** What becomes of a call: retries, doubts, outcomes (R7, R10-R14, R26, R30). */
import type { Effect } from '../history/history.ts';
import { baseOf, type CallStory, type Evidence, foundOutSince, lastBefore, type Line, named } from './evidence.ts';

/** R7, L4: a call is settled once, with one result for each attempt, by the process that made the attempt; nothing changes it afterwards. (R14) */
export function* oneOutcome({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      const settled = call.lines.filter(
        ({ entry }) =>
          entry.type === 'call-settled' || entry.type === 'approval-expired' || entry.type === 'call-cached',
      );
      if (settled.length > 1) yield `${named(call)} was settled ${settled.length} times.`;
      const [end] = settled;
      const after =
        end === undefined
          ? undefined
          : call.lines.find(({ entry, seq }) => seq > end.seq && entry.type !== 'evidence-received');
      if (after !== undefined) yield `${named(call)} went on with ${after.entry.type} after it was settled.`;
      for (const line of call.lines) {
        if (line.entry.type !== 'attempt-finished') continue;
        const start = lastBefore(call.lines, 'attempt-started', line.seq);
        if (start?.entry.attempt !== line.entry.attempt) {
          yield `A result of attempt ${line.entry.attempt} of ${named(call)} came while another attempt was under way.`;
        } else if (start.from.append.epoch !== line.from.append.epoch) {
          yield `The result of attempt ${line.entry.attempt} of ${named(call)} was recorded by another epoch than the one that made it.`;
        }
        const other = lastBefore(call.lines, 'attempt-finished', line.seq);
        if (other?.entry.attempt === line.entry.attempt) {
          yield `Attempt ${line.entry.attempt} of ${named(call)} has two results.`;
        }
      }
    }
  }
}

/** R10: a write is in doubt exactly when its attempt began and nobody knows how it ended; and what is said of an effect is true. */
export function* inDoubtIffUnknown(evidence: Evidence): Iterable<string> {
  for (const { calls } of evidence.stories) {
    for (const call of calls) {
      for (const line of call.lines) {
        if (line.entry.type === 'call-doubted' && !isUnknown(call, line)) {
          yield `${named(call)} is in doubt although it is known how attempt ${line.entry.attempt} ended.`;
        }
        if (line.entry.type === 'call-settled') {
          yield* truthOfSettlement(call, line, evidence.effectsOf(call.runId, call.callId));
        }
      }
    }
  }
}

function isUnknown({ terms, lines }: CallStory, doubt: Line): boolean {
  if (doubt.entry.type !== 'call-doubted' || terms.effect !== 'write') return false;
  const start = lastBefore(lines, 'attempt-started', doubt.seq);
  const finished = lastBefore(lines, 'attempt-finished', doubt.seq);
  if (start?.entry.attempt !== doubt.entry.attempt) return false;
  if (finished === undefined || finished.seq < start.seq) {
    return doubt.entry.reason === 'crash' && doubt.from.append.epoch > start.from.append.epoch;
  }
  return (
    doubt.entry.reason === 'no-answer' &&
    finished.entry.result.status === 'failed' &&
    finished.entry.result.failure.evidence === 'unknown'
  );
}

function* truthOfSettlement(call: CallStory, line: Line, effects: readonly Effect[]): Iterable<string> {
  if (line.entry.type !== 'call-settled' || call.terms.effect === 'read') return;
  const { status, outcome } = line.entry;
  const happened = effects.some((effect) => effect.at < line.from.at);
  if (status === 'succeeded' && !happened) {
    yield `${named(call)} is said to have succeeded, and the world knows nothing of it.`;
  }
  const saysNothing =
    status === 'cancelled' || status === 'denied' || (outcome?.status === 'failed' && !outcome.effectMayHaveHappened);
  if (saysNothing && happened && !isOutrun(call, line, effects)) {
    yield `${named(call)} is said to have had no effect (${status}), and it had one.`;
  }
  if (call.terms.effect !== 'write') return;
  const start = lastBefore(call.lines, 'attempt-started', line.seq);
  const finished = lastBefore(call.lines, 'attempt-finished', line.seq);
  const resolved = lastBefore(call.lines, 'call-resolved', line.seq);
  const isOpen =
    start !== undefined &&
    (finished === undefined ||
      finished.seq < start.seq ||
      (finished.entry.result.status === 'failed' && finished.entry.result.failure.evidence === 'unknown'));
  if (isOpen && (resolved === undefined || resolved.seq < start.seq)) {
    yield `${named(call)} was settled (${status}) although nobody knows how its attempt ended.`;
  }
}

/** The effect came after somebody had found out, truthfully, that there was none. */
function isOutrun({ lines }: CallStory, settled: Line, effects: readonly Effect[]): boolean {
  const resolved = lastBefore(lines, 'call-resolved', settled.seq);
  const since = resolved === undefined ? undefined : foundOutSince(lines, resolved);
  return since !== undefined && effects.every((effect) => effect.at > since);
}

/** R11: a doubt blocks the next model call and the finish of its run, and only somebody's word ends it. */
export function* doubtBlocks({ stories, effectsOf }: Evidence): Iterable<string> {
  for (const { runId, lines, calls } of stories) {
    const open = new Set<string>();
    for (const { entry } of lines) {
      if (entry.type === 'call-bound') open.add(entry.call.callId);
      if (entry.type === 'call-settled' || entry.type === 'approval-expired' || entry.type === 'call-cached') {
        open.delete(entry.callId);
      }
      if (entry.type === 'call-decided' && entry.decision.kind === 'deny') open.delete(entry.callId);
      if (entry.type === 'approval-answered' && entry.verdict === 'deny') open.delete(entry.callId);
      if ((entry.type === 'run-finished' || entry.type === 'model-started') && open.size > 0) {
        yield `The run ${runId} went on with ${entry.type} while ${[...open].join(', ')} was open.`;
      }
    }
    for (const call of calls) {
      for (const line of call.lines) {
        if (line.entry.type === 'call-resolved') yield* groundsOf(call, line, effectsOf(call.runId, call.callId));
      }
    }
  }
}

function* groundsOf(call: CallStory, line: Line, effects: readonly Effect[]): Iterable<string> {
  if (line.entry.type !== 'call-resolved') return;
  const { verdict, by } = line.entry;
  const doubted = lastBefore(call.lines, 'call-doubted', line.seq);
  const verified = lastBefore(call.lines, 'verify-finished', line.seq);
  const evidence = call.lines.find(
    ({ entry, seq }) =>
      entry.type === 'evidence-received' &&
      seq < line.seq &&
      (entry.attempt === doubted?.entry.attempt || entry.result.status === 'succeeded'),
  );
  if (doubted === undefined) yield `${named(call)} was resolved without having been in doubt.`;
  if (by === 'verify' && (verified === undefined || verified.entry.verdict.kind !== verdict.kind)) {
    yield `${named(call)} was resolved by a verification that did not say so.`;
  }
  if (by === 'evidence' && evidence === undefined) yield `${named(call)} was resolved by evidence that is not there.`;
  if (by === 'policy' && verdict.kind !== 'told') yield `${named(call)} was resolved by policy to ${verdict.kind}.`;
  if (by !== 'policy' && verdict.kind === 'told') yield `${named(call)} was told to the model, and no policy says so.`;
  if (verdict.kind === 'happened' && !effects.some((effect) => effect.at < line.from.at)) {
    yield `${named(call)} is said to have happened (by ${by}), and it had not.`;
  }
  const since = foundOutSince(call.lines, line) ?? 0;
  if (verdict.kind === 'not-happened' && by !== 'person' && effects.some((effect) => effect.at < since)) {
    yield `${named(call)} is said not to have happened (by ${by}), and it had.`;
  }
}

/** R12: a verification is asked only after the attempt's time limit and the settling time; then, with honest clocks, nothing comes late. */
export function* probeAfterSettling({ stories, effectsOf, history }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      for (const line of call.lines) {
        if (line.entry.type === 'verify-started') {
          const doubted = lastBefore(call.lines, 'call-doubted', line.seq);
          if (doubted?.entry.verifyAtMs === undefined || line.from.append.atMs < doubted.entry.verifyAtMs) {
            yield `${named(call)} was verified before it had settled.`;
          }
          const start = lastBefore(call.lines, 'attempt-started', line.seq);
          const settledAtMs = (start?.from.append.atMs ?? Infinity) + call.terms.settleMs;
          if (line.from.append.atMs < settledAtMs) yield `${named(call)} was verified within its settling time.`;
        }
        if (
          line.entry.type !== 'call-resolved' ||
          line.entry.verdict.kind !== 'not-happened' ||
          line.entry.by !== 'verify' ||
          history.disturbances.length > 0
        ) {
          continue;
        }
        const doubted = lastBefore(call.lines, 'call-doubted', line.seq);
        // What was sent after a power cut had taken the answer back belongs to another history, which may do the same attempt.
        const late = effectsOf(call.runId, call.callId).find(
          (effect) =>
            effect.at > line.from.at &&
            effect.sentAt < line.from.lostAt &&
            effect.attempt <= (doubted?.entry.attempt ?? 0),
        );
        if (late !== undefined) yield `${named(call)} had its effect after a verification said that it did not happen.`;
      }
    }
  }
}

/** R13: a failed attempt is tried again only when it may be: by its class, and for a write only with proof; never more often than declared. */
export function* retriesAreEarned({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      let failures = 0;
      for (const line of call.lines) {
        // What an upstream refused did not begin, and uses up a try all the same.
        if (line.entry.type === 'admission-refused') failures += 1;
        if (line.entry.type === 'attempt-finished' && line.entry.result.status === 'failed') failures += 1;
        // What a person is asked about uses up none.
        if (line.entry.type === 'authorization-requested') failures -= 1;
        if (line.entry.type !== 'retry-scheduled') continue;
        const finished = lastBefore(call.lines, 'attempt-finished', line.seq);
        const refused = lastBefore(call.lines, 'admission-refused', line.seq);
        const isRefused = (refused?.seq ?? 0) > (finished?.seq ?? 0);
        const failed = finished?.entry.result.status === 'failed' ? finished.entry.result.failure : undefined;
        const failure = isRefused ? refused?.entry.failure : failed;
        if (failure?.class !== 'retryable') {
          yield `${named(call)} is tried again after something that time does not mend.`;
        }
        if (call.terms.effect === 'write' && failure?.evidence !== 'none') {
          yield `The write ${named(call)} is tried again without proof that nothing was sent.`;
        }
        if (failures >= call.terms.maxAttempts) yield `${named(call)} is tried more often than its contract allows.`;
        const next = isRefused ? refused?.entry.attempt : (finished?.entry.attempt ?? 0) + 1;
        if (line.entry.attempt !== next) yield `${named(call)} skips an attempt.`;
      }
    }
  }
}

/** R26: calls with an effect never overlap with others of their turn, and begin in the model's order. */
export function* oneEffectAtATime({ stories }: Evidence): Iterable<string> {
  for (const { runId, lines, calls } of stories) {
    const byId = new Map(calls.map((call) => [call.callId, call]));
    const begun = new Map<string, boolean>();
    for (const { entry } of lines) {
      // What an earlier owner had begun is over, as far as anybody can tell.
      if (entry.type === 'run-claimed') begun.clear();
      if (entry.type === 'attempt-finished' || entry.type === 'call-doubted') begun.delete(entry.callId);
      if (entry.type === 'call-fell-back') {
        const standIn = byId.get(`${entry.callId}~${entry.link}`);
        if (standIn !== undefined) byId.set(entry.callId, standIn);
      }
      if (entry.type !== 'attempt-started') continue;
      const call = byId.get(entry.callId);
      if (call === undefined) continue;
      const isParallel = call.terms.effect === 'read' || call.terms.parallel;
      for (const [other, otherIsParallel] of begun) {
        if (other !== entry.callId && (!isParallel || !otherIsParallel)) {
          yield `The calls ${other} and ${entry.callId} of ${runId} overlap, and one of them has an effect.`;
        }
      }
      if (!isParallel && begun.size === 0) yield* skipped(runId, entry.callId, lines, calls);
      begun.set(entry.callId, isParallel);
    }
  }
}

function* skipped(
  runId: string,
  callId: string,
  lines: readonly Line[],
  calls: readonly CallStory[],
): Iterable<string> {
  const [step = '', place = ''] = callId.split('.');
  const start = lines.find(({ entry }) => entry.type === 'attempt-started' && entry.callId === callId);
  for (const other of calls.filter(({ callId: id }) => id === baseOf(id))) {
    const [otherStep = '', otherPlace = ''] = other.callId.split('.');
    if (otherStep !== step || Number(otherPlace) >= Number(place) || start === undefined) continue;
    const whole = calls.filter((part) => baseOf(part.callId) === other.callId).flatMap((part) => part.lines);
    const isPast = whole.some(
      ({ entry, seq }) =>
        seq < start.seq &&
        (entry.type === 'call-settled' ||
          entry.type === 'call-cached' ||
          entry.type === 'call-doubted' ||
          entry.type === 'approval-expired' ||
          isDenial(entry)),
    );
    if (!isPast) yield `The call ${callId} of ${runId} began before ${other.callId}, which comes first.`;
  }
}

function isDenial(entry: Line['entry']): boolean {
  return (
    (entry.type === 'approval-answered' && entry.verdict === 'deny') ||
    (entry.type === 'call-decided' && entry.decision.kind === 'deny')
  );
}

/** R30, L10: after a durable cancellation nothing begins, and a write under way is not called cancelled without proof. */
export function* cancelStopsEverything({ stories }: Evidence): Iterable<string> {
  for (const { runId, lines, calls } of stories) {
    const cancel = lines.find(({ entry }) => entry.type === 'cancel-requested');
    if (cancel === undefined) continue;
    for (const { entry, seq } of lines) {
      if (seq > cancel.seq && (entry.type === 'attempt-started' || entry.type === 'model-started')) {
        yield `The run ${runId} was cancelled, and then came ${entry.type}.`;
      }
    }
    for (const call of calls) {
      const settled = call.lines.find(({ entry }) => entry.type === 'call-settled' && entry.status === 'cancelled');
      if (settled === undefined || call.terms.effect !== 'write') continue;
      const start = lastBefore(call.lines, 'attempt-started', settled.seq);
      const finished = lastBefore(call.lines, 'attempt-finished', settled.seq);
      const resolved = lastBefore(call.lines, 'call-resolved', settled.seq);
      const isProved =
        finished !== undefined &&
        finished.seq > (start?.seq ?? 0) &&
        finished.entry.result.status === 'failed' &&
        finished.entry.result.failure.evidence === 'none';
      if (start !== undefined && !isProved && resolved?.entry.verdict.kind !== 'not-happened') {
        yield `The write ${named(call)} is called cancelled, and its attempt may have had its effect.`;
      }
    }
  }
}
