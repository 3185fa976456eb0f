/**
 * Arguments inside of an object that is the whole call: `{"name": "refund", "arguments": {...}}`. They are taken out when the object says the tool's own
 * name and cannot be arguments of the tool itself.
 */
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { readArguments } from './arguments-text.ts';
import type { ReadArguments, ReadingContext } from './envelope.ts';
import { keyRulesOf } from './fit-keys.ts';
import type { RepairLog } from './repair-log.ts';

const nameKeys = ['name', 'tool', 'tool_name', 'function', 'function_name'];
const argumentKeys = ['arguments', 'args', 'parameters', 'params', 'input', 'tool_input'];
/** What formats put beside the two. */
const otherKeys: ReadonlySet<string> = new Set(['type', 'id']);

type Read = ReadArguments & { readonly kind: 'read' };

/** The arguments that were read, or those inside of them. */
export function unwrapCall(
  read: Read,
  schema: JsonObject,
  { context, log }: { readonly context: ReadingContext; readonly log: RepairLog },
): ReadArguments {
  const key = argumentsKeyOf(read.value, schema, context.tool);
  const inner = key === undefined ? undefined : read.value[key];
  if (key === undefined || inner === undefined) return read;
  if (typeof inner !== 'string' && !isJsonObject(inner)) return read;
  log.add('call-object', '', { before: read.value });
  if (typeof inner === 'string') return readArguments(inner, context, log);
  const prefix = `/${key}`;
  const oddNumbers = new Map(
    [...read.oddNumbers].flatMap(([path, odd]) =>
      path.startsWith(`${prefix}/`) ? [[path.slice(prefix.length), odd] as const] : [],
    ),
  );
  return { kind: 'read', value: inner, oddNumbers };
}

/** The key under which the arguments stand; undefined where the object is no call of the tool, or may be its arguments. */
function argumentsKeyOf(value: JsonObject, schema: JsonObject, tool: string): string | undefined {
  const keys = Object.keys(value).filter((key) => !otherKeys.has(key));
  const name = keys.find((key) => nameKeys.includes(key));
  const inner = keys.find((key) => argumentKeys.includes(key));
  if (keys.length !== 2 || name === undefined || value[name] !== tool) return undefined;
  const { declared, required, closed } = keyRulesOf(schema);
  const fits = !closed && [...required].every((key) => Object.hasOwn(value, key));
  return fits || Object.keys(value).some((key) => Object.hasOwn(declared, key)) ? undefined : inner;
}
