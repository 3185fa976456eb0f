/** Stand-ins, kept results and what is taken back (T5, T16, T20; R9, R22, L2). */
import type { Entry } from '../../../src/journal/entry.ts';
import { canonicalJson, type JsonValue } from '../../../src/util/json.ts';
import { baseOf, type CallStory, type Evidence, type Line, named, type RunStory } from './evidence.ts';

/** L2, R9: another tool gets a call with an effect only when it is proved that nothing happened, and in the world nothing had. */
export function* fallsBackOnlyAfterNothing({ stories, effectsOf }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const [index, standIn] of calls.entries()) {
      const [first] = standIn.lines;
      const before = calls[index - 1];
      if (first?.entry.type !== 'call-fell-back' || before === undefined) continue;
      const ended = before.lines.filter(({ entry }) => entry.type === 'attempt-finished');
      const last = ended.at(-1)?.entry;
      if (
        last?.type !== 'attempt-finished' ||
        last.result.status !== 'failed' ||
        last.result.failure.class !== 'retryable'
      ) {
        yield `${named(standIn)} was handed on although ${before.bound.tool} was not down.`;
      }
      if (before.terms.effect === 'read') continue;
      if (mayHaveHappened(before.lines)) {
        yield `${named(standIn)} was handed on although ${before.bound.tool} may have had its effect.`;
      }
      const { at } = first.from;
      const isEstablished = before.lines.some(({ entry }) => entry.type === 'call-resolved');
      // What a person or a verification found out, truly, may be outrun by a process that stood still.
      if (!isEstablished && effectsOf(before.runId, before.callId).some((effect) => effect.at < at)) {
        yield `${named(standIn)} was handed on although ${before.bound.tool} had had its effect.`;
      }
    }
  }
}

/** True when an attempt ended without proof that nothing happened, and nobody has established since that nothing had. */
function mayHaveHappened(lines: readonly Line[]): boolean {
  let isOpen = false;
  for (const { entry } of lines) {
    if (entry.type === 'attempt-started') {
      if (isOpen) return true;
      isOpen = true;
    }
    const isProved =
      (entry.type === 'attempt-finished' &&
        entry.result.status === 'failed' &&
        entry.result.failure.evidence === 'none') ||
      (entry.type === 'call-resolved' && entry.verdict.kind === 'not-happened');
    if (isProved) isOpen = false;
  }
  return isOpen;
}

/** R22: a kept result is the result of the same tool with the same arguments, of whoever may share it, and younger than its time. */
export function* keptResultsAreFresh({ stories, history }: Evidence): Iterable<string> {
  for (const { calls } of stories) {
    for (const call of calls) {
      for (const { entry, from } of call.lines) {
        if (entry.type !== 'call-cached') continue;
        const { cache } = call.terms;
        if (cache === undefined) {
          yield `${named(call)} was answered by a kept result, and its contract keeps none.`;
          continue;
        }
        if (!(entry.ageMs >= 0 && entry.ageMs < cache.ttlMs)) {
          yield `${named(call)} was answered by a result that is ${entry.ageMs} ms old.`;
        }
        const sources = sourcesOf(stories, entry).filter((source) => source.bound.tool === call.bound.tool);
        const source = sources.find((other) => answered(other, entry.output) !== undefined);
        if (source === undefined) {
          yield `${named(call)} was answered by a result that call ${entry.from.runId}/${entry.from.callId} did not bring.`;
          continue;
        }
        if (canonicalJson(source.bound.input) !== canonicalJson(call.bound.input)) {
          yield `${named(call)} was answered by the result of other arguments.`;
        }
        if (cache.scope === 'run' && source.runId !== call.runId) {
          yield `${named(call)} was answered by the result of another run.`;
        }
        // With clocks that nobody touched, the age is the time between the two.
        const begun = answered(source, entry.output)?.from.append.atMs ?? 0;
        if (history.disturbances.length === 0 && from.append.atMs - begun >= cache.ttlMs) {
          yield `${named(call)} was answered by a result of ${from.append.atMs - begun} ms before.`;
        }
      }
    }
  }
}

function sourcesOf(
  stories: readonly RunStory[],
  { from }: Extract<Entry, { type: 'call-cached' }>,
): readonly CallStory[] {
  return stories
    .filter(({ runId }) => runId === from.runId)
    .flatMap(({ calls }) => calls.filter(({ callId }) => baseOf(callId) === from.callId));
}

