/** The tools that exist: looked up by name and version, never changed in place. */
import { toolOfUndo } from '../call/undo.ts';
import { AxleError } from '../error/axle-error.ts';
import type { Contract } from './contract.ts';
import { nearMisses } from './near-miss.ts';

/** An immutable set of contracts. Several versions of a tool may stand side by side; without a version, the newest is meant. */
export interface Registry {
  /** Names of all tools, in the order in which they were given. */
  readonly names: readonly string[];
  get(name: string, version?: number): Contract | undefined;
  /**
   * The newest contract of each tool that one of the patterns names: a name, or a beginning followed by `*` (`crm.*`, `*`).
   * @throws AxleError `tool-not-granted` for a pattern that names nothing, with the nearest name.
   */
  select(patterns: readonly string[]): readonly Contract[];
}

/** The contract that calls of a run are made under: a tool's, or that of its undo, which nobody can ask for. */
export function contractFor(registry: Registry, name: string, version: number): Contract | undefined {
  const tool = toolOfUndo(name);
  return tool === name ? registry.get(name, version) : registry.get(tool, version)?.undo;
}

/** @throws AxleError `contract-duplicate` when a name and version occur twice. */
export function registryOf(contracts: readonly Contract[]): Registry {
  const byName = new Map<string, Map<number, Contract>>();
  for (const contract of contracts) {
    const versions = byName.get(contract.name) ?? new Map<number, Contract>();
    if (versions.has(contract.version)) {
      throw new AxleError(
        'contract-duplicate',
        `Two tools are named ${contract.name} and have version ${contract.version}.`,
      );
    }
    byName.set(contract.name, versions.set(contract.version, contract));
  }
  const newest = new Map<string, Contract>();
  for (const [name, versions] of byName) {
    const latest = versions.get(Math.max(...versions.keys()));
    if (latest !== undefined) newest.set(name, latest);
  }
  return Object.freeze({
    names: Object.freeze([...newest.keys()]),
    get: (name: string, version?: number) =>
      version === undefined ? newest.get(name) : byName.get(name)?.get(version),
    select: (patterns: readonly string[]) => selectFrom(newest, patterns),
  });
}

function selectFrom(newest: ReadonlyMap<string, Contract>, patterns: readonly string[]): readonly Contract[] {
  const selected = new Map<string, Contract>();
  for (const pattern of patterns) {
    const found = matching(newest, pattern);
    if (found.length === 0) {
      const [near] = nearMisses(pattern, newest.keys());
      const hint = near === undefined ? '' : ` The nearest is ${near}.`;
      throw new AxleError('tool-not-granted', `No registered tool is named ${pattern}.${hint}`, {
        details: { pattern },
      });
    }
    for (const contract of found) selected.set(contract.name, contract);
  }
  return [...selected.values()];
}

function matching(newest: ReadonlyMap<string, Contract>, pattern: string): readonly Contract[] {
  if (!pattern.endsWith('*')) {
    const exact = newest.get(pattern);
    return exact === undefined ? [] : [exact];
  }
  const beginning = pattern.slice(0, -1);
  return [...newest.values()].filter((contract) => contract.name.startsWith(beginning));
}
