/** What callers and models were told (R1, R3, R31, R44, L7, L11). */
import type { TranscriptItem } from '../../../src/call/message.ts';
import type { Entry } from '../../../src/journal/entry.ts';
import type { RunStatus } from '../../../src/journal/store.ts';
import { isAlike } from '../../../src/replay/first-difference.ts';
import { shownItems } from '../../../src/run/shown-items.ts';
import { fold } from '../history/fold.ts';
import { shapeThatGoes } from '../world/tools.ts';
import type { Evidence, RunStory } from './evidence.ts';

/** R1: what was accepted is there, and comes to its end once faults stop. */
export function* nothingAcceptedIsLost({ history, stories }: Evidence): Iterable<string> {
  const final = new Map(stories.filter((story) => story.isFinal).map((story) => [story.runId, story]));
  for (const told of history.told) {
    if (told.kind === 'accepted' && !final.has(told.runId)) yield `The run ${told.runId} was accepted, and is gone.`;
  }
  for (const story of final.values()) {
    const { runId, appends } = story;
    const status = appends.at(-1)?.status;
    if (status?.state !== 'ended' && !waitsForWhatIsGone(story, status)) {
      yield `The run ${runId} never came to its end: ${JSON.stringify(status)}.`;
    }
  }
}

/** A run may have begun under a contract that people took away for good: it is held, and says so. */
function waitsForWhatIsGone({ lines }: RunStory, status: RunStatus | undefined): boolean {
  const held = status?.waitingOn.find((on) => on.kind === 'held')?.tool;
  const accepted = lines[0]?.entry;
  if (held === undefined || accepted?.type !== 'run-accepted') return false;
  return accepted.task.contracts.find(({ name }) => name === held)?.shape === shapeThatGoes(held);
}

/** L7: what a caller was told is synced by then, and stays true. */
export function* whatWasToldStays({ history, stories }: Evidence): Iterable<string> {
  const final = new Map(stories.filter((story) => story.isFinal).map((story) => [story.runId, story]));
  for (const told of history.told) {
    const story = final.get(told.runId);
    if (told.kind === 'accepted') {
      const first = story?.appends[0];
      if (first !== undefined && first.syncedAt > told.at) {
        yield `The run ${told.runId} was acknowledged before it was on the disk.`;
      }
    }
    if (told.kind === 'ended') {
      const finished = story?.lines.find(({ entry }) => entry.type === 'run-finished');
      if (finished === undefined) {
        yield `A caller was told that ${told.runId} had ended, and its journal does not say so.`;
      } else if (finished.from.syncedAt > told.at) {
        yield `A caller was told the result of ${told.runId} before it was on the disk.`;
      } else if (
        finished.entry.type === 'run-finished' &&
        JSON.stringify(finished.entry.output) !== JSON.stringify(told.output)
      ) {
        yield `A caller was told another result of ${told.runId} than its journal has.`;
      }
    }
    if (told.kind === 'posted') {
      const isTaken = story?.lines.some(({ entry }) => isAbout(entry, told)) ?? false;
      if (!isTaken) yield `The ${told.what} to ${told.runId} was acknowledged, and never arrived.`;
    }
  }
}

function isAbout(entry: Entry, { what, text }: { readonly what: string; readonly text: string }): boolean {
  if (what === 'cancel') return entry.type === 'cancel-requested';
  return entry.type === 'message-received' && entry.text === text;
}

/** R3: a model is shown exactly what follows from the journal at the moment it is asked, nothing sooner. */
export function* outcomeBeforeUse({ history }: Evidence): Iterable<string> {
  for (const asked of history.asked) {
    // A driver that has lost its run may ask late, when its process has taken the run again: what it shows was durable all the same.
    const announced = history.committed.filter(
      (append) =>
        append.runId === asked.runId &&
        append.by === asked.by &&
        append.at < asked.at &&
        append.lostAt > asked.at &&
        append.append.entries.some((entry) => entry.type === 'model-started'),
    );
    if (announced.length === 0) {
      yield `The model of ${asked.runId} was asked without a committed entry that says so.`;
    } else if (!announced.toReversed().some((append) => isAlike(shownItems(fold(append)), asked.items))) {
      yield `The model of ${asked.runId} was shown something else than its journal holds.`;
    }
  }
}

/** L11: in what a model is shown, every call has exactly one result, in order, right behind it, and no id is used twice. */
export function* historyIsWellFormed({ history }: Evidence): Iterable<string> {
  for (const { runId, items } of history.asked) {
    const ids = new Set<string>();
    for (const [place, item] of items.entries()) {
      const next = items[place + 1];
      if (item.kind === 'results' && !hasCalls(items[place - 1])) {
        yield `A model of ${runId} was shown results without calls.`;
      }
      if (item.kind !== 'assistant' || item.calls.length === 0) continue;
      const results = next?.kind === 'results' ? next.results.map((result) => result.toolCallId) : [];
      if (item.calls.map((call) => call.toolCallId).join() !== results.join()) {
        yield `A model of ${runId} was shown calls and results that do not match.`;
      }
      for (const { toolCallId } of item.calls) {
        if (ids.has(toolCallId)) yield `A model of ${runId} was shown the id ${toolCallId} twice.`;
        ids.add(toolCallId);
      }
    }
  }
}

function hasCalls(item: TranscriptItem | undefined): boolean {
  return item?.kind === 'assistant' && item.calls.length > 0;
}

/** R31: one key, one run, also across restarts. */
export function* oneRunForAKey({ history, stories }: Evidence): Iterable<string> {
  const runs = new Map<string, string>();
  for (const { isFinal, runId, lines } of stories) {
    const [first] = lines;
    const key = first?.entry.type === 'run-accepted' ? first.entry.key : undefined;
    if (!isFinal || key === undefined) continue;
    const other = runs.get(key);
    if (other !== undefined) yield `The request ${key} became two runs, ${other} and ${runId}.`;
    runs.set(key, runId);
  }
  for (const told of history.told) {
    if (told.kind === 'accepted' && runs.get(told.key) !== told.runId) {
      yield `The request ${told.key} was acknowledged as ${told.runId}, and is ${runs.get(told.key) ?? 'nowhere'}.`;
    }
  }
}

/** R44: when faults stop, everything comes to rest. */
export function* comesToRest({ rest }: Evidence): Iterable<string> {
  if (rest === 'endless') yield 'The system did not come to rest.';
}

/** Nothing of the runtime itself broke: no driver threw, no promise was left uncaught, nobody was told something that has no code for them. */
export function* nothingBreaks({ history }: Evidence): Iterable<string> {
  yield* history.breakages;
}
