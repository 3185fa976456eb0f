/**
 * Decides a recording again: what our own functions make of each state, beside what the driver wrote.
 *
 *   append ──► intake: facts from outside ──► moves: what `decide` and `pipeline.ts` make of them ──► at rest ──► next append
 *                        ▲                          │
 *                        └── run-finished taken back over a post, before which the driver may have found that contracts have changed
 *
 * D1 No model and no tool is called, and no clock is asked: time, draws and all that came from outside are the recording's.
 * D2 An append ends where the driver came to rest, or where it closed before it announced an attempt: what is missing before that is a difference.
 * D3 What leads to something else only because code is not here as it was is unchecked, never a difference, and never passed over.
 */
import type { Policy } from '../policy/policy.ts';
import { defaultPolicy } from '../policy/default-policy.ts';
import type { Append, Entry } from '../journal/entry.ts';
import { valueAt } from '../contract/pointer.ts';
import { messageOf } from '../error/axle-error.ts';
import { builtInDeciders, decide } from '../run/decide.ts';
import { chainOf } from '../run/chain-links.ts';
import { evolve, passTime } from '../run/evolve.ts';
import { beginsAttempt, type Move } from '../run/next.ts';
import { entriesOf } from '../run/pipeline.ts';
import { noCode, type RunCode } from '../run/run-code.ts';
import { findCall, type RunState } from '../run/state.ts';
import type { JsonValue } from '../util/json.ts';
import { firstDifferenceOf, isAlike, jsonOf } from './first-difference.ts';
import type { Misfit } from './misfit.ts';
import { misfitOfPins } from './misfit-of-pins.ts';
import { isOfContracts, isOutside, isPosted, misfitOf, type OutsideEntry } from './outside-facts.ts';
import type { FoundCode, RecordedCode } from './recorded-code.ts';
import type { ReplayLaw } from './replay-report.ts';

export type Verdict =
  | { readonly kind: 'checked'; readonly unchecked?: string }
  | { readonly kind: 'taken' }
  | { readonly kind: 'unchecked'; readonly reason: string }
  | Difference;

export interface Difference {
  readonly kind: 'different';
  readonly law: ReplayLaw;
  readonly path: string;
  readonly recorded?: JsonValue;
  readonly recomputed?: JsonValue;
  readonly message: string;
}

/** An entry that has to come, and the move that makes it. */
interface Due {
  /** Undefined where it cannot be made here. */
  readonly entry: Entry | undefined;
  readonly move: Move;
}

/** Rounds of moves that bring no entry. */
const maxRounds = 10_000;

export class Redecision {
  readonly #code: RecordedCode;
  /** Undefined where nobody knows with which policy the run was driven. */
  readonly #policy: Policy | undefined;
  #state: RunState;
  #moves: Move[] = [];
  /** Entries of the move under way that have not come yet. */
  #due: Due[] = [];
  /** Calls that were looked up among kept results, as the driver does before it begins them. */
  readonly #looked = new Set<string>();
  #hasMoved = false;
  /** The end of the run that was passed over for what the driver found of contracts: only a post takes it back. */
  #passedEnd: Entry | undefined;
  /** The driver of this epoch has matched the run with its code. */
  #hasCode = false;

  constructor(state: RunState, code: RecordedCode, policy: Policy | undefined) {
    this.#state = state;
    this.#code = code;
    this.#policy = policy;
  }

  get state(): RunState {
    return this.#state;
  }

  /** The time of the next append comes. */
  begin(append: Append): Difference | undefined {
    const before = this.#state;
    if (append.firstSeq !== before.seq + 1) {
      const message = `The journal goes on with entry ${append.firstSeq}; ${before.seq + 1} was due.`;
      return { kind: 'different', law: 'order', path: '', message };
    }
    if (append.epoch < before.epoch || append.atMs < before.nowMs) {
      const message = `Epoch or time run backwards: from ${before.epoch} at ${before.nowMs} to ${append.epoch} at ${append.atMs}.`;
      return { kind: 'different', law: 'order', path: '', message };
    }
    const wakeAtMs = wakeOf(before);
    const isTimer = append.entries[0]?.type === 'timer-fired';
    if (isTimer && !(wakeAtMs !== undefined && wakeAtMs <= append.atMs)) {
      return { kind: 'different', law: 'fact', path: '/type', recorded: 'timer-fired', message: 'No time had come.' };
    }
    if (append.epoch > before.epoch) this.#hasCode = false;
    this.#state = passTime(before, append);
    this.#forget();
    return undefined;
  }

