/**
 * What became of the calls of each tool. Of each run there is a sample, small enough to be kept; samples of several runs add up to statistics.
 *
 * K1 A call counts for the tool that the model asked for; an attempt for the tool that made it, which in a chain may be a stand-in.
 * K2 What a fork took out of its recording is counted apart: it says nothing about how a tool is now.
 * K3 Lengths of time are of attempts that were answered; how long one took that was lost nobody knows.
 */
import type { Repair } from '../call/call.ts';
import type { CallSpan, RunPart } from './trace.ts';

/** Of a run: tools at most. A model can ask for any name. */
const maxTools = 200;
/** Of a tool in a run: lengths of time at most; the last ones are kept. */
const maxDurations = 1_000;
/** Of a tool in a run: places of repairs at most. */
const maxPlaces = 50;
/** Repairs and errors of a tool that are shown. */
const mostShown = 5;
const maxMessageChars = 300;

/** Counts of calls and attempts. */
export interface ToolCounts {
  /** Calls that began: their arguments fitted, and they came before the policy. */
  readonly calls: number;
  /** Calls that never began, since their arguments fitted nothing, even after repairs, or there is no such tool. */
  readonly refused: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly denied: number;
  /** Calls of which at some time nobody knew whether they had their effect. */
  readonly doubts: number;
  /** Calls that a kept result answered, without an attempt. */
  readonly cached: number;
  /** Calls of forks that their recording answered. They are in no other count. */
  readonly recorded: number;
  /** Calls whose arguments were repaired before they began. */
  readonly repaired: number;
  /** Calls of which another tool of the chain took over. */
  readonly stoodIn: number;
  readonly attempts: number;
}

/** How long something took, in milliseconds: of so many, the middle one and those that few were slower than. */
export interface Durations {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly most: number;
}

/** A place in the arguments that had to be repaired. */
export interface RepairedPlace {
  /** The rule that did it, such as `string-to-number`. */
  readonly rule: string;
  /** JSON Pointer; places of lists stand as `*`. */
  readonly path: string;
  readonly count: number;
}

/** A call that failed. */
export interface FailedCall {
  readonly runId: string;
  readonly callId: string;
  readonly atMs: number;
  readonly code: string;
  /** At most 300 characters. */
  readonly message: string;
}

export interface ToolStatistics extends ToolCounts {
  readonly tool: string;
  /** Share of the calls that came to an end which failed, 0 to 1; absent while none has. */
  readonly errorRate?: number;
  /** Over the calls that had one; absent while none has. */
  readonly attemptsPerCall?: number;
  /** Share of the calls, 0 to 1; absent without calls. */
  readonly repairRate?: number;
  /** Share of the calls, 0 to 1; absent without calls. */
  readonly cacheShare?: number;
  /** Of attempts that were answered; absent while none was. */
  readonly attemptMs?: Durations;
  /** The most frequent ones, at most 5. */
  readonly repairs: readonly RepairedPlace[];
  /** The last ones first, at most 5. */
  readonly errors: readonly FailedCall[];
}

/** What one run says about one tool. */
export interface ToolSample extends ToolCounts {
  readonly tool: string;
  /** Calls with an attempt. */
  readonly attempted: number;
  readonly attemptMs: readonly number[];
  readonly repairs: readonly RepairedPlace[];
  readonly errors: readonly FailedCall[];
}

type Counting = { -readonly [Field in keyof ToolCounts]: number };

interface Sampling extends Counting {
  attempted: number;
  attemptMs: number[];
  readonly repairs: Map<string, RepairedPlace>;
  errors: FailedCall[];
}

/** What a run says about the tools that it asked for. */
export function toolSamplesOf(runId: string, parts: readonly RunPart[]): readonly ToolSample[] {
  const byTool = new Map<string, Sampling>();
  for (const part of parts) if (part.kind === 'call') takeCall(byTool, runId, part);
  return [...byTool].map(([tool, { repairs, ...rest }]) => ({ tool, ...rest, repairs: [...repairs.values()] }));
}

/** What samples add up to, tools with the most calls first. Samples of the runs that began last stand first. */
export function toolStatisticsOf(samples: readonly ToolSample[]): readonly ToolStatistics[] {
  const byTool = new Map<string, ToolSample[]>();
  for (const sample of samples) {
    const same = byTool.get(sample.tool) ?? [];
    byTool.set(sample.tool, same);
    same.push(sample);
  }
  return [...byTool]
    .map(([tool, same]) => addUp(tool, same))
    .toSorted((left, right) => right.calls - left.calls || (left.tool < right.tool ? -1 : 1));
}

