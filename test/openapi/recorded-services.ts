/** The recorded operations of real services (`test/cases/data/openapi_tools.jsonl`), put together to documents. */
import { readFileSync } from 'node:fs';
import { isRecord } from '../../src/util/json.ts';

/** Operations as their services publish them; components that were cut are not there, as in a document that is incomplete. */
const lines = readFileSync(new URL('../cases/data/openapi_tools.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
export const records = lines.map((line): unknown => JSON.parse(line)).filter(isRecord);

/** All operations of a service in one document. */
export function documentOf(service: unknown): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  const components: Record<string, Record<string, unknown>> = {};
  for (const record of records.filter((each) => each['service'] === service)) {
    const { path, method, operationId, openapi } = record;
    (paths[String(path)] ??= {})[String(method)] = { operationId, ...(isRecord(openapi) ? openapi : {}) };
    for (const [pointer, value] of Object.entries(isRecord(record['components']) ? record['components'] : {})) {
      const [, , kind = '', name = ''] = pointer.split('/');
      (components[kind] ??= {})[name] = value;
    }
  }
  return { openapi: '3.0.3', info: { title: 'A service', version: '1' }, paths, components };
}

/** Their services, each once. */
export const services: readonly string[] = [...new Set(records.map((record) => String(record['service'])))];
