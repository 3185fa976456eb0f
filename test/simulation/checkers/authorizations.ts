/** A call that is refused for want of a login waits for a person's word, and for each question one (R13, R15-R17, L8). */
import { maxAuthorizations } from '../../../src/run/authorization.ts';
import { type CallStory, type Evidence, lastBefore, type Line, named } from './evidence.ts';

/** R13, R16: people are asked only after a refusal, of a write only with proof that nothing was sent, under a name of its own, and not for ever. */
export function* loginsAreAskedFor({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      const asked = new Set<string>();
      for (const line of call.lines) {
        if (line.entry.type !== 'authorization-requested') continue;
        const { authorizationId } = line.entry;
        if (asked.has(authorizationId)) yield `${named(call)} asks twice under one name: ${authorizationId}.`;
        asked.add(authorizationId);
        const finished = lastBefore(call.lines, 'attempt-finished', line.seq)?.entry;
        const started = lastBefore(call.lines, 'attempt-started', line.seq)?.entry;
        const failure = finished?.result.status === 'failed' ? finished.result.failure : undefined;
        if (failure?.code !== 'authorization-required' || finished?.attempt !== started?.attempt) {
          yield `${named(call)} waits for a login that its last attempt was not refused for.`;
        }
        if (call.terms.effect === 'write' && failure?.evidence !== 'none') {
          yield `The write ${named(call)} waits to be tried again without proof that nothing was sent.`;
        }
      }
      if (asked.size > maxAuthorizations) yield `${named(call)} asked people to log in ${asked.size} times.`;
    }
  }
}

/** R15, R16: what waits goes on only with a word for its own question, in time; that word frees all who wait for it, once. */
export function* loginsBind({ stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      for (const line of call.lines) {
        if (line.entry.type === 'authorization-answered') yield* answerFits(call, line);
        if (line.entry.type === 'attempt-started') yield* mayGoOn(call, line);
      }
    }
    yield* nobodyLeftBehind(calls);
  }
}

function* answerFits(call: CallStory, line: Line): Iterable<string> {
  if (line.entry.type !== 'authorization-answered') return;
  const { authorizationId } = line.entry;
  const asked = lastBefore(call.lines, 'authorization-requested', line.seq);
  if (asked?.entry.authorizationId !== authorizationId) {
    yield `${named(call)} got a word about another login than the one that it waits for.`;
  }
  if ((lastBefore(call.lines, 'authorization-answered', line.seq)?.seq ?? 0) > (asked?.seq ?? 0)) {
    yield `${named(call)} got two words about one login.`;
  }
  if (line.from.append.atMs >= (asked?.entry.expiresAtMs ?? Infinity)) {
    yield `${named(call)} got a word about a login after its question had expired.`;
  }
}

function* mayGoOn(call: CallStory, start: Line): Iterable<string> {
  const asked = lastBefore(call.lines, 'authorization-requested', start.seq);
  const before = lastBefore(call.lines, 'attempt-started', start.seq);
  // Under another version it begins anew.
  const migrated = lastBefore(call.lines, 'contract-migrated', start.seq);
  if (asked === undefined || asked.seq < Math.max(before?.seq ?? 0, migrated?.seq ?? 0)) return;
  const answered = lastBefore(call.lines, 'authorization-answered', start.seq);
  if (answered === undefined || answered.seq < asked.seq || !answered.entry.granted) {
    yield `${named(call)} was tried again although nobody had granted the login that it waits for.`;
  }
}

/** A word is one append: whoever waits for it then is in it. */
function* nobodyLeftBehind(calls: readonly CallStory[]): Iterable<string> {
  const answers = calls.flatMap(({ lines }) => lines.filter(({ entry }) => entry.type === 'authorization-answered'));
  for (const call of calls) {
    for (const asked of call.lines) {
      if (asked.entry.type !== 'authorization-requested') continue;
      const { authorizationId } = asked.entry;
      const over = call.lines.find(({ seq }) => seq > asked.seq)?.from.at ?? Infinity;
      const missed = answers.find(
        ({ entry, from, seq }) =>
          'authorizationId' in entry && entry.authorizationId === authorizationId && seq > asked.seq && from.at < over,
      );
      if (missed !== undefined) yield `${named(call)} still waits for a login that was answered.`;
    }
  }
}

/** R17 in the world: a login counts as granted or refused only where a person said so of this question, and was not told that somebody was first. */
export function* peopleSaidSo({ history, stories }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      for (const { entry } of call.lines) {
        if (entry.type !== 'authorization-answered') continue;
        const { authorizationId, granted } = entry;
        if (history.loginWords.some((word) => word.authorizationId === authorizationId && word.granted === granted)) {
          continue;
        }
        yield `Nobody said of ${authorizationId} (${named(call)}) that it was ${granted ? 'granted' : 'refused'}.`;
      }
    }
  }
}
