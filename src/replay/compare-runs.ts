/**
 * Compares two runs step by step: what the model saw, what it asked for, what came of it, and what it cost. (O4)
 *
 * Q1 Steps are aligned by their number. A fork has the steps before its first one from the run that it goes on from, so a fork and its run part where the fork begins, or later.
 * Q2 Values are compared whole, and shown cut.
 */
import type { TranscriptItem } from '../call/message.ts';
import type { Store } from '../journal/store.ts';
import { cutText } from '../util/cut-text.ts';
import { defined } from '../util/defined.ts';
import type { JsonValue } from '../util/json.ts';
import {
  type CallFacts,
  outputOf,
  type RunFacts,
  runFacts,
  shown,
  shownStep,
  type StepFacts,
} from './compared-steps.ts';
import { differences, jsonOf } from './first-difference.ts';
import type {
  BlockDifference,
  DifferenceKind,
  RunComparison,
  StepComparison,
  StepDifference,
} from './run-comparison.ts';

/** Differences of one value that are named. */
const maxPlaces = 20;
const maxBlocks = 100;
const maxPreviewLength = 300;

/** @throws AxleError `run-unknown` */
export async function compareRuns(store: Store, leftId: string, rightId: string): Promise<RunComparison> {
  const [left, right] = await Promise.all([runFacts(store, leftId), runFacts(store, rightId)]);
  const shared = sharedBy(left, right);
  const numbers = [...new Set([...left.steps.keys(), ...right.steps.keys()])].toSorted((one, other) => one - other);
  const steps = numbers.map((step) => compareStep(step, { left, right, sharedSteps: shared?.steps ?? 0 }));
  const parted = steps.find(({ isSame }) => !isSame);
  const what = parted?.differences.find((difference) => parts(difference.what))?.what ?? 'calls';
  const divergence = parted === undefined ? endingOf(left, right) : { step: parted.step, what };
  return { left: left.run, right: right.run, ...defined({ shared, divergence }), steps };
}

function endingOf({ run: left }: RunFacts, { run: right }: RunFacts): RunComparison['divergence'] {
  const isSame = left.ending === right.ending && differences(left.output, right.output, 1).length === 0;
  return isSame ? undefined : { step: Math.max(left.steps, right.steps), what: 'ending' };
}

/** The steps that both have from one run. */
function sharedBy({ run: left }: RunFacts, { run: right }: RunFacts): RunComparison['shared'] {
  if (right.fork?.of === left.runId) return { runId: left.runId, steps: right.fork.step - 1 };
  if (left.fork?.of === right.runId) return { runId: right.runId, steps: left.fork.step - 1 };
  if (left.fork === undefined || left.fork.of !== right.fork?.of) return undefined;
  return { runId: left.fork.of, steps: Math.min(left.fork.step, right.fork.step) - 1 };
}

interface Sides {
  readonly left: RunFacts;
  readonly right: RunFacts;
  readonly sharedSteps: number;
}

function compareStep(step: number, { left, right, sharedSteps }: Sides): StepComparison {
  const [one, other] = [left.steps.get(step), right.steps.get(step)];
  const found = one === undefined || other === undefined ? [] : differencesOf(one, other);
  const isThere = one !== undefined && other !== undefined;
  // What only one of them has, the other has from it.
  const isSame = isThere ? !found.some(({ what }) => parts(what)) : step <= sharedSteps;
  return {
    step,
    ...(one === undefined ? {} : { left: shownStep(one) }),
    ...(other === undefined ? {} : { right: shownStep(other) }),
    isSame,
    differences: found,
    blocks:
      isThere && one.contextHash !== other.contextHash ? blocksOf({ left, right }, one, other) : toolBlocks(one, other),
  };
}

/** Whether a difference parts two runs. */
function parts(what: DifferenceKind): boolean {
  return what !== 'tokens' && what !== 'duration';
}

