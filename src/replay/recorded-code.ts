/**
 * The code that a recording is decided again with: the contracts that the run has pinned, found where they still are.
 *
 *   registered or retained under the same hash ──► as it was
 *   find_tools ──────────────────────────────────► made again from the other pins
 *   its declaration is kept in the store ────────► what was declared, without its functions
 *   nowhere ─────────────────────────────────────► missing
 *
 * What is not as it was cannot accuse a recording: where it leads to something else, that is `unchecked`, with the reason.
 */
import type { ContractPin } from '../call/pin.ts';
import type { Contract } from '../contract/contract.ts';
import { declaredContract, declaredPin } from '../contract/declared-contract.ts';
import { describeTool } from '../contract/describe.ts';
import { type SearchableTools, searchableTools } from '../contract/find-tools.ts';
import { findToolsName } from '../contract/found-tools.ts';
import type { Store } from '../journal/store.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { jsonOf } from './first-difference.ts';
import { askedIn, codeOf, type RunCode } from '../run/run-code.ts';
import type { RunState } from '../run/state.ts';

/** Where contracts are looked for. */
export interface KnownCode {
  /** A contract that is registered. */
  readonly contract: (name: string, version: number) => Contract | undefined;
  /** One that was replaced and is kept. */
  readonly retained: (hash: string) => Contract | undefined;
}

/** The code for a state, and what of it is not as it was. */
export interface FoundCode {
  readonly code: RunCode;
  /** Contracts that are nowhere. */
  readonly missing: readonly string[];
  /** Contracts that are known by their declaration alone. */
  readonly declared: readonly string[];
}

export class RecordedCode {
  readonly #store: Pick<Store, 'body'>;
  readonly #known: KnownCode;
  /** Declarations by hash; undefined where none is kept. */
  readonly #declarations = new Map<string, string | undefined>();
  readonly #engine = { describe: (contract: Contract) => describeTool(contract) };
  #last: { readonly pins: readonly ContractPin[]; readonly found: FoundCode } | undefined;

  constructor(store: Pick<Store, 'body'>, known: KnownCode) {
    this.#store = store;
    this.#known = known;
  }

  /** Reads what the store has kept of these contracts; afterwards `codeFor` knows them. */
  async load(pins: readonly ContractPin[]): Promise<void> {
    for (const { hash } of pins) {
      if (this.#declarations.has(hash)) continue;
      this.#declarations.set(hash, await this.#store.body(hash));
    }
  }

  codeFor(state: RunState): FoundCode {
    const { contracts: pins, task } = state;
    if (this.#last?.pins === pins) return this.#last.found;
    const kind = task?.kind ?? 'call';
    const contracts = new Map<string, Contract>();
    const missing: string[] = [];
    const declared: string[] = [];
    for (const pin of pins) {
      const own = this.#own(pin);
      const contract = own ?? this.#declared(pin);
      if (contract !== undefined) contracts.set(pin.name, contract);
      if (contract === undefined) missing.push(pin.name);
      else if (own === undefined) declared.push(pin.name);
    }
    const isSearched = task?.kind === 'agent' && task.agent.toolView !== undefined;
    const searchable = isSearched ? searchedOver(pins, contracts) : undefined;
    const finder = isSearched ? pins.find(({ name }) => name === findToolsName) : undefined;
    if (finder !== undefined && searchable?.().findTools.pin.hash === finder.hash) {
      // In its own place: the order of the contracts is that in which the model is shown them.
      contracts.set(findToolsName, searchable().findTools);
      drop(missing, findToolsName);
      drop(declared, findToolsName);
    }
    const ordered = new Map(pins.flatMap(({ name }) => entryOf(contracts, name)));
    const granted = new Map(
      pins
        .flatMap((pin) => (pin.hidden === true ? [] : entryOf(ordered, pin.name)))
        .map(([name, contract]) => [name, askedIn(kind, contract)] as const),
    );
    const code = codeOf(kind, { contracts: ordered, granted }, { engine: this.#engine, searchable });
    const found = { code, missing, declared };
    this.#last = { pins, found };
    return found;
  }

  /** What is to be pinned of this contract; undefined where it is not known. */
  pinFor(pin: ContractPin): JsonObject | undefined {
    const own = this.#own(pin);
    if (own !== undefined) return ownPin(own);
    const text = this.#declarations.get(pin.hash);
    const declared = text === undefined ? undefined : declaredPin(text);
    // Where aliases stand in the place of real values, the text is not the one that was hashed.
    return declared?.['hash'] === pin.hash ? declared : undefined;
  }

  /** The contract itself, functions and all. */
  #own({ name, version, hash }: ContractPin): Contract | undefined {
    const registered = this.#known.contract(name, version);
    return registered?.pin.hash === hash ? registered : this.#known.retained(hash);
  }

  #declared(pin: ContractPin): Contract | undefined {
    const text = this.#declarations.get(pin.hash);
    return text === undefined ? undefined : declaredContract(text, pin);
  }
}

function ownPin({ pin }: Contract): JsonObject | undefined {
  const plain = jsonOf(pin);
  return isJsonObject(plain) ? plain : undefined;
}

function searchedOver(pins: readonly ContractPin[], contracts: ReadonlyMap<string, Contract>): () => SearchableTools {
  let made: SearchableTools | undefined;
  return () =>
    (made ??= searchableTools(
      pins.flatMap(({ name, hidden }) =>
        hidden === true || name === findToolsName ? [] : (contracts.get(name) ?? []),
      ),
    ));
}

function entryOf(contracts: ReadonlyMap<string, Contract>, name: string): readonly (readonly [string, Contract])[] {
  const contract = contracts.get(name);
  return contract === undefined ? [] : [[name, contract]];
}

function drop(names: string[], name: string): void {
  const index = names.indexOf(name);
  if (index >= 0) names.splice(index, 1);
}
