/**
 * A run as the page knows it: its table of spans, kept up to date while somebody looks.
 *
 *   loading ──table──► ready      What is new is asked for when an entry was told of, at most every `pullMs`; that this fails changes nothing here.
 *    ▲   └────fault──► failed
 *    └──────retry────────┘
 *
 * How it is followed meanwhile:
 *
 *   connecting ──open──► live ◄──────┐
 *    │   └──────line gone─┴──► lost ─┘ open
 *    └──stream refused──► polled        asked every `pollMs`
 *   each of them ──the run has ended──► ended
 *
 * N1 Only what began or changed is asked for; when that does not fit what is here, the whole is.
 * N2 What a stream tells before it is committed is kept apart and dropped on `reset`, or when the entry that holds it comes.
 */
import { SpanColumns } from '../../../src/trace/table/span-columns.ts';
import type { SpanTable } from '../../../src/trace/table/span-table.ts';
import type { RunStreamEvent } from '../../../src/server/wire.ts';
import { runPath, withSearch } from '../app/queries.ts';
import { Listeners } from '../wire/listeners.ts';
import { followStream } from '../wire/event-stream.ts';
import { pause } from '../wire/pause.ts';
import { RowTree } from '../table/row-tree.ts';
import type { RunTable } from '../table/run-table.ts';
import { askJson, mayPass } from '../wire/request.ts';

export type FeedState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** How the run is followed, as drawn above. */
export type Liveness = 'connecting' | 'live' | 'lost' | 'polled' | 'ended';

/** What is being written at this moment, not committed yet. */
export interface Provisional {
  readonly text: string;
  readonly reasoning: string;
}

const nothing: Provisional = { text: '', reasoning: '' };
const pullMs = 200;
const pollMs = 2_000;
const writeMs = 50;
/** Longest text that is kept of what is not committed. */
const longestProvisional = 200_000;

/** What is shown of a run. A new one after every change; its parts are new when they have changed. */
export interface RunView {
  readonly state: FeedState;
  readonly liveness: Liveness;
  readonly provisional: Provisional;
  readonly table: RunTable;
}

export class RunFeed {
  readonly runId: string;
  #view: RunView = {
    state: { kind: 'loading' },
    liveness: 'connecting',
    provisional: nothing,
    table: { columns: new SpanColumns(), tree: new RowTree() },
  };
  readonly #listeners = new Listeners();
  #stop = new AbortController();
  #isPulling = false;
  #pullsAgain = false;
  #pullTimer: ReturnType<typeof setTimeout> | undefined;
  #lastPullMs = -Infinity;
  #written = nothing;
  #writeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(runId: string) {
    this.runId = runId;
  }

  readonly subscribe = this.#listeners.subscribe;

  readonly view = (): RunView => this.#view;

  /** Begins, or begins again after a fault. */
  async open(): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#isPulling = false;
    const { signal } = this.#stop;
    this.#show({ state: { kind: 'loading' } });
    for (let count = 0; !signal.aborted; count += 1) {
      try {
        await this.#pull(0, signal);
        break;
      } catch (error) {
        if (aborted(signal)) return;
        if (!mayPass(error) || count >= 3) {
          this.#show({ state: { kind: 'failed', error } });
          return;
        }
        await pause(400 * 2 ** count, signal);
      }
    }
    if (!aborted(signal) && !this.#columns.ended) await this.#follow(signal);
  }

  close(): void {
    this.#stop.abort();
    clearTimeout(this.#pullTimer);
    clearTimeout(this.#writeTimer);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { epoch, seq } = this.#columns;
    await followStream({
      path: runPath(this.runId, 'events'),
      after: `${epoch}.${seq}`,
      signal,
      onEvent: ({ data }) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the wire are shared with the server.
        this.#take(JSON.parse(data) as RunStreamEvent);
      },
      onState: (state) => {
        this.#setLiveness(state === 'open' ? 'live' : state === 'waiting' ? 'lost' : 'polled');
        // What was missed is asked for as soon as the line is back.
        if (state === 'open') this.#wantPull();
        if (state === 'refused') this.#poll();
      },
    });
  }

  #take(event: RunStreamEvent): void {
    switch (event.kind) {
      case 'entry':
        if (event.entry.type.startsWith('model-')) this.#showWritten(nothing);
        this.#wantPull();
        break;
      case 'ended':
        this.#wantPull();
        break;
      case 'reset':
        this.#showWritten(nothing);
        break;
      case 'text-delta':
      case 'reasoning-delta': {
        const part = event.kind === 'text-delta' ? 'text' : 'reasoning';
        this.#written = { ...this.#written, [part]: (this.#written[part] + event.text).slice(-longestProvisional) };
        this.#writeTimer ??= setTimeout(() => this.#showWritten(this.#written), writeMs);
        break;
      }
      default:
        // Progress of tools is shown where it is committed; what a newer server tells is passed over.
        break;
    }
  }

  /** Deltas come faster than anybody reads: they are shown together. */
  #showWritten(written: Provisional): void {
    clearTimeout(this.#writeTimer);
    this.#writeTimer = undefined;
    this.#written = written;
    if (written !== this.#view.provisional) this.#show({ provisional: written });
  }

  #setLiveness(liveness: Liveness): void {
    if (this.#view.liveness !== 'ended') this.#show({ liveness });
  }

  #poll(): void {
    if (this.#stop.signal.aborted || this.#columns.ended) return;
    this.#pullTimer = setTimeout(() => {
      this.#wantPull();
      this.#poll();
    }, pollMs);
  }

  #wantPull(): void {
    if (this.#isPulling) {
      this.#pullsAgain = true;
      return;
    }
    const { signal } = this.#stop;
    this.#isPulling = true;
    const delayMs = Math.max(0, pullMs - (performance.now() - this.#lastPullMs));
    this.#pullTimer = setTimeout(() => {
      void this.#pull(this.#columns.seq, signal)
        // A fault shows as silence of the server; the stream's own return brings the next pull.
        .catch(() => undefined)
        .finally(() => {
          if (aborted(signal)) return;
          this.#isPulling = false;
          if (!this.#pullsAgain) return;
          this.#pullsAgain = false;
          this.#wantPull();
        });
    }, delayMs);
  }

  async #pull(since: number, signal: AbortSignal): Promise<void> {
    this.#lastPullMs = performance.now();
    const path = withSearch(runPath(this.runId, 'spans'), { since: since === 0 ? undefined : since });
    const answer = await askJson<SpanTable>(path, { signal });
    const { columns, tree } = since === 0 ? { columns: new SpanColumns(), tree: new RowTree() } : this.#view.table;
    const applied = columns.apply(answer);
    if (applied.kind === 'unfit') {
      if (since === 0) throw new Error(wordsOfUnfit[applied.reason]);
      await this.#pull(0, signal);
      return;
    }
    tree.grow(columns);
    this.#show({
      state: { kind: 'ready' },
      table: { columns, tree },
      ...(columns.ended ? { liveness: 'ended', provisional: nothing } : {}),
    });
    // Nothing more comes; what is open is the stream.
    if (columns.ended && since !== 0) this.#stop.abort();
  }

  get #columns(): SpanColumns {
    return this.#view.table.columns;
  }

  #show(change: Partial<RunView>): void {
    this.#view = { ...this.#view, ...change };
    this.#listeners.tell();
  }
}

const wordsOfUnfit = {
  version: 'The server is newer than this page. Load the page again.',
  run: 'The server answered for another run.',
  gap: 'The table of spans that the server sent has holes.',
} as const;

/** Asked through a function, since awaits lie between. */
function aborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