function differencesOf(left: StepFacts, right: StepFacts): readonly StepDifference[] {
  return [
    ...plain('context', left.contextHash, right.contextHash),
    ...plain('tools', left.toolsHash, right.toolsHash),
    ...plain('answer', left.said, right.said),
    ...callDifferences(left.calls, right.calls),
    ...plain('tokens', left.inputTokens + left.outputTokens, right.inputTokens + right.outputTokens),
    ...plain('duration', left.modelMs + left.callsMs, right.modelMs + right.callsMs),
  ];
}

function plain(what: DifferenceKind, left: JsonValue, right: JsonValue): readonly StepDifference[] {
  return left === right ? [] : [{ what, left: shown(left), right: shown(right) }];
}

function callDifferences(left: readonly CallFacts[], right: readonly CallFacts[]): readonly StepDifference[] {
  const found: StepDifference[] = [];
  for (let call = 0; call < Math.max(left.length, right.length); call += 1) {
    const [one, other] = [left[call], right[call]];
    if (one?.tool !== other?.tool) {
      found.push({ what: 'calls', call, ...defined({ left: one?.tool, right: other?.tool }) });
    } else if (one !== undefined && other !== undefined) {
      found.push(
        ...places('arguments', call, [one.input, other.input]),
        ...places('result', call, [resultOf(one), resultOf(other)]),
      );
    }
  }
  return found;
}

function resultOf({ outcome }: CallFacts): JsonValue {
  return outcome === undefined ? null : { status: outcome.status, output: outputOf(outcome) };
}

function places(
  what: DifferenceKind,
  call: number,
  [left, right]: readonly [JsonValue, JsonValue],
): readonly StepDifference[] {
  return differences(left, right, maxPlaces).map((place) => ({
    what,
    call,
    path: place.path,
    ...(place.left === undefined ? {} : { left: shown(place.left) }),
    ...(place.right === undefined ? {} : { right: shown(place.right) }),
  }));
}

function toolBlocks(left: StepFacts | undefined, right: StepFacts | undefined): readonly BlockDifference[] {
  if (left === undefined || right === undefined || left.toolsHash === right.toolsHash) return [];
  return [{ kind: 'tools', change: 'changed', left: left.toolsHash, right: right.toolsHash }];
}

/** What differs of what the two models saw, in its order. */
function blocksOf(
  { left, right }: Omit<Sides, 'sharedSteps'>,
  one: StepFacts,
  other: StepFacts,
): readonly BlockDifference[] {
  const found: BlockDifference[] = [];
  if (left.instructions !== right.instructions) {
    const [was, is] = [left.instructions, right.instructions].map((text) => cutText(text, maxPreviewLength));
    found.push({ kind: 'instructions', change: 'changed', ...defined({ left: was, right: is }) });
  }
  found.push(...toolBlocks(one, other));
  for (let index = 0; index < Math.max(one.items, other.items) && found.length < maxBlocks; index += 1) {
    const [was, is] = [
      index < one.items ? left.items[index] : undefined,
      index < other.items ? right.items[index] : undefined,
    ];
    const block = blockOf(index, was, is);
    if (block !== undefined) found.push(block);
  }
  return found;
}

function blockOf(
  index: number,
  left: TranscriptItem | undefined,
  right: TranscriptItem | undefined,
): BlockDifference | undefined {
  const kind = left?.kind ?? right?.kind;
  if (kind === undefined) return undefined;
  if (left === undefined || right === undefined) {
    const change = left === undefined ? 'right-only' : 'left-only';
    return { kind, index, change, ...defined({ left: preview(left), right: preview(right) }) };
  }
  if (differences(jsonOf(left), jsonOf(right), 1).length === 0) return undefined;
  return { kind, index, change: 'changed', ...defined({ left: preview(left), right: preview(right) }) };
}

function preview(item: TranscriptItem | undefined): string | undefined {
  if (item === undefined) return undefined;
  return cutText('text' in item ? item.text : JSON.stringify(item), maxPreviewLength);
}
