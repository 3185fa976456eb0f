/** A history, prepared for judging: journals as lines, lines by call, effects by call, and what the code under test makes of each journal. */
import type { BoundCall, CallTerms } from '../../../src/call/call.ts';
import type { AttemptStarted, Entry } from '../../../src/journal/entry.ts';
import type { RunState } from '../../../src/run/state.ts';
import { canonicalJson } from '../../../src/util/json.ts';
import type { Committed, Effect, History, Journal } from '../history/history.ts';

/** One entry where it stands. */
export interface Line {
  readonly entry: Entry;
  readonly seq: number;
  readonly from: Committed;
  /** The shape of the contract that the call is bound to from here on, for entries that bind one. */
  readonly shape?: string;
}

/** One call of one journal. */
export interface CallStory {
  readonly runId: string;
  /** The id of the call; behind it `~` and the place in its chain for a stand-in, whose part of the call is a story of its own. */
  readonly callId: string;
  /** As it was bound, and as a person changed it. */
  readonly bound: BoundCall;
  readonly edited: BoundCall | undefined;
  /** What its contract promises, as the run pinned it. */
  readonly terms: CallTerms;
  readonly lines: readonly Line[];
}

export interface RunStory extends Journal {
  readonly lines: readonly Line[];
  readonly calls: readonly CallStory[];
}

/** The start of an attempt, wherever it was durable. */
export interface Started {
  readonly entry: AttemptStarted;
  readonly from: Committed;
  /** Canonical JSON of the arguments that were in force. */
  readonly args: string;
  /** The shape of the contract that the call was bound to. */
  readonly shape: string | undefined;
}

export interface Evidence {
  readonly history: History;
  readonly stories: readonly RunStory[];
  /**
   * What happened in the world for calls that are in a journal. A read that began ahead of its announcement, and whose process was gone before that was committed, is
   * not among it: its place has gone to whatever was asked for next.
   */
  readonly effects: readonly Effect[];
  /** The story that an effect belongs to: `run/call`, and the place of a stand-in. */
  readonly callOf: (effect: Effect) => string;
  readonly effectsOf: (runId: string, callId: string) => readonly Effect[];
  readonly startsOf: (runId: string, callId: string, attempt: number) => readonly Started[];
  readonly rest: 'quiet' | 'endless';
  /** What the store says at the end, read once more. */
  readonly stored: ReadonlyMap<string, Stored>;
  readonly durability: 'effects' | 'strict';
}

export interface Stored {
  /** The journal as text. */
  readonly text: string;
  /** Resumed by the code under test through the snapshot; undefined when there is none. */
  readonly resumed: RunState | undefined;
}

export function evidenceOf(history: History, rest: Pick<Evidence, 'rest' | 'stored' | 'durability'>): Evidence {
  const stories = history.journals().map(storyOf);
  const standIns = new Map(
    stories.flatMap(({ calls }) =>
      calls
        .filter(({ callId }) => callId.includes('~'))
        .map(({ runId, callId, bound }) => [`${runId}/${baseOf(callId)} ${bound.tool}`, callId] as const),
    ),
  );
  const callOf = ({ runId, callId, tool }: Effect): string =>
    `${runId}/${standIns.get(`${runId}/${callId} ${tool}`) ?? callId}`;
  const starts = new Map<string, Started[]>();
  for (const story of stories) for (const call of story.calls) collectStarts(call, starts);
  const startsOf: Evidence['startsOf'] = (runId, callId, attempt) => starts.get(`${runId}/${callId}#${attempt}`) ?? [];
  const effects = history.effects.filter(
    ({ kind, runId, callId, attempt, by }) =>
      kind !== 'read' || startsOf(runId, callId, attempt).some(({ from }) => from.by === by),
  );
  const effectsByCall = Map.groupBy(effects, callOf);
  return {
    history,
    stories,
    ...rest,
    effects,
    callOf,
    effectsOf: (runId, callId) => effectsByCall.get(`${runId}/${callId}`) ?? [],
    startsOf,
  };
}

