/** The conversation of a run with what its items do not say of themselves: when each was said, by which model, and for how many tokens. */
import type { TranscriptItem, Usage } from '../call/message.ts';
import { definitionIn } from '../contract/describe.ts';
import type { ToolDefinition } from '../call/tool-definition.ts';
import { unknownRun } from '../journal/checks.ts';
import type { RunTask } from '../journal/entry.ts';
import { readAppends } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import { evolveAppend } from '../run/evolve.ts';
import { shownItems } from '../run/shown-items.ts';
import { newState, type RunState } from '../run/state.ts';

/** The model call behind an item of the assistant. */
export interface ModelAnswer {
  readonly atMs: number;
  readonly model: string;
  readonly usage: Usage;
  readonly tookMs: number;
}

export interface RecordedItem {
  readonly item: TranscriptItem;
  readonly atMs: number;
  /** Absent for what no model said. */
  readonly answer?: ModelAnswer;
}

export interface RecordedRun {
  readonly state: RunState;
  readonly task: RunTask;
  readonly items: readonly RecordedItem[];
  /** The tools that it was granted, as far as the store has their declarations. */
  readonly tools: readonly ToolDefinition[];
}

/**
 * Reads a run and folds it. A turn that is still open stands in no item yet.
 * @throws AxleError `run-unknown`
 */
export async function recordedRun(store: Store, runId: string): Promise<RecordedRun> {
  let state = newState(runId);
  let answer: ModelAnswer | undefined;
  const facts: Omit<RecordedItem, 'item'>[] = [];
  for await (const append of readAppends(store, runId)) {
    const { atMs } = append;
    const before = state.transcript.length;
    state = evolveAppend(state, append);
    for (const entry of append.entries) {
      if (entry.type !== 'model-finished') continue;
      const model = entry.respondedAs ?? (state.task?.kind === 'agent' ? state.task.agent.model : '');
      answer = { atMs, model, usage: entry.usage, tookMs: entry.tookMs };
    }
    for (const item of state.transcript.items(before)) {
      if (item.kind !== 'assistant' || answer === undefined) facts.push({ atMs });
      else {
        facts.push({ atMs: answer.atMs, answer });
        answer = undefined;
      }
    }
  }
  const { task } = state;
  if (task === undefined) throw unknownRun(runId);
  const items = shownItems(state).map((item, index): RecordedItem => ({ atMs: state.nowMs, ...facts[index], item }));
  return { state, task, items, tools: await toolsOf(store, state) };
}

async function toolsOf(store: Store, { contracts }: RunState): Promise<readonly ToolDefinition[]> {
  const texts = await Promise.all(contracts.map(async ({ hash }) => store.body(hash)));
  return texts.flatMap((text) => {
    const definition = text === undefined ? undefined : definitionIn(text);
    return definition === undefined ? [] : [definition];
  });
}
