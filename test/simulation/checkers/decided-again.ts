/** Every journal, whatever befell its drivers, is what our own functions make of it: decided again from its first entry to its last (R6). */
import { defaultPolicy } from '../../../src/policy/default-policy.ts';
import { RecordedCode } from '../../../src/replay/recorded-code.ts';
import { type Difference, Redecision } from '../../../src/replay/redecide.ts';
import { newState } from '../../../src/run/state.ts';
import type { Evidence, RunStory } from './evidence.ts';

/** The contracts change along a schedule, so none is known: what a model wrote becomes a call unchecked, and everything after that is recomputed. */
const nothingKnown = { contract: () => undefined, retained: () => undefined };

export function* decidedAgain({ stories, history }: Evidence): Iterable<string> {
  for (const story of stories) {
    const found = partingOf(story);
    if (found === undefined) continue;
    const { seq, difference } = found;
    // A clock that was set back between the failure of a model and its entry makes the wait look longer than it was drawn.
    if (difference.path === '/retryAtMs' && history.jumps.length > 0) continue;
    const { message, path, recorded, recomputed } = difference;
    yield `The journal of ${story.runId} is not what its states lead to at entry ${seq}${path}: ${message} Recorded ${JSON.stringify(recorded)}, recomputed ${JSON.stringify(recomputed)}.`;
  }
}

function partingOf({
  runId,
  appends,
}: RunStory): { readonly seq: number; readonly difference: Difference } | undefined {
  const code = new RecordedCode({ body: async () => undefined }, nothingKnown);
  const redecision = new Redecision(newState(runId), code, defaultPolicy);
  for (const { append } of appends) {
    const begun = redecision.begin(append);
    if (begun !== undefined) return { seq: append.firstSeq, difference: begun };
    for (const [index, entry] of append.entries.entries()) {
      const verdict = redecision.take(entry);
      if (verdict.kind === 'different') return { seq: append.firstSeq + index, difference: verdict };
    }
    const ended = redecision.end(append);
    if (ended !== undefined) return { seq: append.firstSeq + append.entries.length, difference: ended };
  }
  return undefined;
}