  /** Compares one entry, and folds it. */
  take(entry: Entry): Verdict {
    if (this.#state.held === undefined && this.#state.task !== undefined) this.#hasCode = true;
    const verdict = isOutside(entry) ? this.#takeFact(entry) : this.#compare(entry);
    if (verdict.kind === 'different') return verdict;
    try {
      this.#state = evolve(this.#state, entry);
    } catch (error) {
      return { kind: 'different', law: 'fold', path: '', recorded: jsonOf(entry), message: messageOf(error) };
    }
    return verdict;
  }

  /** The append is over: nothing may be left that the driver would have written into it. (D2) */
  end({ entries }: Append): Difference | undefined {
    // Whoever accepts a run decides nothing.
    if (entries[0]?.type === 'run-accepted') return undefined;
    if (this.#passedEnd !== undefined) return missing(this.#passedEnd);
    const next = this.#next();
    if (next === undefined || next.kind === 'different' || beginsAttempt(next.move)) {
      return next?.kind === 'different' ? next : undefined;
    }
    return missing(next.entry);
  }

  #takeFact(entry: OutsideEntry): Verdict {
    const isFound = entry.type === 'call-cached' && this.#takeFoundResult(entry.callId);
    if (this.#hasMoved && !isFound) {
      const next = this.#next();
      if (next?.kind === 'different') return next;
      if (next !== undefined) {
        if (next.entry?.type !== 'run-finished' || !(isPosted(entry) || isOfContracts(entry))) {
          return missing(next.entry);
        }
        this.#passedEnd = next.entry;
      }
    }
    if (isPosted(entry)) this.#passedEnd = undefined;
    if (isFound) this.#hasMoved = true;
    else this.#forget();
    const misfit = this.#misfitOf(entry);
    if (misfit === undefined) return { kind: 'taken' };
    const recorded = valueAt(jsonOf(entry), misfit.path);
    return { kind: 'different', law: 'fact', ...misfit, ...(recorded === undefined ? {} : { recorded }) };
  }

  #misfitOf(entry: OutsideEntry): Misfit | undefined {
    try {
      return misfitOf(entry, this.#state, this.#found().code) ?? misfitOfPins(entry, (pin) => this.#code.pinFor(pin));
    } catch (error) {
      return { path: '', message: messageOf(error) };
    }
  }

  /** A kept result takes the place of the attempt that was about to begin. */
  #takeFoundResult(callId: string): boolean {
    const next = this.#next();
    if (next?.kind !== 'due' || next.move.kind !== 'begin' || next.move.callId !== callId) return false;
    this.#due.shift();
    return true;
  }

  #compare(entry: Entry): Verdict {
    if (this.#passedEnd !== undefined) return missing(this.#passedEnd);
    this.#hasMoved = true;
    const next = this.#next();
    if (next?.kind === 'different') return next;
    if (next === undefined) {
      return {
        kind: 'different',
        law: 'order',
        path: '',
        recorded: jsonOf(entry),
        message: `Nothing led to ${entry.type}: what was recorded before it decides nothing more.`,
      };
    }
    this.#due.shift();
    const doubt = this.#doubtOf(next.move);
    if (next.entry === undefined) return { kind: 'unchecked', reason: doubt ?? 'It cannot be made here.' };
    const expected = this.#withOutsideParts(next.entry, next.move, entry);
    if (doubt !== undefined && !isAlike(entry, expected.entry)) return { kind: 'unchecked', reason: doubt };
    const difference = firstDifferenceOf(entry, expected.entry);
    if (difference === undefined) {
      return { kind: 'checked', ...(expected.unchecked === undefined ? {} : { unchecked: expected.unchecked }) };
    }
    const { path, left, right } = difference;
    return {
      kind: 'different',
      law: 'decision',
      path,
      message: `${entry.type} is not what the state before it leads to.`,
      ...(left === undefined ? {} : { recorded: left }),
      ...(right === undefined ? {} : { recomputed: right }),
    };
  }