function takeCall(byTool: Map<string, Sampling>, runId: string, call: CallSpan): void {
  const sampling = samplingOf(byTool, call.tool);
  if (sampling === undefined) return;
  if (call.recorded !== undefined) {
    sampling.recorded += 1;
    return;
  }
  if (call.refusal !== undefined) {
    sampling.refused += 1;
    return;
  }
  sampling.calls += 1;
  if (call.cached !== undefined) sampling.cached += 1;
  if (call.repairs.length > 0) sampling.repaired += 1;
  for (const repair of call.repairs) countRepair(sampling.repairs, repair);
  if (call.children.some(({ kind }) => kind === 'doubt')) sampling.doubts += 1;
  if (call.children.some(({ kind }) => kind === 'stand-in')) sampling.stoodIn += 1;
  if (call.children.some(({ kind }) => kind === 'attempt')) sampling.attempted += 1;
  takeOutcome(sampling, runId, call);
  takeAttempts(byTool, call);
}

function takeOutcome(sampling: Sampling, runId: string, call: CallSpan): void {
  const { outcome, callId } = call;
  if (outcome?.status === 'succeeded') sampling.succeeded += 1;
  if (outcome?.status === 'denied') sampling.denied += 1;
  if (outcome?.status !== 'failed') return;
  sampling.failed += 1;
  const { code, message } = outcome.failure;
  const error = { runId, callId, atMs: call.endMs ?? call.startMs, code, message: cut(message) };
  sampling.errors = [error, ...sampling.errors].slice(0, mostShown);
}

function takeAttempts(byTool: Map<string, Sampling>, call: CallSpan): void {
  let sampling = samplingOf(byTool, call.tool);
  for (const part of call.children) {
    if (part.kind === 'stand-in') sampling = samplingOf(byTool, part.tool);
    if (part.kind !== 'attempt' || sampling === undefined) continue;
    sampling.attempts += 1;
    if (part.endMs === undefined || part.end === undefined || part.end.status === 'lost') continue;
    sampling.attemptMs.push(Math.max(0, part.endMs - part.startMs));
    if (sampling.attemptMs.length > maxDurations) sampling.attemptMs.shift();
  }
}

/** Undefined for a tool more than are counted. */
function samplingOf(byTool: Map<string, Sampling>, tool: string): Sampling | undefined {
  const known = byTool.get(tool);
  if (known !== undefined || byTool.size >= maxTools) return known;
  const fresh: Sampling = { ...noCounts, attempted: 0, attemptMs: [], repairs: new Map(), errors: [] };
  byTool.set(tool, fresh);
  return fresh;
}

const noCounts: ToolCounts = {
  calls: 0,
  refused: 0,
  succeeded: 0,
  failed: 0,
  denied: 0,
  doubts: 0,
  cached: 0,
  recorded: 0,
  repaired: 0,
  stoodIn: 0,
  attempts: 0,
};

/** Items of a list are repaired alike, so their places are one. */
function countRepair(places: Map<string, RepairedPlace>, repair: Pick<Repair, 'rule' | 'path'>, count = 1): void {
  const path = cut(repair.path.replaceAll(/\/\d+(?=\/|$)/g, '/*'));
  const key = `${repair.rule} ${path}`;
  const known = places.get(key);
  if (known === undefined && places.size >= maxPlaces) return;
  places.set(key, { rule: repair.rule, path, count: (known?.count ?? 0) + count });
}

function addUp(tool: string, samples: readonly ToolSample[]): ToolStatistics {
  const sum = (field: keyof ToolCounts | 'attempted'): number =>
    samples.reduce((total, sample) => total + sample[field], 0);
  const places = new Map<string, RepairedPlace>();
  for (const place of samples.flatMap(({ repairs }) => repairs)) countRepair(places, place, place.count);
  const counts: Counting = { ...noCounts };
  for (const field of countFields) counts[field] = sum(field);
  const { calls, attempts, repaired, cached, succeeded, failed } = counts;
  const attempted = sum('attempted');
  const durations = durationsOf(samples.flatMap(({ attemptMs }) => attemptMs));
  return {
    tool,
    ...counts,
    ...(succeeded + failed === 0 ? {} : { errorRate: failed / (succeeded + failed) }),
    ...(attempted === 0 ? {} : { attemptsPerCall: attempts / attempted }),
    ...(calls === 0 ? {} : { repairRate: repaired / calls, cacheShare: cached / calls }),
    ...(durations === undefined ? {} : { attemptMs: durations }),
    repairs: [...places.values()].toSorted((left, right) => right.count - left.count).slice(0, mostShown),
    errors: samples
      .flatMap(({ errors }) => errors)
      .toSorted((left, right) => right.atMs - left.atMs)
      .slice(0, mostShown),
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `Object.keys` gives exactly these.
const countFields = Object.keys(noCounts) as readonly (keyof ToolCounts)[];

/** By nearest rank: each figure is one that was measured. */
function durationsOf(all: readonly number[]): Durations | undefined {
  const sorted = all.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  if (sorted.length === 0) return undefined;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: at(1) };
}

function cut(text: string): string {
  return text.slice(0, maxMessageChars).toWellFormed();
}
