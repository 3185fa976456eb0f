/**
 * The upstreams of one process, which is the only one that drives its store: limits and breakers in memory, what must outlive it in the store.
 *
 * I1 The store is read when the first call or person asks, not before: an Axle whose tools have no limits reads nothing.
 * I2 What people order through another process is taken in when the store tells that something was written.
 * I3 Closed in order, the store has the last state of every bucket; after a crash a bucket that was in use is empty. (U6)
 */
import { thereAre } from '../../contract/near-miss.ts';
import type { UpstreamSettings } from '../../contract/upstream-settings.ts';
import { AxleError, messageOf } from '../../error/axle-error.ts';
import type { KeptUpstream, Store, UpstreamRecord } from '../../journal/store.ts';
import type { Clock, Timers } from '../../util/clock.ts';
import { defined } from '../../util/defined.ts';
import { stateOf } from './kept-state.ts';
import { Upstream } from './upstream.ts';
import type {
  Admission,
  AdmissionRequest,
  Aftermath,
  AttemptEnd,
  Permit,
  UpstreamControl,
  UpstreamOrder,
  Upstreams,
  UpstreamView,
} from './upstreams.ts';

/** The upstreams that are declared. */
export interface DeclaredUpstreams {
  names(): readonly string[];
  settings(name: string): UpstreamSettings | undefined;
}

/** What an implementation of `Upstreams` is handed. */
export interface UpstreamParts {
  readonly declared: DeclaredUpstreams;
  readonly store: Pick<Store, 'upstreams' | 'keepUpstream' | 'orderUpstream' | 'onNotice'>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Names this process in what is kept. */
  readonly writer: string;
  readonly log: (level: 'warn', message: string, fields: Readonly<Record<string, string>>) => void;
}

export class InProcessUpstreams implements Upstreams {
  readonly #options: UpstreamParts;
  readonly #open = new Map<string, Upstream>();
  #records: ReadonlyMap<string, UpstreamRecord> = new Map();
  #loading: Promise<void> | undefined;
  #stopNotices = (): void => {};

  constructor(options: UpstreamParts) {
    this.#options = options;
  }

  async admit(request: AdmissionRequest): Promise<Admission> {
    await this.#loaded();
    return this.#upstream(request.upstream).admit(request);
  }

  async release(permit: Permit, end: AttemptEnd): Promise<Aftermath> {
    return this.#upstream(permit.upstream).release(permit, end);
  }

  async list(): Promise<readonly UpstreamView[]> {
    await this.#loaded();
    return this.#options.declared.names().map((name) => this.#upstream(name).view());
  }

  async order({ name, action, by, reason }: UpstreamOrder): Promise<UpstreamView> {
    await this.#loaded();
    const upstream = this.#upstream(name);
    const order = { action, atMs: this.#options.clock.nowMs(), ...defined({ by, reason }) };
    const number = await this.#options.store.orderUpstream(name, order);
    upstream.obey({ ...order, number });
    return upstream.view();
  }

  async close(): Promise<void> {
    this.#stopNotices();
    for (const upstream of this.#open.values()) {
      const { isUsed } = upstream;
      const last = upstream.close();
      if (isUsed) await this.#keep(last);
    }
  }

  /** What cannot be kept is lost towards safety: the bucket is empty next time. */
  async #keep(kept: KeptUpstream): Promise<void> {
    try {
      await this.#options.store.keepUpstream(kept);
    } catch (error) {
      const { name } = kept;
      this.#options.log('warn', 'The last state of an upstream could not be kept.', { name, reason: messageOf(error) });
    }
  }

  #upstream(name: string): Upstream {
    const { declared, clock, timers, writer } = this.#options;
    const settings = declared.settings(name);
    const open = this.#open.get(name);
    if (open !== undefined && settings !== undefined) open.use(settings);
    if (open !== undefined) return open;
    if (settings === undefined) throw unknownUpstream(name, declared.names());
    const record = this.#records.get(name) ?? { name };
    const state = stateOf(record, clock.nowMs());
    const wasUsed = record.kept !== undefined;
    const keptOrder = stateOf({ ...defined({ kept: record.kept }) }, clock.nowMs()).order;
    const made = new Upstream({ name, settings, state, wasUsed, keptOrder, clock, timers, writer });
    this.#open.set(name, made);
    return made;
  }

  /** Reads the store once; when it does not answer, the next to ask reads it again. */
  #loaded(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    await this.#read();
    this.#stopNotices = this.#options.store.onNotice((runId) => {
      if (runId === undefined) this.#takeOrders();
    });
  }

  #takeOrders(): void {
    this.#read().then(
      () => {
        for (const { name, order } of this.#records.values()) {
          if (order !== undefined) this.#open.get(name)?.obey(order);
        }
      },
      (error: unknown) =>
        this.#options.log('warn', 'What was ordered about upstreams could not be read.', { reason: messageOf(error) }),
    );
  }

  async #read(): Promise<void> {
    const records = await this.#options.store.upstreams();
    this.#records = new Map(records.map((record) => [record.name, record]));
  }
}

/** What a process that drives nothing sees of upstreams, and can ask of them: what the store knows. */
export function storedUpstreams({
  declared,
  store,
  clock,
}: Pick<UpstreamParts, 'declared' | 'store' | 'clock'>): UpstreamControl {
  const list = async (): Promise<readonly UpstreamView[]> => {
    const records = new Map((await store.upstreams()).map((record) => [record.name, record]));
    const names = [...new Set([...declared.names(), ...records.keys()])];
    return names.map((name) => {
      const { breaker, pausedUntilMs, changes } = stateOf(records.get(name) ?? {}, clock.nowMs());
      const isPaused = pausedUntilMs !== undefined && pausedUntilMs > clock.nowMs();
      return { name, breaker, changes, ...(isPaused ? { pausedUntilMs } : {}) };
    });
  };
  return {
    list,
    order: async ({ name, action, by, reason }) => {
      const known = (await list()).map((view) => view.name);
      if (!known.includes(name)) throw unknownUpstream(name, known);
      await store.orderUpstream(name, { action, atMs: clock.nowMs(), ...defined({ by, reason }) });
      const view = (await list()).find((one) => one.name === name);
      if (view === undefined) throw unknownUpstream(name, known);
      return view;
    },
  };
}

function unknownUpstream(name: string, names: readonly string[]): AxleError {
  return new AxleError('upstream-unknown', `No upstream is named ${name}; ${thereAre(name, names)}.`);
}
