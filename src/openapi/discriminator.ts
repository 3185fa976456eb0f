/** A discriminator names the property that says which of several schemas is meant: JSON Schema has no such keyword, and can say the same. */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../util/json.ts';
import { lastPart } from './reference.ts';

interface Discriminator {
  readonly property: string;
  /** Values of the property, each with the reference that it means. */
  readonly mapping: ReadonlyArray<readonly [value: string, reference: string]>;
}

const maxNamed = 30;

/**
 * The branches of `oneOf` or `anyOf`, each with the value that chooses it, where the document maps values to every branch. Branches that overlap are told
 * apart by that, as the discriminator means it.
 */
export function branchesByDiscriminator(schema: JsonObject): JsonObject | undefined {
  const discriminator = readDiscriminator(schema);
  if (discriminator === undefined) return undefined;
  const keyword = ['oneOf', 'anyOf'].find((each) => isJsonArray(schema[each]));
  const branches = keyword === undefined ? undefined : schema[keyword];
  if (keyword === undefined || !isJsonArray(branches)) return undefined;
  const chosen = branches.map((branch) => {
    const reference = isJsonObject(branch) ? branch['$ref'] : undefined;
    return discriminator.mapping.filter(([, target]) => target === reference).map(([value]) => value);
  });
  if (chosen.some((values) => values.length === 0)) return undefined;
  return {
    [keyword]: branches.map((branch, index): JsonValue => ({
      allOf: [branch],
      properties: { [discriminator.property]: { enum: chosen[index] ?? [] } },
      required: [discriminator.property],
    })),
  };
}

/** The same in words, for the model. */
export function discriminatorText(schema: JsonObject): string | undefined {
  const discriminator = readDiscriminator(schema);
  if (discriminator === undefined) return undefined;
  const { property, mapping } = discriminator;
  const named = mapping
    .slice(0, maxNamed)
    .map(([value, reference]) => `${JSON.stringify(value)} for ${lastPart(reference)}`);
  return `The property ${property} says which form this has${named.length === 0 ? '' : `: ${named.join(', ')}`}.`;
}

function readDiscriminator(schema: JsonObject): Discriminator | undefined {
  const { discriminator } = schema;
  if (!isJsonObject(discriminator)) return undefined;
  const property = discriminator['propertyName'];
  if (typeof property !== 'string') return undefined;
  const mapping = isJsonObject(discriminator['mapping']) ? discriminator['mapping'] : {};
  return {
    property,
    mapping: Object.entries(mapping).flatMap(([value, target]) =>
      typeof target !== 'string'
        ? []
        : [[value, target.startsWith('#') ? target : `#/components/schemas/${target}`] as const],
    ),
  };
}
