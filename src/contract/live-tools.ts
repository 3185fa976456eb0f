/**
 * The tools of one Axle while it lives: what is registered now, and what was replaced and runs under way may still need.
 *
 * A1 A change is one assignment: whoever looks sees all of it or nothing of it. What was handed out before does not change.
 * A2 A contract that is replaced is retained under its hash, so that runs that began with it keep it; one that is removed is not, unless asked for.
 *    At most 1,000 are retained, the oldest is let go first. They are gone with the process.
 * A3 Each contract belongs to whoever brought it (the program, or a source): a source that lists anew replaces what it brought, and nothing else.
 */
import { AxleError } from '../error/axle-error.ts';
import { assertChains } from './check-chains.ts';
import { assertKeys } from './context/check-keys.ts';
import type { Contract } from './contract.ts';
import { undoName } from '../call/undo.ts';
import { type Registry, registryOf } from './registry.ts';
import type { DeclaredSettings } from './upstream-settings.ts';
import { UpstreamBook } from './upstream-book.ts';

/** A contract as `list` shows it. */
export interface ListedTool {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  /** True for the version that new runs get. */
  readonly isNewest: boolean;
  /** True when it was replaced or removed, and is kept for runs that began with it. */
  readonly isRetained: boolean;
}

/** Whoever brought a contract: undefined stands for the program itself. */
type Owner = object | undefined;

/** What of the contracts that go is kept: all, those whose version is taken by another, or none. */
type Retain = 'all' | 'replaced' | 'none';

const maxRetained = 1_000;

export class LiveTools {
  #registry: Registry;
  #owned: ReadonlyMap<string, { readonly contract: Contract; readonly owner: Owner }>;
  readonly #retained = new Map<string, Contract>();
  readonly #listeners = new Set<(names: ReadonlySet<string>, contracts: readonly Contract[]) => void>();
  #upstreams: UpstreamBook;
  #revision = 0;

