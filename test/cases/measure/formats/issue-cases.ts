/** Faults that people met elsewhere, by kind. A kind without a module, or an input that no module knows, is counted as not covered. */
import type { Format } from '../format.ts';
import { fieldsOf, textOf } from '../fields.ts';
import { argumentCases } from '../issues/arguments.ts';
import { mcpCases } from '../issues/mcp.ts';
import { nameCases } from '../issues/names.ts';
import { dataCases } from '../issues/data.ts';
import { rateCases } from '../issues/rate.ts';
import { schemaCases } from '../issues/schemas.ts';
import { idCases, parallelCases } from '../issues/turns.ts';
import { textIssues } from '../issues/written-in-text.ts';
import { approvalCases } from '../issues/people.ts';
import { cancelCases } from '../issues/cancel.ts';
import { historyCases } from '../issues/history.ts';
import { idempotencyCases } from '../issues/keys.ts';
import type { IssueKind } from '../issues/issue.ts';
import { notCovered } from '../verdict.ts';

const kinds: ReadonlyMap<string, IssueKind> = new Map<string, IssueKind>([
  ['args', argumentCases],
  ['names', nameCases],
  ['mcp', mcpCases],
  ['mcp-schema', schemaCases],
  ['rate', rateCases],
  ['data', dataCases],
  ['text-calls', textIssues],
  ['ids', idCases],
  ['parallel', parallelCases],
  ['history', historyCases],
  ['approval', approvalCases],
  ['idempotency', idempotencyCases],
  ['cancel', cancelCases],
]);

export const issueCases: Format = {
  name: 'issue_cases',
  groupOf: (record) => textOf(record['kind'], 'kind'),
  measure: (record) => {
    const kind = textOf(record['kind'], 'kind');
    const measure = kinds.get(kind);
    if (measure === undefined) return notCovered(`the kind ${kind} is not covered yet`);
    return measure({ input: fieldsOf(record['input'], 'input'), expect: fieldsOf(record['expect'], 'expect') });
  },
};
