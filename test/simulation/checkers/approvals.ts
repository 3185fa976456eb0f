/** What people decided binds the exact call it was given for, once (R15-R17, L8). */
import type { EffectKind } from '../history/history.ts';
import { type CallStory, type Evidence, lastBefore, type Line, named } from './evidence.ts';

/** R15, R16: what needs an approval begins only with one: for this call and these arguments, in time, used once. */
export function* approvalsBind({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      const uses = new Map<string, number>();
      for (const line of call.lines) {
        if (line.entry.type === 'approval-answered') yield* answerFits(call, line);
        if (line.entry.type !== 'attempt-started') continue;
        const { approvalId } = line.entry;
        if (approvalId !== undefined) uses.set(approvalId, (uses.get(approvalId) ?? 0) + 1);
        yield* mayBegin(call, line);
      }
      for (const [approvalId, count] of uses) {
        if (count > 1) yield `The approval ${approvalId} was used ${count} times.`;
      }
    }
  }
}

function* answerFits(call: CallStory, line: Line): Iterable<string> {
  if (line.entry.type !== 'approval-answered') return;
  const decided = lastBefore(call.lines, 'call-decided', line.seq);
  const { approval } = decided?.entry ?? {};
  if (approval?.approvalId !== line.entry.approvalId) {
    yield `${named(call)} got an answer to another question than its own.`;
  }
  const migrated = lastBefore(call.lines, 'contract-migrated', line.seq)?.entry.calls;
  const inForce = migrated?.find(({ callId }) => callId === call.callId) ?? call.bound;
  if (line.entry.argsHash !== inForce.argsHash) {
    yield `${named(call)} got an answer that was given for other arguments.`;
  }
  if (line.from.append.atMs >= (approval?.expiresAtMs ?? Infinity)) {
    yield `${named(call)} got an answer after its question had expired.`;
  }
}

function* mayBegin(call: CallStory, line: Line): Iterable<string> {
  const decided = lastBefore(call.lines, 'call-decided', line.seq);
  if (decided === undefined) yield `${named(call)} began without a decision.`;
  if (decided?.entry.decision.kind === 'deny') yield `${named(call)} began although policy had denied it.`;
  if (decided?.entry.decision.kind !== 'ask') return;
  const answered = lastBefore(call.lines, 'approval-answered', line.seq);
  const isAnswer = answered?.entry.approvalId === decided.entry.approval?.approvalId;
  if (!isAnswer || answered?.entry.verdict !== 'approve') {
    yield `${named(call)} began without the approval that it needs.`;
  }
  const isFirst = lastBefore(call.lines, 'attempt-started', line.seq) === undefined;
  if (isFirst && line.entry.type === 'attempt-started' && line.entry.approvalId !== answered?.entry.approvalId) {
    yield `${named(call)} began without using up its approval.`;
  }
}

const needsAPerson = new Set<EffectKind>(['idempotent-approved', 'write-approved', 'irreversible']);

/** R15 in the world: an effect that needs a person's word has it, for exactly this call and the arguments that this person saw. (L8) */
export function* peopleMeantIt({ history, stories, callOf, effects }: Evidence): Iterable<string> {
  const asked = new Set(
    stories.flatMap(({ calls }) =>
      calls
        .filter((call) =>
          // A power cut may take back a question, with the reason to ask it: then it is not the one that this start was to wait for.
          call.lines.some(
            ({ entry, seq }) =>
              entry.type === 'attempt-started' &&
              lastBefore(call.lines, 'call-decided', seq)?.entry.decision.kind === 'ask',
          ),
        )
        .map((call) => `${call.runId}/${call.callId}`),
    ),
  );
  for (const effect of effects) {
    const call = callOf(effect);
    if (!needsAPerson.has(effect.kind) && !asked.has(call)) continue;
    // A call that migrated is asked about anew, under a name of its own.
    const verdicts = history.verdicts.filter(({ approvalId }) => approvalId.split('@')[0] === call);
    if (!verdicts.some(({ verdict, args }) => verdict === 'approve' && args === effect.args)) {
      yield `The call ${call} (${effect.tool}) had an effect with arguments that nobody approved: ${effect.args}.`;
    }
  }
}

/** A denied call leaves no trace of a start, in the journal or in the world. (R17) */
export function* denialsHold({ stories, effectsOf }: Evidence): Iterable<string> {
  for (const { calls, isFinal } of stories) {
    for (const call of calls) {
      const isDenied = call.lines.some(
        ({ entry }) =>
          (entry.type === 'approval-answered' && entry.verdict === 'deny') ||
          entry.type === 'approval-expired' ||
          (entry.type === 'call-decided' && entry.decision.kind === 'deny'),
      );
      if (!isDenied) continue;
      if (call.lines.some(({ entry }) => entry.type === 'attempt-started')) {
        yield `${named(call)} was refused, and began.`;
      }
      // A refusal that a power cut took away binds nobody.
      if (isFinal && effectsOf(call.runId, call.callId).length > 0) {
        yield `${named(call)} was refused, and had an effect.`;
      }
    }
  }
}
