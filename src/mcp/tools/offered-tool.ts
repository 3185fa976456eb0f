/**
 * A tool as its server describes it, and the fingerprint by which a description is pinned: a change of any part of it may change what the tool does, or what a
 * model takes it for.
 */
import { sha256 } from '../../util/hash.ts';
import { canonicalJson, isJsonObject, isRecord, type JsonObject, type JsonValue, toJson } from '../../util/json.ts';

/** The parts of a description that count, in the order in which changes are named. */
const fields = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/** A tool that a server offers and that cannot become a contract. */
export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

export type ReadTool =
  | { readonly kind: 'tool'; readonly tool: OfferedTool }
  | { readonly kind: 'refused'; readonly refused: RefusedTool };

/** Reads one item of a list of tools. What is no tool is refused by itself: it must not take the others of its server away. */
export function readTool(item: unknown): ReadTool {
  const given = isRecord(item) ? item : {};
  const { name } = given;
  if (typeof name !== 'string' || name === '') return refused('(without a name)', 'it has no name');
  let json: JsonObject;
  try {
    json = objectOf(Object.fromEntries(fields.map((field) => [field, given[field]])));
  } catch (error) {
    return refused(name, error instanceof Error ? error.message : String(error));
  }
  const { title, description, inputSchema, outputSchema, annotations } = json;
  if (!isJsonObject(inputSchema)) return refused(name, 'its input schema is no JSON Schema object');
  if (outputSchema !== undefined && !isJsonObject(outputSchema)) {
    return refused(name, 'its output schema is no JSON Schema object');
  }
  return {
    kind: 'tool',
    tool: {
      name,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(isJsonObject(annotations) ? { annotations } : {}),
    },
  };
}

function refused(name: string, reason: string): ReadTool {
  return { kind: 'refused', refused: { name, reason } };
}

function objectOf(value: unknown): JsonObject {
  const json = toJson(value);
  return isJsonObject(json) ? json : {};
}

const fingerprints = new WeakMap<OfferedTool, string>();

/** One text for one description: the same for equal ones, whatever the order of their keys. */
export function fingerprintOf(tool: OfferedTool): string {
  const known = fingerprints.get(tool);
  if (known !== undefined) return known;
  const fingerprint = `sha256:${sha256(canonicalJson(toJson(tool)))}`;
  fingerprints.set(tool, fingerprint);
  return fingerprint;
}

/** Whether what fits one of them fits the other. */
export function takesTheSame(one: OfferedTool, other: OfferedTool): boolean {
  return (
    fingerprintOf(one) === fingerprintOf(other) || canonicalJson(one.inputSchema) === canonicalJson(other.inputSchema)
  );
}

/** A part in which two descriptions differ; undefined on the side that does not have it. */
export interface DescriptionChange {
  readonly field: string;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

export function changesBetween(before: OfferedTool, after: OfferedTool): readonly DescriptionChange[] {
  return fields
    .map((field) => ({ field, before: before[field], after: after[field] }))
    .filter((change) => canonicalJson(change.before ?? null) !== canonicalJson(change.after ?? null));
}
