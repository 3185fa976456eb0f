/**
 * The conversation as the model is shown it, once arguments could not be used: of a tool's invalid calls only the last one says what was wrong. What the
 * older ones said is about arguments that the model has replaced since, and several such messages contradict each other.
 *
 * U1 A pure function of the state: what the model was shown can be found out from the journal alone.
 * U2 An item that stays keeps its identity, and one that is changed is changed once: adapters cache by item.
 */
import { type ConversationView, viewOf } from '../brain/brain-of-views.ts';
import type { HistoryResult, TranscriptItem } from '../call/message.ts';
import { failureOf } from '../call/failure.ts';
import type { RunState } from './state.ts';

type Results = Extract<TranscriptItem, { kind: 'results' }>;

/** By the item as it was; what became of it depends on which of its results were superseded. */
const superseded = new WeakMap<Results, Map<string, Results>>();

/** What the model is shown of the conversation in this state. */
export function shownItems(state: RunState): readonly TranscriptItem[] {
  return shownView(state).items();
}

/** The same, not copied where nothing is changed. */
export function shownView({ transcript, invalidCalls }: RunState): ConversationView {
  return invalidCalls === undefined ? transcript : viewOf(withoutSuperseded(transcript.items()));
}

function withoutSuperseded(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
  const calledLater = new Set<string>();
  const shown: TranscriptItem[] = [];
  for (const item of items.toReversed()) {
    if (item.kind === 'results') {
      shown.push(withoutOld(item, calledLater));
      for (const { toolName } of item.results) calledLater.add(toolName);
    } else shown.push(item);
  }
  return shown.toReversed();
}

function withoutOld(item: Results, calledLater: ReadonlySet<string>): Results {
  const old = item.results.filter((result) => isInvalid(result) && calledLater.has(result.toolName));
  if (old.length === 0) return item;
  const known = superseded.get(item) ?? new Map<string, Results>();
  superseded.set(item, known);
  const key = old.map(({ callId }) => callId).join(' ');
  const changed = known.get(key) ?? {
    kind: 'results',
    results: item.results.map((result) => (old.includes(result) ? supersede(result) : result)),
  };
  known.set(key, changed);
  return changed;
}

function isInvalid({ outcome }: HistoryResult): boolean {
  return outcome.status === 'failed' && outcome.failure.code.startsWith('arguments-');
}

function supersede(result: HistoryResult): HistoryResult {
  const message = `Its arguments could not be used. ${result.toolName} was called again later: only what is said there counts.`;
  const failure = failureOf('arguments-invalid', message, { evidence: 'none', advice: '' });
  return { ...result, outcome: { status: 'failed', failure, effectMayHaveHappened: false } };
}
