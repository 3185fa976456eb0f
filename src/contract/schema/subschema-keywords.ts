/** The keywords of JSON Schema 2020-12 that hold schemas, by the form in which they hold them. `$defs` and its older name `definitions` are not among them. */

/** Their value is a schema. */
export const schemaKeywords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** Their value is a list of schemas. */
export const schemaListKeywords: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
/** Their value is an object of schemas. */
export const schemaMapKeywords: ReadonlySet<string> = new Set(['dependentSchemas', 'patternProperties', 'properties']);
