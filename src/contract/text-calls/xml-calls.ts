/**
 * Calls written as elements: `<invoke name="x"><parameter name="k">v</parameter></invoke>`, `<function=x><parameter=k>v</parameter></function>`,
 * `<function=x>{...}</function>`, and a name with `<arg_key>`, `<arg_value>` pairs behind it. Values are texts; the schema says what they are.
 */
import { type CallUnit, matchAt, namePattern } from './written-call.ts';

const prefix = '(?:｜DSML｜|antml:)?';
const invoke = new RegExp(`<(${prefix})invoke\\s+name="([^"<>]{1,400})"\\s*>`, 'y');
const equals = /<function=([^<>\s]{1,400})>/y;
const namedPairs = new RegExp(
  String.raw`(${namePattern})\s*((?:<arg_key>[^<>]*</arg_key>\s*<arg_value>[^]*?</arg_value>\s*)+)(?=</tool_call>)`,
  'uy',
);
const parameter = new RegExp(
  `\\s*<${prefix}parameter(?:\\s+name="([^"<>]+)"(?:\\s+string="(true|false)")?\\s*|=([^<>\\s]+))>([^]*?)</${prefix}parameter>\\s*`,
  'y',
);
const pair = /\s*<arg_key>([^<>]*)<\/arg_key>\s*<arg_value>([^]*?)<\/arg_value>\s*/y;

/** An element that is a call at this place. */
export function readXmlCall(text: string, at: number): CallUnit | undefined {
  const [opening, kind = '', invoked] = matchAt(invoke, text, at) ?? [];
  if (opening !== undefined && invoked !== undefined) {
    return readElement(text, at + opening.length, { toolName: invoked, closing: `</${kind}invoke>` });
  }
  const [start, named] = matchAt(equals, text, at) ?? [];
  if (start !== undefined && named !== undefined) {
    return readElement(text, at + start.length, { toolName: named, closing: '</function>' });
  }
  const [pairs, toolName, content] = matchAt(namedPairs, text, at) ?? [];
  const argumentsText = content === undefined ? undefined : readAll(content, pair, pairOf);
  if (pairs === undefined || toolName === undefined || argumentsText === undefined) return undefined;
  return { calls: [{ toolName, argumentsText }], end: at + pairs.length };
}

function readElement(
  text: string,
  from: number,
  { toolName, closing }: { readonly toolName: string; readonly closing: string },
): CallUnit | undefined {
  const close = text.indexOf(closing, from);
  const argumentsText = close === -1 ? undefined : argumentsIn(text.slice(from, close));
  return argumentsText === undefined
    ? undefined
    : { calls: [{ toolName, argumentsText }], end: close + closing.length };
}

function argumentsIn(content: string): string | undefined {
  const object = content.trim();
  return object.startsWith('{') && object.endsWith('}') ? object : readAll(content, parameter, parameterOf);
}

type Member = readonly [key: string, value: string];

/** The object that a row of elements means; undefined when anything else stands between them. */
function readAll(content: string, element: RegExp, memberOf: (found: RegExpExecArray) => Member): string | undefined {
  const members = new Map<string, string>();
  let at = 0;
  while (content.slice(at).trim() !== '') {
    const found = matchAt(element, content, at);
    if (found === null) return undefined;
    const [key, value] = memberOf(found);
    // An element that seems to begin inside a value was more probably never closed.
    if (members.has(key) || value.includes('<parameter') || value.includes('<arg_key>')) return undefined;
    members.set(key, value);
    at += found[0].length;
  }
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}: ${value}`).join(', ')}}`;
}

function parameterOf([, named = '', isText, equal, value = '']: RegExpExecArray): Member {
  return [equal ?? named, isText === 'false' ? value.trim() : JSON.stringify(withoutFrame(value))];
}

function pairOf([, key = '', value = '']: RegExpExecArray): Member {
  return [key.trim(), JSON.stringify(withoutFrame(value))];
}

/** One line break after the opening and one before the closing tag belong to the markup. */
function withoutFrame(value: string): string {
  return value.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}
