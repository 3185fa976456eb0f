/** Optional fields, which under `exactOptionalPropertyTypes` are absent and never undefined. */

/** The fields of `T`: those that may be undefined are optional, and are not undefined. */
export type Defined<T> = {
  readonly [Field in keyof T as undefined extends T[Field] ? never : Field]: T[Field];
} & {
  readonly [Field in keyof T as undefined extends T[Field] ? Field : never]?: Exclude<T[Field], undefined>;
};

/**
 * The fields that have a value: `{ ...defined({ note, by }) }`.
 * It costs some 40 ns more than to spread `note === undefined ? {} : { note }`, which is left to what happens many times in a turn.
 */
export function defined<T extends Readonly<Record<string, unknown>>>(fields: T): Defined<T> {
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) kept[name] = fields[name];
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- exactly the fields that are undefined have been left out.
  return kept as Defined<T>;
}
