/**
 * The upstreams that the contracts of a process and its options name, each with one set of settings.
 *
 * B1 What is said of an upstream in several places is said alike, or it is refused: limits that depend on which tool was read last are none.
 * B2 The upstream of one tool alone takes its settings from the newest version of the tool.
 * B3 What was said by contracts that are gone still holds for calls under way that go to it, until somebody says it anew.
 */
import { AxleError } from '../error/axle-error.ts';
import { canonicalJson, toJson } from '../util/json.ts';
import type { Contract } from './contract.ts';
import { type DeclaredSettings, type UpstreamSettings, withDefaults } from './upstream-settings.ts';

interface Said {
  readonly owner: string;
  readonly settings: DeclaredSettings;
}

export class UpstreamBook {
  readonly #settings = new Map<string, UpstreamSettings>();
  readonly #named: Readonly<Record<string, DeclaredSettings>>;
  /** The names that are spoken of now, in the order in which they were declared. */
  readonly names: readonly string[];

  /** Of every contract that goes to an upstream, and of the options. @throws AxleError `upstream-contradictory` */
  constructor(
    contracts: Iterable<Contract>,
    named: Readonly<Record<string, DeclaredSettings>> = {},
    before: ReadonlyMap<string, UpstreamSettings> = new Map(),
  ) {
    this.#named = named;
    const said = allSaid(contracts, named);
    for (const [name, settings] of before) this.#settings.set(name, settings);
    for (const [name, all] of said) {
      const settings = withDefaults(merged(name, all));
      const old = before.get(name);
      this.#settings.set(name, old !== undefined && textOf(old) === textOf(settings) ? old : settings);
    }
    this.names = [...said.keys()];
  }

  /** The same object as long as nobody says anything else. */
  settings(name: string): UpstreamSettings | undefined {
    return this.#settings.get(name);
  }

  /** The book of other contracts in the place of these. @throws AxleError `upstream-contradictory` */
  of(contracts: Iterable<Contract>): UpstreamBook {
    return new UpstreamBook(contracts, this.#named, this.#settings);
  }
}

function allSaid(
  contracts: Iterable<Contract>,
  named: Readonly<Record<string, DeclaredSettings>>,
): ReadonlyMap<string, readonly Said[]> {
  const said = new Map<string, readonly Said[]>();
  for (const [name, settings] of Object.entries(named)) said.set(name, [{ owner: 'createAxle', settings }]);
  const newest = new Map<string, number>();
  for (const { name, version, limits } of contracts) {
    if (limits === undefined) continue;
    const { upstream, settings } = limits;
    const isOwn = upstream.includes(':');
    const own = { owner: isOwn ? `tool ${name}` : `tool ${name} version ${version}`, settings };
    if (!isOwn) said.set(upstream, [...(said.get(upstream) ?? []), own]);
    else if (version >= (newest.get(upstream) ?? 0)) {
      newest.set(upstream, version);
      said.set(upstream, [own]);
    }
  }
  return said;
}

function merged(name: string, all: readonly Said[]): DeclaredSettings {
  const settings: Record<string, unknown> = {};
  const saidBy = new Map<string, string>();
  for (const { owner, settings: own } of all) {
    for (const [field, value] of Object.entries(own)) {
      const before = settings[field];
      if (before !== undefined && textOf(before) !== textOf(value)) {
        throw new AxleError(
          'upstream-contradictory',
          `The upstream ${name} has ${field} ${textOf(before)} by ${saidBy.get(field)} and ${textOf(value)} by ${owner}.`,
          { details: { upstream: name, field } },
        );
      }
      settings[field] = value;
      saidBy.set(field, owner);
    }
  }
  return settings;
}

function textOf(value: unknown): string {
  return canonicalJson(toJson(value));
}
