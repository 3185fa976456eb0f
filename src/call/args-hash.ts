/** What an approval, a denial and a suspicion are bound to. */
import { sha256 } from '../util/hash.ts';
import { canonicalJson, type JsonValue } from '../util/json.ts';

/** SHA-256 over the canonical JSON of tool, version and input. */
export function argsHashOf({
  tool,
  toolVersion,
  input,
}: {
  readonly tool: string;
  readonly toolVersion: number;
  readonly input: JsonValue;
}): string {
  return sha256(canonicalJson({ tool, version: toolVersion, input }));
}
