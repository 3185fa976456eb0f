/** The fold of one model call's entries into its span. Pure: an old span never changes. */
import type { ModelFailed, ModelFinished, ModelStarted } from '../journal/entry.ts';
import { defined } from '../util/defined.ts';
import { type EntryPlace, opened, waitSpan } from './call-trace.ts';
import type { ModelAttemptSpan, ModelSpan } from './trace.ts';

/** Another attempt of the model call `before`, or the first of a new one. */
export function traceModelStart(before: ModelSpan | undefined, entry: ModelStarted, place: EntryPlace): ModelSpan {
  const id = `model.${entry.step}`;
  const attempt: ModelAttemptSpan = {
    kind: 'model-attempt',
    ...opened(`${id}#${entry.attempt}`, place),
    attempt: entry.attempt,
    items: entry.items,
    ...(entry.tools === undefined ? {} : { shownTools: entry.tools.length }),
    contextHash: entry.contextHash,
  };
  return before?.id === id
    ? { ...before, children: [...before.children.map((child) => closedWait(child, place)), attempt] }
    : { kind: 'model', ...opened(id, place), step: entry.step, children: [attempt] };
}

export function traceModelEnd(before: ModelSpan, entry: ModelFinished | ModelFailed, place: EntryPlace): ModelSpan {
  const end =
    entry.type === 'model-finished' ? answered(entry) : ({ status: 'failed', failure: entry.failure } as const);
  const children = before.children.map((child) =>
    child.kind === 'model-attempt' && child.endMs === undefined ? { ...child, endMs: place.atMs, end } : child,
  );
  if (entry.type === 'model-finished' || entry.retryAtMs === undefined) {
    return { ...before, children, endMs: place.atMs };
  }
  const attempt = children.filter((child) => child.kind === 'model-attempt').length + 1;
  const wait = waitSpan(`${before.id}~${attempt}`, place, { kind: 'retry', attempt, dueAtMs: entry.retryAtMs });
  return { ...before, children: [...children, wait] };
}

/** The attempts that nobody has answered. */
export function openAttempts(model: ModelSpan): readonly ModelAttemptSpan[] {
  return model.children.filter((child) => child.kind === 'model-attempt').filter((child) => child.endMs === undefined);
}

/** Ends as lost what was under way. */
export function loseModel(model: ModelSpan, place: EntryPlace, lastSeenMs: number): ModelSpan {
  const end = { status: 'lost', lastSeenMs } as const;
  return {
    ...model,
    children: model.children.map((child) =>
      child.kind === 'model-attempt' && child.endMs === undefined ? { ...child, endMs: place.atMs, end } : child,
    ),
  };
}

function answered(entry: ModelFinished): NonNullable<ModelAttemptSpan['end']> {
  const { parts, finishReason, usage, unreadable, respondedAs } = entry;
  return {
    status: 'answered',
    parts,
    finishReason,
    usage,
    ...defined({ unreadable, respondedAs }),
  };
}

/** Ended, when it is a wait that goes on. */
export function closedWait<S extends { readonly kind: string; readonly endMs?: number }>(
  span: S,
  place: EntryPlace,
): S {
  return span.kind === 'wait' && span.endMs === undefined ? { ...span, endMs: place.atMs } : span;
}
