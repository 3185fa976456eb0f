/** Calls written as JSON: `{"name": ..., "arguments": {...}}`, lists of them, `{"tool_calls": [...]}`, `{"function": {...}}`, and the same with Python's quotes. */
import { closingOf, membersOf, piecesOf, plainTextOf, type Work } from './brackets.ts';
import { pythonCallsIn } from './python-calls.ts';
import type { CallUnit, WrittenCall } from './written-call.ts';

const nameKeys = ['name', 'tool', 'tool_name', 'function', 'action', 'function_name'];
const argumentKeys = ['arguments', 'parameters', 'args', 'input', 'params', 'kwargs', 'action_input', 'tool_input'];
const otherKeys = ['id', 'type', 'index', 'call_id', 'tool_call_id'];
const wrapperKeys = ['tool_calls', 'function_call', 'tool_call', 'function_calls'];
const maxNesting = 3;

/** An object or a list at this place, when it is calls and nothing else. */
export function readJsonCalls(text: string, at: number, work?: Work): CallUnit | undefined {
  const char = text.charAt(at);
  if (char !== '{' && char !== '[') return undefined;
  const close = closingOf(text, at, work);
  const calls = close === -1 ? undefined : callsOf(text.slice(at, close + 1), maxNesting);
  return calls === undefined || calls.length === 0 ? undefined : { calls, end: close + 1 };
}

function callsOf(piece: string, nesting: number): readonly WrittenCall[] | undefined {
  if (piece.startsWith('{')) return callsOfObject(piece, nesting);
  if (piece.startsWith('[')) return callsOfList(piece, nesting);
  const quoted = plainTextOf(piece) ?? piece;
  return pythonCallsIn(quoted);
}

function callsOfList(piece: string, nesting: number): readonly WrittenCall[] | undefined {
  const pieces = nesting === 0 ? undefined : piecesOf(piece.slice(1, -1));
  if (pieces === undefined) return undefined;
  const calls: WrittenCall[] = [];
  for (const each of pieces) {
    const inner = callsOf(each, nesting - 1);
    if (inner === undefined) return undefined;
    calls.push(...inner);
  }
  return calls;
}

function callsOfObject(piece: string, nesting: number): readonly WrittenCall[] | undefined {
  const members = membersOf(piece);
  if (members === undefined || nesting === 0) return undefined;
  const [onlyKey] = members.keys();
  const wrapped = members.size === 1 && wrapperKeys.includes(onlyKey ?? '') ? members.get(onlyKey ?? '') : undefined;
  if (wrapped !== undefined) return callsOf(wrapped, nesting - 1);
  const inner = members.get('function');
  if (
    inner?.startsWith('{') === true &&
    [...members.keys()].every((key) => key === 'function' || otherKeys.includes(key))
  ) {
    return callsOfObject(inner, nesting - 1);
  }
  const nameKey = nameKeys.find((key) => members.has(key));
  const argumentsKey = argumentKeys.find((key) => members.has(key));
  const toolName = nameKey === undefined ? undefined : plainTextOf(members.get(nameKey));
  const argumentsText = argumentsKey === undefined ? undefined : members.get(argumentsKey);
  if (toolName === undefined || argumentsText === undefined || !/^[{"']/.test(argumentsText)) return undefined;
  const isMore = [...members.keys()].some((key) => key !== nameKey && key !== argumentsKey && !otherKeys.includes(key));
  return isMore ? undefined : [{ toolName, argumentsText }];
}
