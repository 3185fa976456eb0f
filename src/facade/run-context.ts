/** The context of a run as its caller sees it: what is there now, how it came about, and what is added. All of it comes from the journal. */
import { placedEntries, type PlacedEntry } from '../journal/placed-entries.ts';
import { parseSelector, type Selector } from '../call/selector.ts';
import { isContextKey, valueUnder } from '../contract/context/context-key.ts';
import type { ContextKey } from '../contract/contract.ts';
import { AxleError } from '../error/axle-error.ts';
import { unknownRun } from '../journal/checks.ts';
import type { Append } from '../journal/entry.ts';
import { readPages } from '../journal/read-appends.ts';
import type { Store } from '../journal/store.ts';
import { lookUp } from '../run/data-bus.ts';
import { evolve, passTime } from '../run/evolve.ts';
import { loadRun } from '../run/load-run.ts';
import { type BusValue, newState, type RunState } from '../run/state.ts';
import type { JsonValue } from '../util/json.ts';

/** A key that was set. */
export interface ContextChange {
  /** The event that set it: `epoch.seq`. */
  readonly id: string;
  readonly key: string;
  readonly value: JsonValue;
  /** Version of the key, as its producer declared it. */
  readonly version: number;
  /** The call that published it, or `start`. */
  readonly by: string;
  /** The tool that published it; absent for `start`. */
  readonly tool?: string;
  readonly seq: number;
  readonly atMs: number;
}

export interface SubscribeOptions {
  /** Only what came after this event. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** Changes that a history shows; the newest. */
const maxHistory = 1_000;

export class RunContext {
  readonly #runId: string;
  readonly #store: Store;
  readonly #events: (signal: AbortSignal | undefined) => AsyncIterable<Line>;

  constructor(runId: string, store: Store, events: (signal: AbortSignal | undefined) => AsyncIterable<Line>) {
    this.#runId = runId;
    this.#store = store;
    this.#events = events;
  }

  /**
   * The value of a key, or what a selector such as `tool:login#/id` names; undefined when there is none.
   * @throws AxleError `run-unknown`; `usage-invalid` for what is no selector; `context-invalid` when a key's value cannot be had in the version asked for
   */
  get<T>(key: ContextKey<T>): Promise<T | undefined>;
  get(selector: string): Promise<JsonValue | undefined>;
  async get(asked: ContextKey | string): Promise<unknown> {
    const loaded = await loadRun(this.#store, this.#runId);
    if (loaded === undefined) throw unknownRun(this.#runId);
    const found = lookUp(loaded.state, selectorOf(asked));
    if (found === undefined || !isContextKey(asked)) return found?.value;
    const wanted = valueUnder(asked, { value: found.value, version: found.version ?? asked.version });
    if (wanted.ok) return wanted.value;
    throw new AxleError(
      'context-invalid',
      `The context key ${asked.name} cannot be had in version ${asked.version}: ${wanted.reason}.`,
    );
  }

  /** How a key came to its value, or all keys to theirs: the newest 1,000 changes, in order. @throws AxleError `run-unknown` */
  async history(key?: ContextKey | string): Promise<readonly ContextChange[]> {
    const name = key === undefined ? undefined : nameOf(key);
    const changes: ContextChange[] = [];
    for await (const change of changesIn(this.#runId, entriesOf(readPages(this.#store, this.#runId)))) {
      if (name === undefined || change.key === name) changes.push(change);
      if (changes.length > 2 * maxHistory) changes.splice(0, changes.length - maxHistory);
    }
    if (changes.length === 0 && (await this.#store.run(this.#runId)) === undefined) throw unknownRun(this.#runId);
    return changes.slice(-maxHistory);
  }

  /** The changes of a key, or of all: those so far, then as they are committed, until the run ends. Nothing is missed, nothing comes twice. @throws AxleError `run-unknown`, `usage-invalid` */
  async *subscribe(key?: ContextKey | string, options: SubscribeOptions = {}): AsyncGenerator<ContextChange> {
    const name = key === undefined ? undefined : nameOf(key);
    const afterSeq = options.after === undefined ? 0 : Number(/^\d+\.(\d+)$/u.exec(options.after)?.[1]);
    if (!Number.isInteger(afterSeq)) {
      throw new AxleError('usage-invalid', `An event id is epoch.seq, such as 1.12, and not ${options.after}.`);
    }
    for await (const change of changesIn(this.#runId, this.#events(options.signal))) {
      if (change.seq > afterSeq && (name === undefined || change.key === name)) yield change;
    }
  }
}

function selectorOf(asked: ContextKey | string): Selector {
  const selector = isContextKey(asked) ? ({ kind: 'key', key: asked.name, at: '' } as const) : parseSelector(asked);
  if (selector !== undefined) return selector;
  throw new AxleError(
    'usage-invalid',
    `${JSON.stringify(asked)} is no selector, such as user.id, user#/id or tool:login#/id.`,
  );
}

function nameOf(key: ContextKey | string): string {
  const selector = selectorOf(key);
  if (selector.kind === 'key' && selector.at === '') return selector.key;
  throw new AxleError(
    'usage-invalid',
    'Changes are those of a context key, and not of an output or of a part of a value.',
  );
}

/** An entry as events carry it. */
type Line = Pick<PlacedEntry, 'id' | 'atMs' | 'entry'>;

async function* entriesOf(pages: AsyncIterable<readonly Append[]>): AsyncGenerator<PlacedEntry> {
  for await (const page of pages) for (const append of page) yield* placedEntries(append);
}

/** The fold of the run, entry by entry, and what each of them set. */
async function* changesIn(runId: string, lines: AsyncIterable<Line>): AsyncGenerator<ContextChange> {
  let state: RunState = newState(runId);
  for await (const { id, atMs, entry } of lines) {
    const before = state.bus?.values ?? {};
    state = evolve(passTime(state, { atMs, epoch: Number(id.split('.')[0]) }), entry);
    for (const [key, value] of Object.entries(state.bus?.values ?? {})) {
      if (value !== before[key]) yield changeOf(id, key, value);
    }
  }
}

function changeOf(id: string, key: string, { value, version, by, tool, seq, atMs }: BusValue): ContextChange {
  return { id, key, value, version, by, seq, atMs, ...(tool === undefined ? {} : { tool }) };
}
