/** Calls written as a name and an object behind it: on the next line, after a control token, or as `Action:` and `Action Input:`. */
import { closingOf, type Work } from './brackets.ts';
import { type CallUnit, matchAt, namePattern } from './written-call.ts';

/** What may stand between name and object. */
const between = String.raw`(?:\s|<[|｜][^<>]{1,60}>(?:json)?|${'```'}(?:json)?)*`;
const forms: readonly RegExp[] = [
  // Llama and GLM: the name in a line of its own
  new RegExp(String.raw`(${namePattern})[ \t]*\r?\n\s*(?=\{)`, 'uy'),
  // Kimi, with the number of the call behind the name
  new RegExp(String.raw`(${namePattern})\s*<\|tool_call_argument_begin\|>\s*(?=\{)`, 'uy'),
  // Mistral
  new RegExp(String.raw`(${namePattern})\[ARGS\]\s*(?=\{)`, 'uy'),
  // DeepSeek
  new RegExp(String.raw`(?:function\s*)?<｜tool▁sep｜>(${namePattern})${between}(?=\{)`, 'uy'),
  // Harmony
  new RegExp(String.raw`(?:(?:commentary|analysis|assistant)\s+)?to=(${namePattern})${between}(?=\{)`, 'uy'),
  // ReAct
  new RegExp(String.raw`Action:[ \t]*(${namePattern})\s*\n\s*Action Input:\s*(?=\{)`, 'uy'),
];

/** A name with its object at this place. */
export function readNamedJson(text: string, at: number, work?: Work): CallUnit | undefined {
  for (const form of forms) {
    const found = matchAt(form, text, at);
    if (found?.[1] === undefined) continue;
    const open = at + found[0].length;
    const close = closingOf(text, open, work);
    if (close === -1) return undefined;
    return { calls: [{ toolName: found[1], argumentsText: text.slice(open, close + 1) }], end: close + 1 };
  }
  return undefined;
}
