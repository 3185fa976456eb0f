/**
 * Arguments that a server wants in headers (`x-mcp-header`, revision 2026-07-28): the SDK sends them; here it is told whether a tool may ask for them as it does.
 * One that asks in a way that the protocol forbids must not be called over HTTP.
 */
import { isRecord, type JsonObject, type JsonValue } from '../../util/json.ts';

const keyword = 'x-mcp-header';
/** What a header may be called: a token of RFC 9110. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Why a tool must not be called, or undefined. */
export function headerFault(inputSchema: JsonObject): string | undefined {
  const names = new Set<string>();
  return faultIn(inputSchema, { names, isRoot: true, isPlain: true });
}

interface Place {
  /** Names that were seen, in lower case. */
  readonly names: Set<string>;
  readonly isRoot: boolean;
  /** True where only `properties` lead: elsewhere nobody could tell from an argument alone which schema it meets. */
  readonly isPlain: boolean;
}

function faultIn(schema: JsonValue, place: Place): string | undefined {
  if (Array.isArray(schema)) return firstFault(schema, { ...place, isRoot: false, isPlain: false });
  if (!isRecord(schema)) return undefined;
  const { properties, ...others } = schema;
  const own = Object.hasOwn(schema, keyword) ? faultOfName(schema, place) : undefined;
  const inside = { ...place, isRoot: false };
  return (
    own ??
    (isRecord(properties) ? firstFault(Object.values(properties), inside) : undefined) ??
    firstFault(Object.values(others), { ...inside, isPlain: false })
  );
}

function firstFault(schemas: readonly JsonValue[], place: Place): string | undefined {
  for (const schema of schemas) {
    const fault = faultIn(schema, place);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOfName(schema: JsonObject, { names, isRoot, isPlain }: Place): string | undefined {
  const name = schema[keyword];
  if (isRoot || !isPlain) return `its ${keyword} stands where it is not certain which argument is meant`;
  if (typeof name !== 'string' || !token.test(name)) {
    return `its ${keyword} ${JSON.stringify(name)} is no name of a header`;
  }
  if (!types.has(schema['type'])) return `its ${keyword} ${name} is for a value that is no string, integer or boolean`;
  const lower = name.toLowerCase();
  if (names.has(lower)) return `two of its arguments ask for the header ${name}`;
  names.add(lower);
  return undefined;
}