function storyOf(journal: Journal): RunStory {
  const lines = journal.appends.flatMap((from) =>
    from.append.entries.map((entry, place) => ({ entry, seq: from.append.firstSeq + place, from })),
  );
  const byCall = new Map<string, Line[]>();
  const shapes = new Map<string, string>();
  const add = (callId: string, line: Line): void => void byCall.set(callId, [...(byCall.get(callId) ?? []), line]);
  for (const line of lines) {
    const { entry } = line;
    if (entry.type === 'run-accepted') for (const { name, shape } of entry.task.contracts) shapes.set(name, shape);
    if (entry.type === 'contract-migrated') {
      const { name, shape } = entry.contract;
      shapes.set(name, shape);
      for (const { callId } of entry.calls ?? []) add(callId, { ...line, shape });
    }
    const callId = callIdOf(entry);
    if (callId === undefined) continue;
    const isBound = entry.type === 'call-bound' || entry.type === 'call-fell-back';
    const shape = isBound ? shapes.get(entry.call.tool) : undefined;
    add(callId, shape === undefined ? line : { ...line, shape });
  }
  const calls: CallStory[] = [];
  for (const [callId, own] of byCall) {
    for (const part of partsOf(own)) {
      const [first] = part;
      if (first?.entry.type !== 'call-bound' && first?.entry.type !== 'call-fell-back') continue;
      const answer = part.find(({ entry }) => entry.type === 'approval-answered')?.entry;
      calls.push({
        runId: journal.runId,
        callId: first.entry.type === 'call-bound' ? callId : `${callId}~${first.entry.link}`,
        bound: first.entry.call,
        terms: termsOf(lines[0]?.entry, first.entry.call.tool),
        edited: answer?.type === 'approval-answered' ? answer.edited : undefined,
        lines: part,
      });
    }
  }
  return { ...journal, lines, calls };
}

/** A call by the tools that had it, one after another. */
function partsOf(lines: readonly Line[]): readonly (readonly Line[])[] {
  const parts: Line[][] = [];
  for (const line of lines) {
    if (parts.length === 0 || line.entry.type === 'call-fell-back') parts.push([]);
    parts.at(-1)?.push(line);
  }
  return parts;
}

/** The call that a part belongs to. */
export function baseOf(callId: string): string {
  return callId.split('~')[0] ?? callId;
}

function termsOf(accepted: Entry | undefined, tool: string): CallTerms {
  const pin =
    accepted?.type === 'run-accepted' ? accepted.task.contracts.find((contract) => contract.name === tool) : undefined;
  if (pin === undefined) throw new Error(`The run pinned no contract of ${tool}.`);
  return pin.terms;
}

function callIdOf(entry: Entry): string | undefined {
  if (entry.type === 'call-bound') return entry.call.callId;
  return 'callId' in entry ? entry.callId : undefined;
}

function collectStarts({ runId, callId, bound, lines }: CallStory, into: Map<string, Started[]>): void {
  let inForce = bound;
  let bindsTo: string | undefined;
  for (const { entry, from, shape } of lines) {
    bindsTo = shape ?? bindsTo;
    if (entry.type === 'contract-migrated') inForce = entry.calls?.find((call) => call.callId === callId) ?? inForce;
    if (entry.type === 'approval-answered' && entry.verdict === 'approve') inForce = entry.edited ?? inForce;
    if (entry.type !== 'attempt-started') continue;
    const key = `${runId}/${baseOf(callId)}#${entry.attempt}`;
    into.set(key, [...(into.get(key) ?? []), { entry, from, args: canonicalJson(inForce.input), shape: bindsTo }]);
  }
}

/** The moment from which on somebody may have found out what a resolution says: the beginning of the verification, or of the doubt. */
export function foundOutSince(lines: readonly Line[], resolved: Line): number | undefined {
  if (resolved.entry.type !== 'call-resolved') return undefined;
  const begun = lastBefore(lines, resolved.entry.by === 'verify' ? 'verify-started' : 'call-doubted', resolved.seq);
  return begun?.from.at;
}

/** How a message names a call. */
export function named({ runId, callId, bound }: CallStory): string {
  return `call ${runId}/${callId} (${bound.tool})`;
}

/** The line of a call with an entry of this type that comes last before another line. */
export function lastBefore<T extends Entry['type']>(
  lines: readonly Line[],
  type: T,
  seq: number,
): (Line & { readonly entry: Extract<Entry, { type: T }> }) | undefined {
  return lines.findLast(
    (line): line is Line & { readonly entry: Extract<Entry, { type: T }> } =>
      line.entry.type === type && line.seq < seq,
  );
}
