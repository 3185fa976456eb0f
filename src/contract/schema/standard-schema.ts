/**
 * The part of two public interfaces that Axle needs: Standard Schema v1 (checks a value) and Standard JSON Schema v1 (describes itself).
 * Written out here, as their authors advise, so that no validator library is a dependency.
 */

/** Where a validator found something wrong. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** Any validator of the family: zod, arktype, valibot with its JSON Schema companion, and others. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a tool's code is handed after the schema has checked (and perhaps transformed) the input. */
export type OutputOf<Schema> =
  Schema extends StandardSchema<unknown, unknown> ? NonNullable<Schema['~standard']['types']>['output'] : never;

/** What may be handed to the schema. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, unknown> ? NonNullable<Schema['~standard']['types']>['input'] : never;

/** True for an object that carries a Standard Schema v1. Validators may be functions, as arktype's are. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || !('~standard' in value)) {
    return false;
  }
  const standard = value['~standard'];
  if (typeof standard !== 'object' || standard === null) return false;
  return (
    'version' in standard && standard.version === 1 && 'validate' in standard && typeof standard.validate === 'function'
  );
}
