/** Calls written as Python: `name(key=value, ...)`, `name({...})`, `[name(...), name(...)]`. Values are handed on as they are written. */
import { closingOf, piecesOf, type Work } from './brackets.ts';
import { type CallUnit, matchAt, namePattern, type WrittenCall } from './written-call.ts';

const opening = new RegExp(String.raw`(?:print\s*\(\s*|await\s+)?(${namePattern})\s?\(`, 'uy');

/** A call at this place. */
export function readPythonCall(text: string, at: number, work?: Work): CallUnit | undefined {
  const found = matchAt(opening, text, at);
  const toolName = found?.[1];
  if (found === null || toolName === undefined) return undefined;
  const open = at + found[0].length - 1;
  const close = closingOf(text, open, work);
  const argumentsText = close === -1 ? undefined : argumentsOf(text.slice(open + 1, close));
  if (argumentsText === undefined) return undefined;
  const end = found[0].startsWith('print') ? matchAt(/\s*\)/y, text, close + 1) : undefined;
  if (end === null) return undefined;
  return { calls: [{ toolName, argumentsText }], end: close + 1 + (end?.[0].length ?? 0) };
}

/** The calls that a whole text is: one, or several with separators between. */
export function pythonCallsIn(text: string): readonly WrittenCall[] | undefined {
  const calls: WrittenCall[] = [];
  let at = 0;
  for (;;) {
    at += matchAt(/[\s;,]*/y, text, at)?.[0].length ?? 0;
    if (at >= text.length) return calls;
    const unit = readPythonCall(text, at);
    if (unit === undefined) return undefined;
    calls.push(...unit.calls);
    at = unit.end;
  }
}

/** The object that the arguments mean; undefined where a value has no name, since only the model knows which it means. */
function argumentsOf(content: string): string | undefined {
  const pieces = piecesOf(content);
  if (pieces === undefined) return undefined;
  const [only = ''] = pieces;
  if (pieces.length === 1 && only.startsWith('{')) return only;
  const members: string[] = [];
  for (const piece of pieces) {
    const [, key, value] = /^([A-Za-z_](?:\w|\\_)*)\s*=\s*(?!=)([^]+)$/.exec(piece) ?? [];
    if (key === undefined || value === undefined) return undefined;
    members.push(`${JSON.stringify(key.replaceAll('\\_', '_'))}: ${value}`);
  }
  return `{${members.join(', ')}}`;
}
