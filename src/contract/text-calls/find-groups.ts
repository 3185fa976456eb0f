/**
 * Where in a text calls are written: groups of calls with nothing but markup, fences and separators between them.
 *
 * G1 Without markup a group begins at the beginning of a line and ends at the end of one: what stands in a sentence is said, not asked for.
 * G2 The work is bounded by the length of the text and by the number of places that are tried.
 */
import { readJsonCalls } from './json-calls.ts';
import { readNamedJson } from './named-json.ts';
import { readPythonCall } from './python-calls.ts';
import type { Work } from './brackets.ts';
import { matchAt, namePattern, type UnitReader, type WrittenCall } from './written-call.ts';
import { readXmlCall } from './xml-calls.ts';

/** A call, with the places in the text between which it stands. */
export interface PlacedCall extends WrittenCall {
  readonly start: number;
  readonly end: number;
}

export interface CallGroup {
  readonly start: number;
  readonly end: number;
  readonly calls: readonly PlacedCall[];
  /** True when the text itself says that here a call is made: tags or control tokens that models were trained on. */
  readonly marked: boolean;
  readonly fenced: boolean;
  /** True when markup announces a call that cannot be read. */
  readonly broken: boolean;
}

const readers: readonly UnitReader[] = [readXmlCall, readJsonCalls, readNamedJson, readPythonCall];

const markup =
  /<\/?(?:tool_calls?|function_calls?|functioncall|tool_code)>|<\|[A-Za-z_]{1,40}\|>|<\/?｜[^<>]{1,60}>|\[\/?TOOL_CALLS\]|functools(?=\s*\[)/y;
const announcing = /tool|function|python_tag|DSML|TOOL/;
const closing = /^(?:<\/|\[\/)|end/;
/** An element that a call would begin with, whether or not it can be read. */
const element = /<(?:｜DSML｜|antml:)?invoke\s|<function=/y;
const markedUnit = /<|Action:|\S*\s*<\||(?:[a-z]+\s+)?to=/y;
const fence = /```[ \t]*([A-Za-z_]*)[ \t]*(?=\r?\n|$)|```/y;
const callFence = /^(?:tool_code|tool_calls?|function_calls?)$/;
const separators = /[\s;,]+/y;

/** Places that are tried in one text. */
const maxPlaces = 1_000;
/** What a call can begin with, so that a line of prose costs one look. */
const beginning = new RegExp(
  String.raw`[<{\[\x60]|functools\s*\[|print\s*\(|await\s|Action:|(?:(?:commentary|analysis|assistant)\s+)?to=|${namePattern}\s*(?:\(|<|\r?\n)`,
  'uy',
);
/** Characters that are searched for closing brackets: each of the text a few times, whatever it holds. */
const workOf = ({ length }: string): number => 4 * length + 10_000;

/** The groups of a text, in their order. */
export function findGroups(text: string): readonly CallGroup[] {
  const groups: CallGroup[] = [];
  let at = 0;
  let tried = 0;
  const work = { left: workOf(text) };
  for (const start of placesOf(text)) {
    // What stands in backquotes is named, not done.
    if (start < at || text.charAt(start - 1) === '`') continue;
    if (matchAt(beginning, text, start) === null) continue;
    tried += 1;
    if (tried > maxPlaces || work.left <= 0) break;
    const group = readGroup(text, start, work);
    if (group === undefined) continue;
    groups.push(group);
    at = group.end;
  }
  return groups;
}

/** Places where a group may begin, in their order: the first character of a line, and markup anywhere. */
function placesOf(text: string): readonly number[] {
  const places: number[] = [];
  for (let line = 0; line !== -1 && line < text.length; line = next(text, '\n', line)) {
    places.push(line + (matchAt(/[ \t]*/y, text, line)?.[0].length ?? 0));
  }
  const lines = places.length;
  for (let tag = text.indexOf('<'); tag !== -1; tag = text.indexOf('<', tag + 1)) places.push(tag);
  for (let tag = text.indexOf('[TOOL_CALLS]'); tag !== -1; tag = text.indexOf('[TOOL_CALLS]', tag + 1)) {
    places.push(tag);
  }
  return places.length === lines ? places : places.toSorted((one, other) => one - other);
}

function next(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? -1 : found + what.length;
}

function readGroup(text: string, start: number, work: Work): CallGroup | undefined {
  const calls: PlacedCall[] = [];
  let at = start;
  let [marked, fenced, announced] = [false, false, false];
  for (;;) {
    at += matchAt(separators, text, at)?.[0].length ?? 0;
    const unit = firstUnit(text, at, work);
    if (unit !== undefined) {
      for (const call of unit.calls) calls.push({ ...call, start: at, end: unit.end });
      // Elements are markup of their own, and so are the words of a protocol.
      marked ||= matchAt(markedUnit, text, at) !== null;
      announced = false;
      at = unit.end;
      continue;
    }
    const mark = matchAt(markup, text, at)?.[0] ?? '';
    const border = mark === '' ? matchAt(fence, text, at) : null;
    if (mark === '' && border === null) break;
    const isCallFence = callFence.test(border?.[1] ?? '');
    marked ||= mark !== '' || isCallFence;
    announced ||= isCallFence || (announcing.test(mark) && !closing.test(mark));
    fenced ||= border !== null;
    at += mark.length + (border?.[0].length ?? 0);
  }
  const broken = announced || matchAt(element, text, at) !== null;
  if (calls.length === 0 && !broken) return undefined;
  if (!marked && !broken && !standsAlone(text, start, at)) return undefined;
  return { start, end: at, calls, marked: marked || broken, fenced, broken };
}

function firstUnit(text: string, at: number, work: Work): ReturnType<UnitReader> {
  for (const reader of readers) {
    const unit = reader(text, at, work);
    if (unit !== undefined) return unit;
  }
  return undefined;
}

/** Whether whole lines lie between two places, outside of a code block that began before. The separators behind a group belong to it. */
function standsAlone(text: string, start: number, end: number): boolean {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  if (text.slice(lineStart, start).trim() !== '') return false;
  if (end < text.length && !isAfterLineBreak(text, end)) return false;
  return (text.slice(0, start).match(/^[ \t]*```/gm) ?? []).length % 2 === 0;
}

function isAfterLineBreak(text: string, end: number): boolean {
  let at = end - 1;
  while (at >= 0 && /[ \t;,]/.test(text.charAt(at))) at -= 1;
  return text.charAt(at) === '\n';
}