  /** What is random, or made by code that is not here, is the recording's where it can be. */
  #withOutsideParts(entry: Entry, move: Move, recorded: Entry): { readonly entry: Entry; readonly unchecked?: string } {
    if (entry.type === 'retry-scheduled' && recorded.type === 'retry-scheduled') {
      const [longest] = this.#entriesOf(move, 1);
      const isDrawn =
        longest?.type === 'retry-scheduled' && recorded.dueAtMs >= entry.dueAtMs && recorded.dueAtMs <= longest.dueAtMs;
      return { entry: isDrawn ? { ...entry, dueAtMs: recorded.dueAtMs } : entry };
    }
    const { missing: gone } = this.#found();
    if (entry.type === 'model-started' && recorded.type === 'model-started' && gone.length > 0) {
      const { toolsHash: _, tools: __, ...rest } = entry;
      const { toolsHash, tools } = recorded;
      return {
        entry: {
          ...rest,
          ...(toolsHash === undefined ? {} : { toolsHash }),
          ...(tools === undefined ? {} : { tools }),
        },
        unchecked: `The tools that the model was shown are not all known here: ${gone.join(', ')}.`,
      };
    }
    return { entry };
  }

  /** Why something else may come of a move here than where it was recorded. (D3) */
  #doubtOf(move: Move): string | undefined {
    if (move.kind === 'conclude' && !this.#hasChain(move.callId)) return undefined;
    if (move.kind === 'judge') {
      return this.#policy === undefined
        ? 'The policy that the run was driven with is not known here; the default one decides otherwise.'
        : undefined;
    }
    if (move.kind !== 'bind' && move.kind !== 'conclude') return undefined;
    const { missing: gone, declared } = this.#found();
    if (gone.length > 0) return `Not registered here, and no declaration kept: ${gone.join(', ')}.`;
    return declared.length > 0
      ? `Known by their declarations alone, without their functions: ${declared.join(', ')}.`
      : undefined;
  }

  /** True for a call that another tool may take, or has taken: functions are between the two. */
  #hasChain(callId: string): boolean {
    const call = findCall(this.#state, callId);
    return call !== undefined && (call.call?.link !== undefined || chainOf(this.#state, call).length > 0);
  }

  /** The entry that has to come next; undefined at rest. */
  #next(): ({ readonly kind: 'due' } & Due) | Difference | undefined {
    try {
      for (let round = 0; round < maxRounds; round += 1) {
        const [due] = this.#due;
        if (due !== undefined) return { kind: 'due', ...due };
        const move = this.#moves.shift() ?? this.#decideAnew();
        if (move === undefined) return undefined;
        if (move.kind === 'begin' && !this.#looked.has(move.callId)) {
          // The driver looks among the kept results, and decides anew.
          this.#looked.add(move.callId);
          this.#moves = [];
          continue;
        }
        if (move.kind === 'begin') this.#looked.delete(move.callId);
        this.#due = this.#dueOf(move);
      }
    } catch (error) {
      return { kind: 'different', law: 'decision', path: '', message: `Nothing could be decided: ${messageOf(error)}` };
    }
    return undefined;
  }

  /** What a move makes; not known where it needs a contract that is nowhere. */
  #dueOf(move: Move): Due[] {
    try {
      return this.#entriesOf(move, 0).map((entry) => ({ entry, move }));
    } catch (error) {
      if (this.#doubtOf(move) === undefined) throw error;
      return [{ entry: undefined, move }];
    }
  }

  #decideAnew(): Move | undefined {
    const next = decide(this.#state, builtInDeciders);
    if (next.kind !== 'advance') return undefined;
    this.#moves = [...next.moves];
    return this.#moves.shift();
  }

  #forget(): void {
    this.#moves = [];
    this.#due = [];
    this.#looked.clear();
    this.#hasMoved = false;
  }

  #entriesOf(move: Move, draw: number): readonly Entry[] {
    const engine = { policy: this.#policy ?? defaultPolicy, random: { next: () => draw } };
    return entriesOf(move, this.#state, { engine, code: this.#runCode() });
  }

  /** A driver that found the run held has no code of it: enough to end it. */
  #runCode(): RunCode {
    return this.#hasCode ? this.#found().code : noCode;
  }

  #found(): FoundCode {
    return this.#code.codeFor(this.#state);
  }
}

function wakeOf(state: RunState): number | undefined {
  const next = decide(state, builtInDeciders);
  return next.kind === 'rest' ? next.wakeAtMs : undefined;
}

function missing(entry: Entry | undefined): Difference {
  if (entry === undefined) return { kind: 'different', law: 'order', path: '', message: 'A call is missing.' };
  return {
    kind: 'different',
    law: 'order',
    path: '',
    recomputed: jsonOf(entry),
    message: `${entry.type} is missing: the state leads to it, and nothing else was to come before.`,
  };
}
