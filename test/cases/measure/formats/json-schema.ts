/** Schemas and values: whether a contract with such a schema admits what it should. */
import { tool } from 'axle';
import type { Format } from '../format.ts';
import { listOf, RecordFault } from '../fields.ts';
import { right, wrong } from '../verdict.ts';

export const jsonSchema: Format = {
  name: 'json_schema_2020_12',
  measure: (record) => {
    const { schema } = record;
    if (schema === undefined) throw new RecordFault('schema must be there');
    // The schema of a result may be of any type; that of arguments is one of an object.
    const contract = tool({
      name: 'tool_of_case',
      description: 'A tool of a case.',
      input: { type: 'object' },
      output: schema as Readonly<Record<string, unknown>> & { readonly '~standard'?: never },
      execute: () => null,
    });
    for (const test of listOf(record['tests'], 'tests')) {
      const [value, valid] = listOf(test, 'a test');
      const admitted = contract.output?.check(value as never).ok;
      if (admitted !== valid) return wrong(`${JSON.stringify(value)} counts as ${admitted === true ? '' : 'in'}valid`);
    }
    return right;
  },
};
