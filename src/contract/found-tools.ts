/** What `find_tools` is called, and what it found: all that the state machine needs to know of it, without the search itself. */
import { isRecord, type JsonValue } from '../util/json.ts';

/** The name is reserved where tools are searched. */
export const findToolsName = 'find_tools';

/** The names in a result of `find_tools`. */
export function foundNames(output: JsonValue): readonly string[] {
  const tools: unknown = isRecord(output) ? output['tools'] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((found: unknown) =>
    isRecord(found) && typeof found['name'] === 'string' ? [found['name']] : [],
  );
}
