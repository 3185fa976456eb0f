/**
 * Regular expressions that somebody else wrote, in a schema for example: none of them holds the process up.
 *
 * B1 A pattern that backtracking can make slow is given at most 100 ms for a text, and then counts as not matching: V8 hears the time limit of `node:vm`
 *    while it backtracks. It costs about 0.2 ms a text, so what cannot be slow is not run that way.
 * B2 Within `withinPatternLimit` ten texts may run out of their time: after them such texts count as not matching, untried. A value can have any number of texts.
 * B3 Slow can be: a repetition of a group, a back-reference, and on a long text every repetition without an upper bound.
 */
import { type Context, createContext, Script } from 'node:vm';

/** What schemas need of a pattern. */
export interface BoundedPattern {
  readonly test: (text: string) => boolean;
}

const limitMs = 100;
const maxOverruns = 10;
/** On a shorter text a single repetition, even a few one after another, ends in time. */
const longText = 2_000;
const repeatedGroup = /\)(?:[*+]|\{\d+,?\d*\})/;
const backReference = /\\(?:[1-9]|k<)/;
const endlessRepetition = /[*+]|\{\d+,\}/;

const script = new Script('pattern.test(text)');
/** One place for all: what is in it is replaced before each use. */
let place: (Context & { pattern?: RegExp | undefined; text?: string | undefined }) | undefined;

/** How many texts may still run out of their time; undefined where nobody counts. */
let overrunsLeft: number | undefined;

/** Does work that tests patterns, within the limit that they have together; work inside of such work has what is left of it. */
export function withinPatternLimit<T>(work: () => T): T {
  if (overrunsLeft !== undefined) return work();
  overrunsLeft = maxOverruns;
  try {
    return work();
  } finally {
    overrunsLeft = undefined;
  }
}

/** The pattern with Unicode rules where it has them, else as older JavaScript reads it: schemas in the wild carry both kinds. @throws SyntaxError */
export function boundedPattern(source: string): BoundedPattern {
  const pattern = compiled(source);
  if (repeatedGroup.test(source) || backReference.test(source)) return { test: (text) => testInTime(pattern, text) };
  if (!endlessRepetition.test(source)) return pattern;
  return { test: (text) => (text.length > longText ? testInTime(pattern, text) : pattern.test(text)) };
}

function compiled(source: string): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    return new RegExp(source);
  }
}

function testInTime(pattern: RegExp, text: string): boolean {
  if (overrunsLeft === 0) return false;
  place ??= createContext({});
  place.pattern = pattern;
  place.text = text;
  try {
    return script.runInContext(place, { timeout: limitMs }) === true;
  } catch {
    if (overrunsLeft !== undefined) overrunsLeft -= 1;
    return false;
  } finally {
    place.pattern = undefined;
    place.text = undefined;
  }
}
