/** What `createAxle` takes. */
import type { Brain } from '../brain/brain.ts';
import type { ContextKey, Contract } from '../contract/contract.ts';
import type { BreakerDeclaration, UpstreamLimits } from '../contract/declare/limits.ts';
import type { SandboxDriver } from '../execute/sandbox/sandbox-driver.ts';
import type { UpstreamParts } from '../execute/upstreams/in-process.ts';
import type { Upstreams, UpstreamView } from '../execute/upstreams/upstreams.ts';
import type { Durability } from '../journal/entry.ts';
import type { ResultCache } from '../journal/result-cache.ts';
import type { Store } from '../journal/store.ts';
import type { Agent, ForeignModel } from '../run/agent.ts';
import type { LiveEvent, Log, Watcher } from '../run/engine.ts';
import type { Policy } from '../policy/policy.ts';
import type { Clock, Timers } from '../util/clock.ts';
import type { Ids } from '../util/ids.ts';
import type { Random } from '../util/random.ts';

/** Tools that must be fetched first: an MCP server, for example. Connected by `createAxle`, closed by `close`. */
export interface ToolSource {
  readonly name: string;
  /** True for tools that others have written, such as those of a server: whoever uses them can change little about them. @defaultValue false */
  readonly isForeign?: boolean;
  /**
   * What the source offers now. `changed` takes all of it anew, whenever it has changed: it takes the place of what was offered before, at once, and of nothing else.
   * It throws `contract-duplicate`, and changes nothing, when somebody else brought the same version of a tool. Absent for whoever looks once.
   */
  connect(changed?: (contracts: readonly Contract[]) => void): Promise<readonly Contract[]>;
  close(): Promise<void>;
}

/** The machine as Axle sees it; replaced in tests. */
export interface Ports {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
}

/**
 * A real value: a text, a variable of this process, or a function that asks whoever keeps it. Of a URL, the host, the user, the password and the database give it away as
 * well; `also` names further words that do, such as the address behind a name.
 */
export type AliasDeclaration =
  | string
  | (() => string | Promise<string>)
  | { readonly variable: string; readonly also?: readonly string[] }
  | { readonly value: string | (() => string | Promise<string>); readonly also?: readonly string[] };

/** What an observer may look at. */
export interface Observed {
  readonly store: Store;
  /** The services behind tools with limits, as this process knows them. */
  upstreams(): Promise<readonly UpstreamView[]>;
}

/** Whoever follows the runs that this process drives: metrics, traces. What it throws is passed over. */
export interface Observer {
  /** Called once, when Axle opens. */
  observe(observed: Observed): Watcher;
  /** Called before: the store that the Axle is to use in place of this one. It does what that one does. @defaultValue the store itself */
  watchStore?(store: Store): Store;
}

export interface AxleOptions {
  /** Path of the SQLite file, `':memory:'` for runs that end with the process, or a store, which is closed with the Axle. */
  readonly store: string | Store;
  readonly tools?: readonly (Contract | ToolSource)[];
  readonly agents?: readonly Agent[];
  /**
   * `driver` drives runs and is refused when another process does; `client` only reads, starts and answers; `auto` is a driver when no other process is.
   * @defaultValue 'driver'
   */
  readonly role?: 'driver' | 'client' | 'auto';
  /**
   * What is on the disk before the run goes on: `effects` syncs what guards a side effect (a power cut can cost repeated reads and model calls);
   * `strict` syncs every append before its consequences leave the process: an effect, a model call, an answer to a caller.
   * @defaultValue 'effects'
   */
  readonly durability?: Durability;
  /** Runs in memory at a time, 1 to 100,000. @defaultValue 1,000 */
  readonly maxActiveRuns?: number;
  /**
   * Services that several tools share, by the name that their `limits.upstream` gives: what may be asked of each, and when it is left alone.
   * @defaultValue none
   */
  readonly upstreams?: Readonly<Record<string, UpstreamLimits & { readonly breaker?: BreakerDeclaration | boolean }>>;
  /**
   * Makes what admits calls to upstreams, for one that several drivers share (over Redis, say): it is handed what is declared, and is closed with the Axle.
   * @defaultValue limits and breakers of this driver alone, kept with its store
   */
  readonly createUpstreams?: (parts: UpstreamParts) => Upstreams;
  /** Models by name, for runs that go on with another than their agent's (`axle.fork`). @defaultValue none */
  readonly models?: Readonly<Record<string, Brain | ForeignModel>>;
  /** Decides about each call. @defaultValue reads run; effects run at low and medium risk; high risk and irreversible effects ask */
  readonly policy?: Policy;
  /** Where results of reads that declare a `cache` are kept, for one that several stores share. @defaultValue with the store */
  readonly cache?: ResultCache;
  /** Context keys that callers may set when they start a run, beside those that tools declare. */
  readonly context?: readonly ContextKey[];
  /** Structured log lines. @defaultValue warnings and errors as JSON lines on standard error */
  readonly log?: Log;
  /** What happens in runs that this process drives and is in no entry: pieces of answers, progress and log lines of tools. `run.stream()` has it with the entries. */
  readonly onLive?: (event: LiveEvent & { readonly runId: string }) => void;
  /** Metrics of `axle/metrics`, traces of `axle/otel`, and whatever else follows runs. @defaultValue none */
  readonly observers?: readonly Observer[];
  /**
   * Names that models, journal and logs have in place of real addresses and names of databases: `{ orders_db: { variable: 'ORDERS_DB_URL' } }`. An attempt alone is given
   * the value; what of it comes back is replaced by the name. The values are looked up when Axle opens, and again by each attempt that needs one.
   * @defaultValue none
   */
  readonly aliases?: Readonly<Record<string, AliasDeclaration>>;
  /** Where tools whose body is a program run, closed with the Axle. @defaultValue `subprocess()`, `quickjs()` and `bubblewrap()` of `axle/sandbox` */
  readonly sandboxes?: readonly SandboxDriver[];
  readonly ports?: Partial<Ports>;
}
