/**
 * Whether the fallback chains of all tools hold together, seen once when they are all known.
 *
 * A chain is that of the tool that was asked for: the chains of the tools in it do not count, so two tools may stand in for each other and no call goes round.
 */
import { AxleError } from '../error/axle-error.ts';
import type { Contract } from './contract.ts';
import { nearMisses } from './near-miss.ts';
import type { Registry } from './registry.ts';

/** @throws AxleError `fallback-invalid` for a chain with an unknown tool, a tool that occurs twice, or one whose effect is of another kind. */
export function assertChains(contracts: Iterable<Contract>, registry: Registry): void {
  for (const contract of contracts) {
    const seen = new Set([contract.name]);
    for (const { tool } of contract.fallback) {
      if (seen.has(tool)) throw invalid(contract, `${tool} occurs twice in its chain`);
      seen.add(tool);
      const standIn = registry.get(tool);
      if (standIn === undefined) {
        const [near] = nearMisses(tool, registry.names);
        throw invalid(
          contract,
          `no tool is named ${tool}${near === undefined ? '' : ` (the nearest name is ${near})`}`,
        );
      }
      if ((standIn.effect === 'read') === (contract.effect === 'read')) continue;
      throw invalid(
        contract,
        `${tool} is a ${standIn.effect} and ${contract.name} a ${contract.effect}: only a read can stand in for a read, and only a tool with an effect for one with an effect`,
      );
    }
  }
}

function invalid({ name, version }: Contract, what: string): AxleError {
  return new AxleError('fallback-invalid', `The fallback of ${name} version ${version} cannot be used: ${what}.`, {
    details: { tool: name, version },
  });
}

/** The tools that stand in for `contracts` and are not among them: a run needs them, and its model is not shown them. */
export function standInsFor(contracts: readonly Contract[], registry: Registry): readonly Contract[] {
  const names = new Set(contracts.map(({ name }) => name));
  const standIns = new Map<string, Contract>();
  for (const contract of contracts) {
    for (const { tool } of contract.fallback) {
      const standIn = names.has(tool) ? undefined : registry.get(tool);
      if (standIn !== undefined) standIns.set(tool, standIn);
    }
  }
  return [...standIns.values()];
}
