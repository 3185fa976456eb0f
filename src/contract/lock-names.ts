/**
 * The names of the locks of a call: the texts of its contract, with arguments in the places that stand in braces.
 *
 * `order:{orderId}` names an argument, `order:{/order/id}` a place in the input by its JSON Pointer. Numbers and texts give the same name, so `7` and `"7"` are one
 * order. What a text holds is not escaped: two inputs that give one name wait for each other, which costs time and nothing else.
 */
import type { LockMode, LockTerms } from '../call/lock-terms.ts';
import type { JsonValue } from '../util/json.ts';
import { pointerTo, valueAt } from './pointer.ts';

/** The longest name of a lock, in UTF-16 code units. */
export const maxLockNameLength = 200;

const place = /\{([^{}]*)\}/gu;

/** A lock that a call wants, under its name. */
export interface WantedLock {
  readonly name: string;
  readonly mode: LockMode;
  readonly maxWaitMs: number;
  readonly keptInDoubt: boolean;
}

export type LockNames =
  | { readonly kind: 'named'; readonly locks: readonly WantedLock[] }
  /** An argument cannot be a part of a name. */
  | { readonly kind: 'unnamed'; readonly problem: string };

/** The locks of a call in the order in which all calls take them: by name, so that no two wait for each other. One that is named twice is wanted once. */
export function locksOf(terms: readonly LockTerms[], input: JsonValue): LockNames {
  const wanted = new Map<string, WantedLock>();
  for (const { name: template, mode, maxWaitMs, keptInDoubt = false } of terms) {
    let problem: string | undefined;
    const name = template.replaceAll(place, (_all, written: string) => {
      const value = valueAt(input, pointerOf(written));
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
      problem ??= `${written} is ${value === undefined ? 'not there' : 'no text, number or truth value'}`;
      return '';
    });
    if (name.length > maxLockNameLength) {
      problem ??= `it has ${name.length} characters, of ${maxLockNameLength} at most`;
    }
    if (problem !== undefined) return { kind: 'unnamed', problem: `the lock ${template} has no name: ${problem}` };
    const twin = wanted.get(name);
    wanted.set(name, {
      name,
      mode: twin?.mode === 'exclusive' ? 'exclusive' : mode,
      maxWaitMs: Math.min(maxWaitMs, twin?.maxWaitMs ?? Infinity),
      keptInDoubt: keptInDoubt || twin?.keptInDoubt === true,
    });
  }
  return { kind: 'named', locks: [...wanted.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The arguments, by name, from which the name of a lock is made. */
export function argumentsIn(template: string): readonly string[] {
  return [...template.matchAll(place)].map(([, written = '']) => pointerOf(written).split('/')[1] ?? '');
}

/** The same locks for a call whose input holds the first call's input at a place of its own. */
export function locksBelow(terms: readonly LockTerms[], pointer: string): readonly LockTerms[] {
  return terms.map((lock) => ({
    ...lock,
    name: lock.name.replaceAll(place, (_all, written: string) => `{${pointer}${pointerOf(written)}}`),
  }));
}

function pointerOf(written: string): string {
  return written.startsWith('/') ? written : pointerTo('', written);
}
