/** What was repaired, in order, within limits. */
import type { Repair } from '../../call/call.ts';
import { cutText } from '../../util/cut-text.ts';
import type { JsonValue } from '../../util/json.ts';
import { type RepairRule, repairRules } from './rules.ts';

/** A text that needs more mending than this was never meant as arguments. */
const maxRepairs = 100;
const maxShownLength = 200;

/** What was there and what stands there now: at least one of the two. */
export type RepairChange =
  | { readonly before: JsonValue; readonly after?: JsonValue }
  | { readonly before?: JsonValue; readonly after: JsonValue };

export class RepairLog {
  /** True when the tool changes something, so that only the rules that are certain apply. */
  readonly sideEffect: boolean;
  readonly #repairs: Repair[] = [];

  constructor(sideEffect: boolean) {
    this.sideEffect = sideEffect;
  }

  /** Whether a rule may be used for this tool at all. */
  permits(rule: RepairRule): boolean {
    return repairRules[rule].sideEffects || !this.sideEffect;
  }

  /** Notes a repair; the same rule at the same place once. Long values are shown cut. */
  add(rule: RepairRule, path: string, change: RepairChange): void {
    if (this.#repairs.length >= maxRepairs) return;
    if (this.#repairs.some((repair) => repair.rule === rule && repair.path === path)) return;
    this.#repairs.push({
      rule,
      path,
      ...(change.before === undefined ? {} : { before: shown(change.before) }),
      ...(change.after === undefined ? {} : { after: shown(change.after) }),
    });
  }

  /** Whether so many repairs more could all be recorded. */
  hasRoomFor(count: number): boolean {
    return this.#repairs.length + count < maxRepairs;
  }

  /** True when there were more repairs than can be believed. */
  get full(): boolean {
    return this.#repairs.length >= maxRepairs;
  }

  get repairs(): readonly Repair[] {
    return this.#repairs;
  }
}

function shown(value: JsonValue): JsonValue {
  if (typeof value === 'string') return cutText(value, maxShownLength);
  if (typeof value !== 'object' || value === null) return value;
  const text = JSON.stringify(value);
  return text.length <= maxShownLength ? value : cutText(text, maxShownLength);
}
