/** What a tool is handed in a test, and how it is found among others. */
import { noAliases } from '../../src/execute/aliases/no-aliases.ts';
import type { Contract, ToolContext } from '../../src/contract/contract.ts';

export function contextOf(
  options: { readonly signal?: AbortSignal; readonly idempotencyKey?: string } = {},
): ToolContext {
  return {
    runId: 'run-1',
    callId: '1.0',
    attempt: 1,
    idempotencyKey: options.idempotencyKey ?? 'key-1',
    signal: options.signal ?? new AbortController().signal,
    log: () => undefined,
    progress: () => undefined,
    ...noAliases,
  };
}

/** One tool of a source that has been connected. */
export function toolNamed(contracts: readonly Contract[], name: string): Contract {
  const found = contracts.find((contract) => contract.name === name);
  if (found === undefined) {
    throw new Error(`no tool ${name} among ${contracts.map((contract) => contract.name).join(', ')}`);
  }
  return found;
}
