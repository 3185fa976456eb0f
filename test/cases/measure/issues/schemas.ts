/** Schemas with references and of two dialects: whether they are held, and what a provider is shown of them. */
import { tool } from 'axle';
import { type Fields, fieldsOf, isFields, listOf } from '../fields.ts';
import { callTurn, observe } from '../trial.ts';
import { notCovered, right, type Verdict, wrong } from '../verdict.ts';
import type { Issue } from './issue.ts';

export function schemaCases(issue: Issue): Promise<Verdict> | Verdict {
  const { input } = issue;
  if (isFields(input['schema'])) return heldAsArguments(input['schema']);
  return input['schemas'] === undefined ? notCovered('no schema to try') : heldInEachDialect(issue);
}

/** What fits runs, what does not is refused, and every reference that a model is shown leads somewhere. */
async function heldAsArguments(schema: Fields): Promise<Verdict> {
  const fitting = sampleOf(schema, schema, 3);
  const tools = [{ name: 'tool_of_case', inputSchema: schema, effect: 'read' as const }];
  const { ran, requests } = await observe({ tools, turns: [callTurn('tool_of_case', JSON.stringify(fitting))] });
  if (ran.length !== 1) return wrong(`${JSON.stringify(fitting)} was refused`);
  for (const faulty of faultyOf(fitting, schema)) {
    const seen = await observe({ tools, turns: [callTurn('tool_of_case', JSON.stringify(faulty))] });
    if (seen.ran.length > 0) return wrong(`${JSON.stringify(faulty)} ran`);
  }
  const shown = requests[0]?.tools[0]?.inputSchema;
  const dangling = referencesIn(shown).find((reference) => !leadsSomewhere(reference, shown));
  return dangling === undefined ? right : wrong(`${dangling} leads nowhere in what the model is shown`);
}

/** A value of the schema: what is required, first listed values, references followed; deeper optional parts once. */
function sampleOf(schema: unknown, root: Fields, depth: number): unknown {
  if (!isFields(schema)) return null;
  if (typeof schema['$ref'] === 'string') return sampleOf(targetOf(schema['$ref'], root), root, depth);
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  switch (schema['type']) {
    case 'object': {
      const properties = isFields(schema['properties']) ? schema['properties'] : {};
      const required = Array.isArray(schema['required']) ? schema['required'] : [];
      const keys = Object.keys(properties).filter((key) => depth > 0 || required.includes(key));
      return Object.fromEntries(keys.map((key) => [key, sampleOf(properties[key], root, depth - 1)]));
    }
    case 'array':
      return depth > 0 ? [sampleOf(schema['items'], root, depth - 1)] : [];
    case 'string':
      return 'text';
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return true;
    default:
      return null;
  }
}

/** The value without each of the keys it must have, and with each of its members replaced by what fits nowhere. */
function faultyOf(value: unknown, schema: Fields): readonly unknown[] {
  if (!isFields(value)) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.keys(value).flatMap((key) => {
    const others = Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
    return [...(required.includes(key) ? [others] : []), { ...others, [key]: { 'no such key': [[]], kids: 7 } }];
  });
}

function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === '$ref' && typeof each === 'string' ? [each] : referencesIn(each),
  );
}

function leadsSomewhere(reference: string, root: unknown): boolean {
  return isFields(root) && targetOf(reference, root) !== undefined;
}

function targetOf(reference: string, root: Fields): unknown {
  if (!reference.startsWith('#')) return undefined;
  const steps = reference.slice(1).split('/').slice(1);
  return steps.reduce<unknown>(
    (node, step) => (isFields(node) ? node[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
    root,
  );
}

/** The values come out the same in each dialect; a dialect that nobody knows is no reason to lose the tool. */
function heldInEachDialect({ input, expect }: Issue): Verdict {
  const values = listOf(input['values'], 'values');
  const words = /(?:true|false)(?:\s*,\s*(?:true|false))*/.exec(String(expect['outcome']))?.[0];
  if (words === undefined) return notCovered('no results to expect');
  const expected = words.split(',').map((word) => word.trim() === 'true');
  const schemas = listOf(input['schemas'], 'schemas').map((schema) => fieldsOf(schema, 'schemas'));
  for (const schema of [...schemas, { ...schemas[0], $schema: 'https://example.com/no-such-dialect' }]) {
    const contract = tool({
      name: 'tool_of_case',
      description: 'A tool of a case.',
      input: { type: 'object' },
      output: schema,
      execute: () => null,
    });
    const results = values.map((value) => contract.output?.check(value as never).ok);
    if (JSON.stringify(results) !== JSON.stringify(expected)) {
      return wrong(`${String(schema['$schema'])}: ${JSON.stringify(results)}`);
    }
  }
  return right;
}