/** The line that began the attempt which brought an output. */
function answered({ lines }: CallStory, output: JsonValue): Line | undefined {
  const finished = lines.find(
    ({ entry }) =>
      entry.type === 'attempt-finished' &&
      entry.result.status === 'succeeded' &&
      canonicalJson(entry.result.output) === canonicalJson(output),
  );
  const { entry: end } = finished ?? {};
  if (end?.type !== 'attempt-finished') return undefined;
  return lines.find(({ entry }) => entry.type === 'attempt-started' && entry.attempt === end.attempt);
}

/** T20: what a run did is taken back by one undo run, in the reverse order of success, one after the other, with what each call had got and given. */
export function* takenBackOnceInReverse({ stories, effects }: Evidence): Iterable<string> {
  const final = new Map(stories.filter(({ isFinal }) => isFinal).map((story) => [story.runId, story]));
  const undoneBy = new Map<string, string>();
  for (const story of final.values()) {
    const task = taskOf(story);
    if (task?.kind !== 'undo') continue;
    const succeeded = successesOf(final.get(task.of));
    let last = Infinity;
    for (const call of story.calls) {
      const of = call.bound.toolCallId;
      const place = succeeded.findIndex(({ callId }) => callId === of);
      if (place < 0) yield `${named(call)} takes back ${task.of}/${of}, which did not succeed.`;
      if (place >= last) yield `${named(call)} takes back ${task.of}/${of} after one that came before it.`;
      last = place;
      const { input, output } = succeeded[place] ?? {};
      if (input !== undefined && canonicalJson(call.bound.input) !== canonicalJson({ input, output: output ?? null })) {
        yield `${named(call)} takes back ${task.of}/${of} with something else than it had got and given.`;
      }
    }
    yield* oneAfterTheOther(story);
  }
  for (const effect of effects) {
    const task = taskOf(final.get(effect.runId));
    const call = final.get(effect.runId)?.calls.find(({ callId }) => callId === effect.callId);
    if (task?.kind !== 'undo' || call === undefined) continue;
    const undone = `${task.of}/${call.bound.toolCallId}`;
    const other = undoneBy.get(undone) ?? effect.runId;
    if (other !== effect.runId) yield `The call ${undone} was taken back by ${other} and by ${effect.runId}.`;
    undoneBy.set(undone, effect.runId);
  }
}

function taskOf(story: RunStory | undefined): Extract<Entry, { type: 'run-accepted' }>['task'] | undefined {
  const first = story?.lines[0]?.entry;
  return first?.type === 'run-accepted' ? first.task : undefined;
}

interface Success {
  readonly callId: string;
  readonly input: JsonValue;
  readonly output: JsonValue;
}

/** What the calls of a run with an effect did, in the order in which they were settled. */
function successesOf(story: RunStory | undefined): readonly Success[] {
  if (story === undefined) return [];
  return story.calls
    .flatMap((call) => {
      const settled = call.lines.find(({ entry }) => entry.type === 'call-settled');
      const output = settled === undefined ? undefined : outputOf(call, settled.seq);
      if (call.terms.effect === 'read' || settled === undefined || output === undefined) return [];
      const input = (call.edited ?? call.bound).input;
      return [{ seq: settled.seq, success: { callId: baseOf(call.callId), input, output } }];
    })
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ success }) => success);
}

/** What the call is known to have given when it was settled: what came later, of another attempt, changes nothing. */
function outputOf({ lines }: CallStory, settledSeq: number): JsonValue | undefined {
  for (const { entry, seq } of lines.toReversed()) {
    if (seq > settledSeq) continue;
    if (entry.type === 'call-resolved' && entry.verdict.kind === 'happened') return entry.verdict.output;
    if (
      (entry.type === 'attempt-finished' || entry.type === 'evidence-received') &&
      entry.result.status === 'succeeded'
    ) {
      return entry.result.output;
    }
  }
  return undefined;
}

function* oneAfterTheOther({ runId, lines }: RunStory): Iterable<string> {
  const open = new Set<string>();
  for (const { entry } of lines) {
    if (entry.type === 'call-bound') {
      if (open.size > 0) {
        yield `The undo ${runId} went on to ${entry.call.callId} while ${[...open].join(', ')} was open.`;
      }
      open.add(entry.call.callId);
    }
    const isEnd =
      entry.type === 'call-settled' ||
      entry.type === 'approval-expired' ||
      (entry.type === 'call-decided' && entry.decision.kind === 'deny') ||
      (entry.type === 'approval-answered' && entry.verdict === 'deny');
    if (isEnd) open.delete(entry.callId);
  }
}