  /** @throws AxleError `contract-duplicate`, `fallback-invalid`, `upstream-contradictory` */
  constructor(
    given: readonly { readonly contracts: readonly Contract[]; readonly owner?: object }[],
    named: Readonly<Record<string, DeclaredSettings>> = {},
  ) {
    const all = given.flatMap(({ contracts, owner }) => contracts.map((contract) => ({ contract, owner })));
    const contracts = all.map(({ contract }) => contract);
    this.#registry = registryOf(contracts);
    assertChains(contracts, this.#registry);
    assertKeys(contracts);
    this.#upstreams = new UpstreamBook(contracts, named);
    this.#owned = new Map(all.map((one) => [keyOf(one.contract), one]));
  }

  /** What is registered now. */
  get registry(): Registry {
    return this.#registry;
  }

  /** The upstreams that the tools and the options name. */
  get upstreams(): UpstreamBook {
    return this.#upstreams;
  }

  /** All that is registered. */
  get contracts(): readonly Contract[] {
    return [...this.#owned.values()].map(({ contract }) => contract);
  }

  /** Rises with every change. */
  get revision(): number {
    return this.#revision;
  }

  /** The registered versions of a tool, newest first. */
  versionsOf(name: string): readonly Contract[] {
    return [...this.#owned.values()]
      .map(({ contract }) => contract)
      .filter((contract) => contract.name === name)
      .toSorted((left, right) => right.version - left.version);
  }

  /** A contract that was replaced, by its hash. */
  retained(hash: string): Contract | undefined {
    return this.#retained.get(hash);
  }

  list(): readonly ListedTool[] {
    const registered = [...this.#owned.values()].map(({ contract }) =>
      listed(contract, { isRetained: false, isNewest: this.#registry.get(contract.name) === contract }),
    );
    const kept = [...this.#retained.values()].map((contract) =>
      listed(contract, { isRetained: true, isNewest: false }),
    );
    return [...registered, ...kept];
  }

  /** Calls back after every change, with the names of the tools that it touched and the contracts that are new. */
  onChange(listener: (names: ReadonlySet<string>, contracts: readonly Contract[]) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Puts contracts in the place of those with the same name and version, beside the other versions; all of them, or none.
   * @throws AxleError `contract-duplicate` when two of them are the same version of a tool; `fallback-invalid`, `upstream-contradictory`
   */
  replace(contracts: readonly Contract[], { retain }: { readonly retain: boolean }): void {
    registryOf(contracts);
    const owned = new Map(this.#owned);
    for (const contract of contracts) owned.set(keyOf(contract), { contract, owner: undefined });
    this.#change(owned, retain ? 'replaced' : 'none');
  }

  /** Takes away one version of a tool, or all of them. False when there was none. */
  remove(
    name: string,
    { version, retain }: { readonly version: number | undefined; readonly retain: boolean },
  ): boolean {
    const gone = this.versionsOf(name).filter((contract) => version === undefined || contract.version === version);
    if (!retain) {
      for (const [hash, contract] of this.#retained) {
        if (contract.name === name && (version === undefined || contract.version === version)) {
          this.#retained.delete(hash);
        }
      }
    }
    if (gone.length === 0) return false;
    const owned = new Map(this.#owned);
    for (const contract of gone) owned.delete(keyOf(contract));
    this.#change(owned, retain ? 'all' : 'none');
    return true;
  }

  /**
   * A source lists anew what it offers, in place of what it offered before. What it changed is retained for runs under way, what it left out is not.
   * @throws AxleError `contract-duplicate` when somebody else brought the same version of a tool, `fallback-invalid`; nothing has changed then.
   */
  offer(owner: object, contracts: readonly Contract[]): void {
    registryOf(contracts);
    const owned = new Map([...this.#owned].filter(([, other]) => other.owner !== owner));
    for (const contract of contracts) {
      if (owned.has(keyOf(contract))) throw taken(contract);
      owned.set(keyOf(contract), { contract, owner });
    }
    this.#change(owned, 'replaced');
  }

  #change(owned: ReadonlyMap<string, { readonly contract: Contract; readonly owner: Owner }>, retain: Retain): void {
    const added = [...owned].filter(([key, { contract }]) => this.#owned.get(key)?.contract !== contract);
    const gone = [...this.#owned].filter(([key, { contract }]) => owned.get(key)?.contract !== contract);
    if (added.length + gone.length === 0) return;
    const contracts = added.map(([, { contract }]) => contract);
    const all = [...owned.values()].map(({ contract }) => contract);
    const registry = registryOf(all);
    // A tool may always be removed: a chain that names it passes over it.
    assertChains(contracts, registry);
    assertKeys(all);
    const upstreams = this.#upstreams.of(all);
    for (const [key, { contract }] of gone) {
      if (retain === 'all' || (retain === 'replaced' && owned.has(key))) this.#retain(contract);
    }
    for (const { pin } of contracts) this.#retained.delete(pin.hash);
    this.#registry = registry;
    this.#upstreams = upstreams;
    this.#owned = owned;
    this.#revision += 1;
    const names = new Set([...added, ...gone].flatMap(([, { contract }]) => [contract.name, undoName(contract.name)]));
    for (const listener of this.#listeners) listener(names, contracts);
  }

  #retain(contract: Contract): void {
    if (contract.undo !== undefined) this.#retain(contract.undo);
    this.#retained.delete(contract.pin.hash);
    this.#retained.set(contract.pin.hash, contract);
    const [oldest] = this.#retained.keys();
    if (this.#retained.size > maxRetained && oldest !== undefined) this.#retained.delete(oldest);
  }
}

function keyOf({ name, version }: Contract): string {
  return `${name}@${version}`;
}

function listed(contract: Contract, flags: Pick<ListedTool, 'isNewest' | 'isRetained'>): ListedTool {
  return { name: contract.name, version: contract.version, hash: contract.pin.hash, ...flags };
}

function taken({ name, version }: Contract): AxleError {
  return new AxleError('contract-duplicate', `Somebody else brought ${name} version ${version}.`);
}
