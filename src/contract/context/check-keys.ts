/** Whether all that is said of context keys holds together: one version of a key has one schema, whoever publishes it. */
import { AxleError } from '../../error/axle-error.ts';
import { canonicalJson } from '../../util/json.ts';
import type { Contract } from '../contract.ts';

/** @throws AxleError `context-invalid` for two schemas of one version of a key */
export function assertKeys(contracts: readonly Contract[]): void {
  const known = new Map<string, { readonly text: string; readonly tool: string }>();
  for (const { name: tool, publishes = [] } of contracts) {
    for (const { key, version, schema } of publishes) {
      if (schema === undefined) continue;
      const text = canonicalJson(schema.json);
      const other = known.get(`${key}@${version}`);
      if (other !== undefined && other.text !== text) {
        throw new AxleError(
          'context-invalid',
          `The context key ${key} version ${version} has one schema in ${other.tool} and another in ${tool}.`,
          { details: { key, version } },
        );
      }
      known.set(`${key}@${version}`, { text, tool });
    }
  }
}
