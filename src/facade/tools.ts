/** `axle.tools`: the contracts of an Axle, replaced and removed while runs are under way. */
import type { ToolDefinition } from '../call/tool-definition.ts';
import type { Contract } from '../contract/contract.ts';
import { describeTool } from '../contract/describe.ts';
import type { ListedTool, LiveTools } from '../contract/live-tools.ts';
import { AxleError, messageOf } from '../error/axle-error.ts';
import type { Log } from '../run/engine.ts';
import type { DriftBook, NotedDrift } from '../journal/drift-book.ts';
import type { Store } from '../journal/store.ts';
import { isRecord } from '../util/json.ts';

export interface ReplaceOptions {
  /** Keep what is replaced for runs that began with it, in this process. @defaultValue true */
  readonly retain?: boolean;
}

export interface RemoveOptions {
  /** Keep what is removed for runs that began with it, in this process; otherwise they are held. @defaultValue false */
  readonly retain?: boolean;
}

export interface Tools {
  /**
   * What a model is shown of tools: of all, or of those that the patterns name (`crm.*`). For a program with a loop of its own; an agent needs nothing of it.
   * @throws AxleError `tool-not-granted` for a pattern that names nothing
   */
  definitions(patterns?: readonly string[]): readonly ToolDefinition[];
  /** What is registered, then what is kept for runs that began with it. */
  list(): readonly ListedTool[];
  /** A tool by its name, in the version that new runs get or in another one; undefined for one that is neither registered nor retained. */
  get(name: string, version?: number): Contract | undefined;
  /** Answers that had another form than their tool declares, counted by tool, version and kind of difference, the last seen first. */
  drifts(): Promise<readonly NotedDrift[]>;
  /**
   * Puts contracts in the place of those with the same name and version, beside other versions: all of them at once. New runs get the newest version; a run
   * under way keeps the version that it began with while that is registered or retained, else it migrates or is held. Runs that were held over one of them go on.
   * @throws AxleError `contract-duplicate`, `usage-invalid`, `alias-unknown`, `closed`
   */
  replace(contracts: Contract | readonly Contract[], options?: ReplaceOptions): void;
  /**
   * Takes away one version of a tool, or all of them. What is being performed ends and is recorded; then runs that need it migrate, or are held until it is back.
   * @throws AxleError `tool-unknown` when there is none, `closed`
   */
  remove(name: string, version?: number, options?: RemoveOptions): void;
}

interface ToolsParts {
  readonly assertOpen: () => void;
  readonly drifts: DriftBook;
  /** The contract without real values, as an Axle has it. */
  readonly shown: (contract: Contract) => Contract;
}

export function toolsOf(live: LiveTools, { assertOpen, drifts, shown }: ToolsParts): Tools {
  return {
    definitions: (patterns) => {
      const { registry } = live;
      const all = registry.names.flatMap((name) => registry.get(name) ?? []);
      return (patterns === undefined ? all : registry.select(patterns)).map(describeTool);
    },
    list: () => live.list(),
    get: (name, version) => {
      const registered = version === undefined ? live.registry.get(name) : undefined;
      if (registered !== undefined || version === undefined) return registered;
      const known = live.list().find((listed) => listed.name === name && listed.version === version);
      return live.versionsOf(name).find((contract) => contract.version === version) ?? live.retained(known?.hash ?? '');
    },
    drifts: () => drifts.list(),
    replace: (contracts, { retain = true } = {}) => {
      assertOpen();
      const list = 'pin' in contracts ? [contracts] : contracts;
      for (const contract of list) assertContract(contract);
      live.replace(list.map(shown), { retain });
    },
    remove: (name, version, { retain = false } = {}) => {
      assertOpen();
      if (live.remove(name, { version, retain })) return;
      const versions = live.versionsOf(name).map((contract) => contract.version);
      const label = version === undefined ? name : `${name} version ${version}`;
      const hint = versions.length === 0 ? '' : ` Its versions are ${versions.join(', ')}.`;
      throw new AxleError('tool-unknown', `There is no tool ${label} to remove.${hint}`);
    },
  };
}

// Programs without types call this too.
function assertContract(contract: unknown): void {
  if (isRecord(contract) && isRecord(contract['pin']) && typeof contract['execute'] === 'function') return;
  throw new AxleError('usage-invalid', 'tools.replace takes what tool() gives back, or a list of these.');
}

/** Keeps the declarations of contracts in the store, so that a later process can say what has changed since. A store that cannot is told of, and no reason to stop. */
export async function keepDeclarations(store: Store, contracts: readonly Contract[], log: Log): Promise<void> {
  const declarations = contracts.map(({ pin, declaration }) => ({ hash: pin.hash, text: declaration }));
  try {
    await store.keepDeclarations?.(declarations);
  } catch (error) {
    log('warn', 'The declarations of the tools could not be kept; a run that is held will not say what has changed.', {
      reason: messageOf(error),
    });
  }
}
