/**
 * Calls that a model wrote in its text instead of sending them. They are recovered where nothing else can be meant, told apart from prose, quotations
 * and examples, and asked about where both is possible.
 *
 * X1 Only what stands in the text as a whole call is recovered. It goes the way of every call: names, arguments, policy; nothing is decided here.
 * X2 The text parts and the recovered calls, put together, are the text as it was, letter by letter.
 * X3 A call with words behind it, or without markup beside words, is good enough to read something, never to change something (`besideText`): such words
 *    often explain an example.
 * X4 Markup that announces a call is never an answer. A call without markup after words may be an example: the model is asked once, and what it says
 *    again stands.
 * X5 What a tool gave back and the model repeats is a quotation, so that nobody's data makes calls.
 * X6 What stands in a message of the user may be asked for or merely pasted there: repeated by the model, it is good enough to read something (X3).
 */
import { cutText } from '../../util/cut-text.ts';
import { resolveName, unknownToolText } from '../resolve-name.ts';
import { findGroups, type CallGroup, type PlacedCall } from './find-groups.ts';

/** A piece of the text, in order: words, or a call in the place of the words that it was written with. */
export type TextPiece =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly toolName: string;
      readonly argumentsText: string;
      readonly written: string;
      readonly besideText: boolean;
    };

export type ReadText =
  | { readonly kind: 'prose' }
  | { readonly kind: 'calls'; readonly pieces: readonly TextPiece[] }
  /** The text looks like a call and is none that can be run; words for the model. */
  | { readonly kind: 'unclear'; readonly what: string };

export interface TextContext {
  /** The tools that the model may use. */
  readonly names: readonly string[];
  /** True when other words of the same answer stand before, or after, the text. */
  readonly isAfterWords?: boolean;
  readonly isBeforeWords?: boolean;
  /** True when the model was asked just now whether such a text was meant as a call. */
  readonly wasAsked?: () => boolean;
  /** Whether a tool gave back this text before. */
  readonly isQuoted?: (text: string) => boolean;
  /** Whether a message of the user holds this text. */
  readonly isOfUser?: (text: string) => boolean;
}

/** Longer texts are not searched: nobody writes a call of that size. */
const maxTextLength = 131_072;
const maxShown = 120;

/** Reads one text of a model's answer. Costs three searches for a character where nothing can be a call. */
export function readTextCalls(text: string, context: TextContext): ReadText {
  if (!(text.includes('{') || text.includes('(') || text.includes('<')) || text.length > maxTextLength) return prose;
  const groups = findGroups(text);
  if (groups.length === 0) return prose;
  const sight = { text, context, isKnown: knowledgeOf(context.names) };
  const meant = groups.filter((group) => !isQuotation(group, sight));
  const [quoted] = groups;
  if (quoted !== undefined && meant.length === 0) return readQuotation(quoted, sight);
  return readMarked(meant, sight) ?? readUnmarked(meant, sight);
}

function isQuotation(group: CallGroup, { text, context }: Sight): boolean {
  const isQuoted = context.isQuoted ?? (() => false);
  const pieces = group.calls.length === 0 ? [group] : group.calls;
  return pieces.some(({ start, end }) => isQuoted(text.slice(start, end).trim()));
}

/** With nothing around it, what a tool gave back may be repeated or meant; with words around it, it is repeated. (X5) */
function readQuotation(group: CallGroup, sight: Sight): ReadText {
  if (hasWordsBefore(group, sight) || hasWordsAfter(group, sight) || sight.context.wasAsked?.() === true) return prose;
  return { kind: 'unclear', what: `It holds ${shown(sight.text)}, which a tool gave back` };
}

const prose: ReadText = { kind: 'prose' };

interface Sight {
  readonly text: string;
  readonly context: TextContext;
  readonly isKnown: (call: PlacedCall) => boolean;
}

function knowledgeOf(names: readonly string[]): (call: PlacedCall) => boolean {
  return ({ toolName }) => resolveName(toolName, names) !== undefined;
}

/** Groups with markup, unless they are an example in a fence behind words; undefined when there are none. (X4) */
function readMarked(groups: readonly CallGroup[], sight: Sight): ReadText | undefined {
  const marked = groups.filter((group) => group.marked && !(group.fenced && hasWordsBefore(group, sight)));
  if (marked.length === 0) return undefined;
  const calls = marked.flatMap((group) => group.calls);
  const known = calls.filter(sight.isKnown);
  const last = marked.at(-1);
  if (last !== undefined && marked.every((group) => !group.broken) && known.length > 0) {
    return recovered(marked, sight, hasWordsAfter(last, sight));
  }
  const [unknown] = calls;
  const what =
    known.length === 0 && unknown !== undefined
      ? unknownToolText(unknown.toolName, sight.context.names)
      : `It cannot be read as a whole: ${shown(sight.text.slice(marked[0]?.start))}`;
  return { kind: 'unclear', what };
}

/** Groups without markup: certain alone, likely before words, an example perhaps behind them. (X3, X4) */
function readUnmarked(groups: readonly CallGroup[], sight: Sight): ReadText {
  const [first] = groups.filter((group) => group.calls.every(sight.isKnown) && !group.broken);
  if (first === undefined) return readUnknown(groups, sight);
  if (!hasWordsBefore(first, sight)) return recovered([first], sight, hasWordsAfter(first, sight));
  if (sight.context.wasAsked?.() === true) return prose;
  return { kind: 'unclear', what: `It holds ${shown(sight.text.slice(first.start, first.end))}` };
}

/** A text that is nothing but a JSON call of a tool that is none is a call nevertheless; everything else of unknown name is prose. */
function readUnknown([first]: readonly CallGroup[], sight: Sight): ReadText {
  const [unknown] = first?.calls ?? [];
  const isAlone = first !== undefined && !hasWordsBefore(first, sight) && !hasWordsAfter(first, sight);
  const isJson = unknown !== undefined && /[{[]/.test(sight.text.charAt(unknown.start));
  return isAlone && isJson && sight.context.wasAsked?.() !== true
    ? { kind: 'unclear', what: unknownToolText(unknown.toolName, sight.context.names) }
    : prose;
}

function hasWordsBefore({ start }: CallGroup, { text, context }: Sight): boolean {
  return context.isAfterWords === true || text.slice(0, start).trim() !== '';
}

function hasWordsAfter({ end }: CallGroup, { text, context }: Sight): boolean {
  return context.isBeforeWords === true || text.slice(end).trim() !== '';
}

/** The text in pieces. Markup around a call goes with it: what lies between calls of a group belongs to the later one, what follows the last to the last. (X2) */
function recovered(groups: readonly CallGroup[], { text, context }: Sight, isBeside: boolean): ReadText {
  const pieces: TextPiece[] = [];
  let at = 0;
  for (const group of groups) {
    if (group.start > at) pieces.push({ kind: 'text', text: text.slice(at, group.start) });
    at = group.start;
    for (const [index, { toolName, argumentsText, start, end }] of group.calls.entries()) {
      const isLast = index === group.calls.length - 1;
      const written = text.slice(at, isLast ? group.end : end);
      at += written.length;
      const besideText = isBeside || context.isOfUser?.(text.slice(start, end).trim()) === true;
      pieces.push({ kind: 'call', toolName, argumentsText, written, besideText });
    }
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) });
  return { kind: 'calls', pieces };
}

function shown(piece: string): string {
  return JSON.stringify(cutText(piece.trim(), maxShown));
}
